// The page about payments that do not settle, played on a real node: a fee cap below what the chain
// asks holds a batch, the operator raises it in the chain's file, and the batch is explained.
import { test } from 'tap'
import { hasAnvil } from '../../scripts/chain-peer/anvil.ts'
import { startTestApi } from '../harness/api.ts'
import { freePorts } from '../harness/free-ports.ts'
import { openRunbook } from '../harness/runbook.ts'
import { pay, startSettlement } from '../harness/settlement.ts'
import { settlerOf } from '../harness/settler-process.ts'
import { happens, until } from '../harness/until.ts'

const CENTS = 1250
/** One wei: no chain takes a transaction for it. */
const LOW_GWEI = 1e-9

test('a fee cap holds payments; raised in the chain’s file, they settle and are explained', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const book = openRunbook('settlement-stands')
  const api = await startTestApi()
  const at = await startSettlement(t, undefined, { sql: api.sql, url: api.databaseUrl })
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, 1_000_000)]
  await at.mine(2)
  await at.round()
  await pay(at, { payer, payee, cents: CENTS })
  const statuses = async (): Promise<string[]> =>
    (
      await at.sql<{ status: string }[]>`
      select status from payment_captures where tenant_id = ${tenant.tenantId}`
    ).map(({ status }) => status)

  const [metricsPort = 0] = await freePorts(1)
  const capped = settlerOf(t, at, at.url, { maxFeeGwei: LOW_GWEI, metricsPort }).start()
  const atCap = async (): Promise<boolean> => {
    const page = await fetch('http://127.0.0.1:' + metricsPort + '/metrics').catch(() => null)
    const text = (await page?.text()) ?? ''
    return Number(/^svc_fee_cap_waits_total\S* (\d+)/m.exec(text)?.[1] ?? 0) > 0
  }
  await until(async () => {
    await at.mine(1)
    return atCap()
  })
  t.notOk((await statuses()).includes('landed'), 'nothing settles below the price of the chain')
  capped.kill('SIGTERM')
  await capped.gone

  const raised = settlerOf(t, at, at.url).start()
  t.teardown(() => raised.kill('SIGKILL'))
  const landed = await happens(async () => {
    await at.mine(1)
    return (await statuses()).every((status) => status === 'landed')
  })
  t.ok(landed, 'the raised cap settles it')
  raised.kill('SIGTERM')
  await raised.gone
  const paid = await at.sql<{ count: number }[]>`
    select count(*)::int as count from settlement_batches
    where tenant_id = ${tenant.tenantId} and status <> 'failed'`
  t.equal(paid[0]?.count, 1, 'in one batch')

  const [batch] = await at.sql<{ id: string }[]>`
    select id from settlement_batches where tenant_id = ${tenant.tenantId} limit 1`
  const id = batch?.id ?? ''
  const told = await book.run('npm run explain -- BATCH', {
    values: { BATCH: id },
    environment: {
      SVC_API_KEY: tenant.keys.read,
      SVC_API_PORT: new URL(api.url).port,
      DATABASE_URL: api.databaseUrl,
    },
  })
  t.equal(told.code, 0, told.output)
  t.match(told.output, id)
  const shown = await api.call('GET', '/v1/settlement_batches/' + id, { key: tenant.keys.read })
  t.equal(shown.status, 200, JSON.stringify(shown.body))
  t.same(book.left(), [], 'every command of the page was played')
})
