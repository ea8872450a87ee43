// A connection that dies in the middle of a statement leaves nothing for its successor.
import { test } from 'tap'
import { openPool } from '../../api/database/pool.ts'
import { openTestDatabase } from '../harness/postgres.ts'

const APPLICATION = 'svc-test-reconnected'
const CONNECTIONS = 3
const CALLERS = 6
const KILLS = 15
/** Enough rows that a kill comes in the middle of them. */
const ROWS = 3000

test('a statement that fails behind some rows shifts no rows of the next one', async (t) => {
  const { url } = await openTestDatabase(t)
  const sql = openPool(url, { max: 1, applicationName: APPLICATION })
  t.teardown(() => sql.end({ timeout: 1 }))
  const failing = sql`select 1 / (4 - n) from generate_series(1, 10) n`
  const next = sql`select n from generate_series(1, 3) n`
  const [failed, found] = await Promise.allSettled([failing, next])
  t.match(failed, { status: 'rejected', reason: { code: '22012' } })
  t.match(found, { status: 'fulfilled' })
  t.same(found.status === 'fulfilled' ? [...found.value] : [], [{ n: 1 }, { n: 2 }, { n: 3 }])
})

test('a connection’s first statement gets its own rows, however its predecessor was killed', async (t) => {
  const { sql: killer, url } = await openTestDatabase(t)
  const sql = openPool(url, { max: CONNECTIONS, applicationName: APPLICATION })
  t.teardown(() => sql.end({ timeout: 1 }))
  let killing = true
  let asked = 0
  const wrong: string[] = []
  const failed = new Set<unknown>()

  const ask = async (): Promise<void> => {
    const number = asked++
    const rows = number % 2 === 0 ? ROWS : 1
    const text = await sql<{ number: number }[]>`
      select ${number}::integer as number from generate_series(1, ${rows})`.then(
      (found) =>
        found.length === rows && found.every((row) => row?.number === number) ? 'right' : 'wrong',
      (error) => {
        failed.add(error.code)
        return 'failed'
      },
    )
    if (text === 'wrong') wrong.push('statement ' + number)
  }
  const caller = async (): Promise<void> => {
    while (killing) await ask()
  }
  const callers = Array.from({ length: CALLERS }, caller)
  let killed = 0
  while (killed < KILLS) {
    const gone = await killer`
      select pg_terminate_backend(pid, 5000) from (
        select pid from pg_stat_activity
        where application_name = ${APPLICATION} and datname = current_database() and state = 'active'
        limit 1
      ) one`
    killed += gone.length
  }
  killing = false
  await Promise.all(callers)
  t.same(wrong, [])
  t.ok(failed.size > 0, 'kills were noticed: ' + [...failed].join(', '))
  t.same(await Promise.all(Array.from({ length: 2 * CONNECTIONS }, () => sql`select 1 as one`)), [
    ...Array.from({ length: 2 * CONNECTIONS }, () => [{ one: 1 }]),
  ])
})
