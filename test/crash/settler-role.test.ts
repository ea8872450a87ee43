// The own process of the settler, as its PostgreSQL role, lands a payment on a real chain.
import { test } from 'tap'
import { openPool } from '../../api/database/pool.ts'
import { hasAnvil } from '../../scripts/chain-peer/anvil.ts'
import { startMigratedPostgres } from '../harness/migrated-postgres.ts'
import { as, giveRoles } from '../harness/roles.ts'
import { pay, startSettlement } from '../harness/settlement.ts'
import { settlerOf } from '../harness/settler-process.ts'
import { happens } from '../harness/until.ts'

/** PostgreSQL's words about a right that a role lacks. */
const REFUSED = /permission denied|42501/

test('the settler settles as the role svc_settler', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const server = await startMigratedPostgres(t)
  const sql = openPool(server.url, { max: 4, applicationName: 'svc-test' })
  t.teardown(() => sql.end({ timeout: 1 }))
  const at = await startSettlement(t, undefined, { sql, url: server.url })
  await giveRoles(server.url)
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, 1_000_000)]
  await at.mine(2)
  await at.round()
  await pay(at, { payer, payee, cents: 1250 })
  const databaseUrl = as(server.url, 'svc_settler')
  const settler = settlerOf(t, at, at.url, { databaseUrl })
  const run = settler.start()
  t.teardown(() => run.kill('SIGKILL'))
  const landed = await happens(async () => {
    await at.mine(1)
    const rows = await sql<{ status: string }[]>`
      select status from payment_captures where tenant_id = ${tenant.tenantId}`
    return rows.length > 0 && rows.every(({ status }) => status === 'landed')
  })
  t.ok(landed, 'the capture lands')
  run.kill('SIGTERM')
  await run.gone
  t.notMatch(settler.output(), REFUSED)
})
