// A process is killed at each step of collecting: before the processor did the work of a call, and
// after it, before the outcome was stored. Nothing is charged twice or lost.
import { type Test, test } from 'tap'
import { startBilledApi } from '../../harness/billed.ts'
import { changeBilling, readBilling } from '../../harness/billing.ts'
import { killWhen } from '../../harness/billing-child.ts'
import { file } from '../../harness/per-file.ts'
import { until } from '../../harness/until.ts'

const LEASE_MS = 300_000
const UNKNOWN_MS = 120_000
const STEPS = [
  ['create', 'POST /v1/invoices'],
  ['lines', '/add_lines'],
  ['finalize', '/finalize'],
  ['pay', '/pay'],
] as const

async function playKill(
  t: Test,
  [step, on]: (typeof STEPS)[number],
  isDone: boolean,
): Promise<void> {
  const { api, peer, settle } = await startBilledApi(file)
  const sent = { key: api.tenant.keys.admin, body: { card: 'visa' } }
  await api.call('POST', '/v1/simulate/payment_methods', sent)
  const asked = { plan: 'starter', interval: 'month', currency: 'USD' }
  const { status, text } = await changeBilling(api, 'POST subscription', asked)
  t.equal(status, 201, text)
  const [{ id }] = (await readBilling(api, 'invoices')).data
  peer.faults.order(isDone ? { kind: 'slow', on, delay_ms: 1000 } : { kind: 'hang', on })
  const calls = peer.calls.length
  const isKilled = await killWhen(
    api,
    { jobs: ['billing_collect'], processorUrl: peer.url },
    // The processor took the request, and with it the fault.
    async () => peer.faults.list().length === 0,
  )
  t.ok(isKilled, 'killed while the outcome of ' + step + ' is unknown')
  const key = id + '-' + (step === 'pay' ? 'pay-1' : step)
  const isSeen = () => peer.calls.slice(calls).some((call) => call.key === key)
  if (isDone) await until(isSeen)
  peer.faults.clear()
  api.clock.nowMs += LEASE_MS
  for (let tries = 0; tries < 6; tries++) {
    await settle()
    api.clock.nowMs += UNKNOWN_MS
  }
  t.match(await readBilling(api, 'invoices/' + id), { status: 'paid', attempts: 0 })
  t.match(await readBilling(api, 'subscription'), { status: 'active', overdue_since: null })
  const theirs = peer.store.all('invoice').filter(({ metadata }) => metadata['svc_invoice'] === id)
  t.equal(theirs.length, 1, 'one invoice is there')
  const charges = peer.store.all('charge').filter(({ invoice }) => invoice === theirs[0]?.id)
  t.equal(charges.length, 1, 'one charge')
}

for (const row of STEPS) {
  test('killed before the processor did ' + row[0], (t) => playKill(t, row, false))
  test('killed after the processor did ' + row[0], (t) => playKill(t, row, true))
}
