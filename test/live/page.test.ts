import { test } from 'tap'
import { encodeCursor, encodeSortedCursor } from '../../api/database/cursor.ts'
import { type PageQuery, readPage } from '../../api/database/page.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { fc } from '../harness/properties.ts'

const ROWS = 62

/**
 * A list of numbered rows, ordered by sequence like events; every second one belongs to another
 * tenant.
 */
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

test('paging forward shows every row once, newest first by default', async (t) => {
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

test('paging backward shows every row once, each page in the order of the list', async (t) => {
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

test('a cursor outlives its row, an id works as one, and the end of a list has none', async (t) => {
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

interface SortedRow {
  seq: number
  value: number
}

/** Rows of which many have the same value. */
async function openSorted(t: Parameters<typeof openTestDatabase>[0]) {
  const { sql } = await openTestDatabase(t)
  await sql`create table sorted (seq bigint primary key, value bigint not null)`
  const read = (query: PageQuery) =>
    readPage<SortedRow>(sql, query, {
      list: 'card_transactions',
      column: 's.seq',
      positionOf: ({ seq }) => seq,
      findPosition: async () => 7,
      sorts: {
        value: {
          number: 1,
          column: 's.value',
          valueOf: ({ value }) => value,
          findValue: async () => 3,
        },
      },
      select: (range, ordered) =>
        sql<SortedRow[]>`select s.seq, s.value from sorted s where ${range} ${ordered}`,
    })
  return { sql, read }
}

const inOrder = (a: SortedRow, b: SortedRow) => a.value - b.value || a.seq - b.seq

test('paging in both directions loses and repeats nothing while rows are added', async (t) => {
  const { sql, read } = await openSorted(t)
  const walks = fc.record({
    values: fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 40 }),
    limits: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
    sort: fc.constantFrom('created', 'value'),
    order: fc.constantFrom<('asc' | 'desc')[]>('asc', 'desc'),
    backward: fc.boolean(),
    added: fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 12 }),
  })
  await fc.assert(
    fc.asyncProperty(walks, async ({ values, limits, sort, order, backward, added }) => {
      await sql`truncate sorted`
      // Even numbers leave space between them for rows added meanwhile.
      const rows = values.map((value, index) => ({ seq: (index + 1) * 2, value }))
      if (rows.length > 0) await sql`insert into sorted ${sql(rows)}`
      const expected = [...rows].sort(sort === 'value' ? inOrder : (a, b) => a.seq - b.seq)
      if ((order === 'desc') !== backward) expected.reverse()
      const seen: number[] = []
      let cursor = backward ? beyond(sort, order) : null
      for (let turn = 0; turn === 0 || cursor !== null; turn++) {
        const at = backward ? 'ending_before' : 'starting_after'
        const limit = limits[turn % limits.length] ?? 1
        const query = { limit, sort, order, ...(cursor === null ? {} : { [at]: cursor }) }
        const page = await read(query)
        const shown = page.rows.map(({ seq }) => seq)
        seen.push(...(backward ? shown.reverse() : shown))
        cursor = page.nextCursor
        const value = added[turn]
        if (value !== undefined) await sql`insert into sorted ${sql({ seq: turn * 6 + 1, value })}`
      }
      const old = seen.filter((seq) => seq % 2 === 0)
      t.equal(new Set(seen).size, seen.length)
      t.same(
        old,
        expected.map(({ seq }) => seq),
      )
    }),
    { numRuns: 60, seed: 23 },
  )
})

/** A position beyond the end of the list. */
function beyond(sort: string, order: 'asc' | 'desc'): string {
  const far = order === 'asc' ? 99_999 : 0
  if (sort === 'created') return encodeCursor('card_transactions', far)
  const value = order === 'asc' ? 99 : -99
  return encodeSortedCursor('card_transactions', { sort: 1, value }, far)
}

test('a cursor belongs to its sort order, and an id finds its value there', async (t) => {
  const { sql, read } = await openSorted(t)
  await sql`insert into sorted ${sql([
    { seq: 6, value: 3 },
    { seq: 7, value: 3 },
    { seq: 8, value: 3 },
    { seq: 9, value: 1 },
  ])}`
  const byId = await read({ sort: 'value', order: 'asc', starting_after: 'txn_' + '0'.repeat(26) })
  t.same(
    byId.rows.map(({ seq }) => seq),
    [8],
  )
  const first = await read({ sort: 'value', limit: 1 })
  for (const query of [
    { starting_after: first.nextCursor ?? '' },
    { sort: 'value', starting_after: encodeCursor('card_transactions', 7) },
    {
      sort: 'value',
      starting_after: encodeSortedCursor('card_transactions', { sort: 2, value: 3 }, 7),
    },
    { sort: 'value', starting_after: encodeSortedCursor('events', { sort: 1, value: 3 }, 7) },
  ])
    await t.rejects(read(query), { code: 'invalid_cursor' })
})
