import { test } from 'tap'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { type TxSql, tx } from '../../api/database/transaction.ts'
import { openTestDatabase, type Teardown } from '../harness/postgres.ts'

const ROUNDS = 10
const CONNECTIONS = 2
const APPLICATION = 'svc-test-guarded'

/** A table, the pool under test, and another that kills its connections. */
async function openTable(t: Teardown): Promise<{ sql: Sql; killer: Sql }> {
  const { sql: killer, url } = await openTestDatabase(t)
  await killer`create table guarded (round bigint not null, row text not null)`
  const sql = openPool(url, { max: CONNECTIONS, applicationName: APPLICATION })
  t.teardown(() => sql.end({ timeout: 1 }))
  return { sql, killer }
}

const rowsOf = (sql: Sql) => sql`select round, row from guarded order by round, row`

async function terminate(killer: Sql, pid: number): Promise<void> {
  await killer`select pg_terminate_backend(${pid})`
  for (;;) {
    const alive = await killer`select 1 from pg_stat_activity where pid = ${pid}`
    if (alive.length === 0) return
  }
}

async function backendOf(sql: TxSql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row!.pid
}

interface Killed {
  /**
   * The outcome of the transaction, and that of its second statement, long after the connection was
   * gone.
   */
  outcome: unknown
  second: unknown
}

/**
 * A transaction whose connection is killed between its two statements; the second is sent when
 * `gone` resolves.
 */
async function killedBetween(
  sql: Sql,
  killer: Sql,
  round: number,
  gone: (pid: number, outcome: Promise<unknown>) => Promise<unknown>,
): Promise<Killed> {
  const second = Promise.withResolvers<unknown>()
  const outcome = tx(sql, async (inner) => {
    const pid = await backendOf(inner)
    await inner`insert into guarded values (${round}, 'first')`
    await terminate(killer, pid)
    await gone(pid, outcome)
    await send(() => inner`insert into guarded values (${round}, 'second')`).then(second.resolve)
  }).then(
    () => 'committed',
    (error) => error.code,
  )
  return { outcome: await outcome, second: await second.promise }
}

async function send(statement: () => PromiseLike<unknown>): Promise<unknown> {
  try {
    await statement()
    return 'ran'
  } catch (error) {
    return (error as { code?: unknown }).code
  }
}

const LOST = Array(ROUNDS).fill({ outcome: 'TX_LOST', second: 'TX_LOST' })

test('a transaction whose connection dies while the pool is busy leaves nothing behind', async (t) => {
  const { sql, killer } = await openTable(t)
  let working = true
  // Work of others makes the driver reconnect the transaction's connection object at once.
  const others = Array.from({ length: 8 }, async () => {
    while (working) await sql`select 1`.catch(() => [])
  })
  const reconnected = async (pid: number): Promise<void> => {
    for (;;) {
      const open = await killer`
        select pid from pg_stat_activity where application_name = ${APPLICATION} and state is not null`
      if (open.length === CONNECTIONS && open.every((row) => row['pid'] !== pid)) return
    }
  }
  const rounds: Killed[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(await killedBetween(sql, killer, round, reconnected))
  }
  working = false
  await Promise.all(others)
  t.same(rounds, LOST)
  t.same(await rowsOf(killer), [])
})

test('a transaction whose connection dies while the pool is idle fails and crashes nothing', async (t) => {
  const { sql, killer } = await openTable(t)
  const rounds: Killed[] = []
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(await killedBetween(sql, killer, round, (_pid, outcome) => outcome))
  }
  t.same(rounds, LOST)
  t.same(await rowsOf(killer), [])
})

test('a connection that dies under a running statement crashes nothing', async (t) => {
  const { sql, killer } = await openTable(t)
  const codes: unknown[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const failure = await tx(sql, async (inner) => {
      const pid = await backendOf(inner)
      await inner`insert into guarded values (${round}, 'first')`
      const slow = inner`select pg_sleep(10)`.execute()
      const behind = inner`insert into guarded values (${round}, 'behind')`.execute()
      behind.catch(() => {})
      await terminate(killer, pid)
      await slow
    }).catch((error) => error)
    codes.push(failure.code)
  }
  t.same(codes, Array(ROUNDS).fill('TX_LOST'))
  t.same(await rowsOf(killer), [])
})

test('a transaction whose work swallows the loss is not reported as committed', async (t) => {
  const { sql, killer } = await openTable(t)
  const outcome = await send(() =>
    tx(sql, async (inner) => {
      await inner`insert into guarded values (1, 'first')`
      await terminate(killer, await backendOf(inner))
      await send(() => inner`insert into guarded values (1, 'second')`)
    }),
  )
  t.equal(outcome, 'TX_LOST')
  t.same(await rowsOf(killer), [])
})

test('a statement written before the loss and sent after it does not run', async (t) => {
  const { sql, killer } = await openTable(t)
  const sent = Promise.withResolvers<unknown>()
  const outcome: Promise<unknown> = send(() =>
    tx(sql, async (inner) => {
      const early = inner`insert into guarded values (1, 'early')`
      await terminate(killer, await backendOf(inner))
      await outcome
      sent.resolve(await send(() => early))
    }),
  )
  t.equal(await outcome, 'TX_LOST')
  t.equal(await sent.promise, 'TX_LOST')
  t.same(await rowsOf(killer), [])
})

test('a statement after the end of its transaction is refused', async (t) => {
  const { sql, killer } = await openTable(t)
  const leaked = await tx(sql, async (inner) => [inner] as const)
  t.throws(() => leaked[0]`insert into guarded values (1, 'late')`, /had ended/)
  t.same(await rowsOf(killer), [])
})

test('only work that is safe to repeat runs once more after a loss', async (t) => {
  const { sql, killer } = await openTable(t)
  const attempts = async (safeToRepeat: boolean): Promise<number> => {
    let count = 0
    await tx(
      sql,
      async (inner) => {
        count++
        const pid = await backendOf(inner)
        if (count === 1) await terminate(killer, pid)
        await inner`insert into guarded values (${count}, ${String(safeToRepeat)})`
      },
      { safeToRepeat },
    ).catch(() => {})
    return count
  }
  t.same([await attempts(true), await attempts(false)], [2, 1])
  t.same(await rowsOf(killer), [{ round: 2, row: 'true' }])
})

test('the loser of a conflict is repeated, also if it meets a slow winner again', async (t) => {
  const { sql, killer } = await openTable(t)
  await sql`insert into guarded values (1, ''), (2, '')`
  const [winnerBegan, loserBegan] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()]
  const add = (inner: TxSql, round: number) =>
    inner`update guarded set row = row || '.' where round = ${round}`
  const winner = tx(sql, async (inner) => {
    // The loser detects the conflict first.
    await inner`set local deadlock_timeout = '1min'`
    await add(inner, 2)
    winnerBegan.resolve(await backendOf(inner))
    await loserBegan.promise
    await add(inner, 1)
  })
  const pid = await winnerBegan.promise
  const untilItWaits = async () => {
    for (;;) {
      const [row] = await killer`select cardinality(pg_blocking_pids(${pid})) as blockers`
      if (row?.['blockers'] === 1) return
    }
  }
  let attempts = 0
  await tx(
    sql,
    async (inner) => {
      attempts += 1
      await inner`set local deadlock_timeout = '10ms'`
      await add(inner, 1)
      loserBegan.resolve()
      if (attempts === 2) process.kill(pid, 'SIGCONT')
      if (attempts <= 2) await untilItWaits()
      if (attempts === 1) process.kill(pid, 'SIGSTOP')
      await add(inner, 2)
    },
    { safeToRepeat: true },
  )
  await winner
  t.ok(attempts > 2, 'it lost twice')
  t.same(
    (await rowsOf(killer)).map((row) => row['row']),
    ['..', '..'],
  )
})

test('a savepoint rolls back alone, and notify stays in its transaction', async (t) => {
  const { sql, killer } = await openTable(t)
  await tx(sql, async (inner) => {
    await inner`insert into guarded values (1, 'kept')`
    await inner
      .savepoint(async (nested) => {
        await nested`insert into guarded values (2, 'dropped')`
        await nested`select 1 / 0`
      })
      .catch(() => {})
    await inner.notify('svc_test', 'x')
  })
  t.same(await rowsOf(killer), [{ round: 1, row: 'kept' }])
})

test('PostgreSQL compiles no statement of ours', async (t) => {
  const { url } = await openTestDatabase(t)
  for (const byIndex of [false, true]) {
    const sql = openPool(url, { max: 1, applicationName: APPLICATION, byIndex })
    const [row] = await sql<{ jit: string }[]>`select current_setting('jit') as jit`
    await sql.end({ timeout: 1 })
    // Before PostgreSQL 18 a plan with a disabled scan costs enough to be compiled: for seconds.
    t.equal(row?.jit, 'off', 'by index: ' + byIndex)
  }
})
