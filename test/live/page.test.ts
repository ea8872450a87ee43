import { test } from 'tap'
import { encodeCursor } from '../../api/database/cursor.ts'
import { type PageQuery, readPage } from '../../api/database/page.ts'
import { openTestDatabase } from '../harness/postgres.ts'

const ROWS = 62

/** A list of numbered rows, ordered by sequence like events; every second one belongs to somebody else. */
async function openList(t: Parameters<typeof openTestDatabase>[0]) {
  const { sql } = await openTestDatabase(t)
  await sql`create table listed (seq bigint primary key, mine boolean not null)`
  await sql`insert into listed select n, n % 2 = 0 from generate_series(1, ${ROWS * 2}) n`
  const read = (query: PageQuery) =>
    readPage<{ seq: number }>(sql, query, {
      list: 'events',
      column: 'l.seq',
      positionOf: (row) => row.seq,
      select: (range, ordered) =>
        sql<{ seq: number }[]>`select l.seq from listed l where l.mine and ${range} ${ordered}`,
      findPosition: async (id) => (id.endsWith('4') ? 4 : null),
    })
  const mine = Array.from({ length: ROWS }, (_, index) => (index + 1) * 2)
  return { sql, read, ascending: mine, descending: [...mine].reverse() }
}

test('walking a list forward shows every row once, newest first unless told otherwise', async (t) => {
  const { read, ascending, descending } = await openList(t)
  for (const [order, expected] of [
    [undefined, descending],
    ['desc', descending],
    ['asc', ascending],
  ] as const) {
    const seen: number[] = []
    let cursor: string | null = null
    do {
      const page = await read({
        limit: 7,
        ...(order ? { order } : {}),
        ...(cursor === null ? {} : { starting_after: cursor }),
      })
      seen.push(...page.rows.map((row) => row.seq))
      cursor = page.nextCursor
    } while (cursor !== null)
    t.same(seen, expected, String(order))
  }
})

test('walking backward shows every row once, each page in the order of the list', async (t) => {
  const { read, ascending, descending } = await openList(t)
  for (const [order, expected] of [
    ['desc', descending],
    ['asc', ascending],
  ] as const) {
    const seen: number[] = []
    // Beyond the last row of the list.
    let cursor: string | null = encodeCursor('events', order === 'desc' ? 0 : 9999)
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof read>> = await read({
        limit: 25,
        order,
        ending_before: cursor,
      })
      seen.unshift(...page.rows.map((row) => row.seq))
      cursor = page.nextCursor
    }
    t.same(seen, expected)
  }
})

test('a cursor outlives its row, an id works as one, and the end of a list is no cursor', async (t) => {
  const { sql, read } = await openList(t)
  const first = await read({ limit: 2 })
  t.same(
    first.rows.map((row) => row.seq),
    [124, 122],
  )
  await sql`delete from listed where seq in (122, 120)`
  const second = await read({ limit: 2, starting_after: first.nextCursor! })
  t.same(
    second.rows.map((row) => row.seq),
    [118, 116],
  )
  const known = await read({ starting_after: 'evt_' + '0'.repeat(25) + '4' })
  t.same(known, { rows: [{ seq: 2 }], hasMore: false, nextCursor: null })
  const empty = await read({ starting_after: encodeCursor('events', 1) })
  t.same(empty, { rows: [], hasMore: false, nextCursor: null })
  t.equal((await read({})).rows.length, 25)
})

test('both cursors, a cursor of another list and an unknown id are refused', async (t) => {
  const { read } = await openList(t)
  const cursor = encodeCursor('events', 5)
  await t.rejects(read({ starting_after: cursor, ending_before: cursor }), {
    code: 'parameters_exclusive',
  })
  await t.rejects(read({ starting_after: encodeCursor('card_transactions', 5) }), {
    code: 'invalid_cursor',
    detail: { param: 'starting_after' },
  })
  await t.rejects(read({ ending_before: 'evt_' + '0'.repeat(26) }), {
    code: 'invalid_cursor',
    detail: { param: 'ending_before' },
  })
})
