// PostgreSQL is away at a boundary: the jobs fail, nothing is done by half, and the month closes
// once afterwards.
import { test } from 'tap'
import { systemClock } from '../../../shared/clock.ts'
import type { Answer, TestApi } from '../../harness/api.ts'
import {
  catchUp,
  closeMonths,
  countUsage,
  DAY_MS,
  moveSandbox,
  provision,
  readBilling,
} from '../../harness/billing.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { seedRoot } from '../../harness/issuing.ts'
import { openOnOwnPostgres } from '../../harness/own-postgres.ts'
import { seedTenant } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

const AWAY_MS = 600_000

test('a month closes once though PostgreSQL was away at its boundary', async (t) => {
  const own = await openOnOwnPostgres()
  await seedRoot(own.sql)
  const tenant = await seedTenant(own.sql, 'sandbox')
  const clock = { nowMs: systemClock.nowMs() }
  const api = { ...own, tenant, clock } as unknown as TestApi
  await catchUp(api)
  await provision(api)
  const moment = systemClock.nowMs() + DAY_MS
  await seedTransactions(own.sql, tenant, { count: 10_100, at: moment })
  await moveSandbox(api, moment + 31 * DAY_MS)
  await closeMonths(api)
  await own.stop()
  await t.rejects(closeMonths(api), 'the boundary is noted, the close is not')
  await t.rejects(countUsage(api))
  clock.nowMs += AWAY_MS
  await t.rejects(closeMonths(api))
  await own.restart()
  const works = (): Promise<boolean> =>
    catchUp(api).then(
      () => true,
      () => false,
    )
  await until(works)
  for (let rounds = 0; rounds < 3; rounds++) {
    await countUsage(api)
    await closeMonths(api)
  }
  const { data } = await readBilling(api, 'invoices')
  const shown = data.map(({ ordinal, status, total_cents }: Answer['body']) => [
    ...[ordinal, status, total_cents],
  ])
  t.same(shown.sort(), [
    [0, 'open', 4900],
    [1, 'open', 4990],
  ])
  t.equal(await closeMonths(api), 0)
})
