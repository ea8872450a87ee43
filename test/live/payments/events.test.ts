// The twelve events of payments and settling, each by its real cause: a real engine decides, a
// passkey approves on the page, a real node moves or refuses the money. The data of each event
// equals the answer of GET at that moment.
import { type t as file, test } from 'tap'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { approveOn } from '../../../scripts/holder-peer/pages.ts'
import type { Passkey } from '../../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../../shared/clock.ts'
import { EVENT_TYPE_NAMES } from '../../../shared/event-catalog.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { Answer } from '../../harness/api.ts'
import { openPayments } from '../../harness/payments.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import { startSettlement } from '../../harness/settlement.ts'
import { until } from '../../harness/until.ts'

type Body = Answer['body']

const REFUSED_MS = 6000

async function play(t: typeof file): Promise<void> {
  const database = await openTestDatabase(t)
  const at = await startSettlement(t, undefined, database)
  const chains = { sandbox: at.config, live: null }
  const api = await openPayments(t, { chains }, database)
  const payee = await api.seedPayee()
  const seen = new Set<string>()

  const holder = async (cents: number) => {
    const { id, passkey } = await api.openAccount(0)
    const { address } = await api.get('payment_accounts/' + id)
    await at.sandbox.callToken('mint', [address, unitsOfCents(cents)])
    await at.mine(3)
    await at.round()
    return { id, passkey, address }
  }
  const pay = async (account: string, amount_cents: number): Promise<Body> => {
    const terms = { payment_account_id: account, settlement_account_id: payee, amount_cents }
    return (await api.post('payments', terms)).body
  }
  /** The engine learns of funds a moment after the settler. */
  const held = async (account: string, cents: number): Promise<Body> => {
    let payment: Body = {}
    await until(async () => {
      payment = await pay(account, cents)
      return payment.status !== 'risk_declined'
    })
    return payment
  }
  const approve = async ({ confirmation }: Body, passkey: Passkey): Promise<void> => {
    const page = await approveOn(confirmation.url, passkey)
    if (page.status !== 200) throw new Error(page.text)
  }
  const settle = async (): Promise<void> => {
    at.clock.nowMs = systemClock.nowMs()
    await at.settle()
  }
  /** The newest event of a resource has this type, and its data is what GET shows. */
  const same = async (type: string, kind: 'payment' | 'settlement_batch', id: string) => {
    const { data } = await api.get('events?limit=10&resource_id=' + id)
    const event = data.find((each: Body) => each.type === type)
    const path = kind === 'payment' ? 'payments/' : 'settlement_batches/'
    const sent = kind === 'payment' ? 'payment' : 'settlement_batch'
    t.same(event?.data, { [sent]: await api.get(path + id) }, type)
    t.equal(data.filter((each: Body) => each.type === type).length, 1, type + ' is told once')
    seen.add(type)
  }
  const batchOf = async ({ id }: Body): Promise<string> => {
    const payment = await api.get('payments/' + id)
    return payment.captures.at(-1).settlement_batch_id
  }

  const { id: account, passkey, address } = await holder(10_000)

  await t.test('decisions and approvals', async () => {
    const payment = await held(account, 1000)
    await same('payment.needs_confirmation', 'payment', payment.id)
    await approve(payment, passkey)
    await same('payment.confirmed', 'payment', payment.id)
    const declined = await pay(account, 10_000)
    t.equal(declined.status, 'risk_declined')
    await same('payment.risk_declined', 'payment', declined.id)
    await api.post('payments/' + payment.id + '/void')
    await same('payment.voided', 'payment', payment.id)
    const terms = { payment_account_id: account, settlement_account_id: payee, limit_cents: 500 }
    const mandate = await api.post('payment_mandates', { ...terms, expires_in: 86_400 })
    await approve(mandate.body, passkey)
    const covered = await pay(account, 500)
    t.equal(covered.status, 'authorized')
    await same('payment.authorized', 'payment', covered.id)
  })

  await t.test('a batch that lands, and a refund', async () => {
    const payment = await held(account, 2000)
    await approve(payment, passkey)
    await api.post('payments/' + payment.id + '/capture')
    await settle()
    await same('payment.captured', 'payment', payment.id)
    await same('payment.settlement_batch_completed', 'settlement_batch', await batchOf(payment))
    await api.post('payments/' + payment.id + '/refund', { amount_cents: 500 })
    const other = await held(account, 600)
    await approve(other, passkey)
    await api.post('payments/' + other.id + '/capture')
    await settle()
    await same('payment.refunded', 'payment', payment.id)
  })

  await t.test('a batch that the chain refuses, and the word of operators', async () => {
    const payment = await held(account, 700)
    await approve(payment, passkey)
    await at.sandbox.callToken('setBlocked', [address, true])
    await api.post('payments/' + payment.id + '/capture')
    at.clock.nowMs = systemClock.nowMs()
    await at.round()
    at.clock.nowMs += REFUSED_MS
    await at.round()
    await same('payment.failed', 'payment', payment.id)
    await same('payment.settlement_batch_failed', 'settlement_batch', await batchOf(payment))
    await at.sandbox.callToken('setBlocked', [address, false])
    await api.operate('POST', '/payments/' + payment.id + '/retry')
    await same('payment.settlement_retry_requested', 'payment', payment.id)
    const { tenantId } = api.tenant
    const run = { environment: 'sandbox' }
    const closed = await api.operate('POST', '/tenants/' + tenantId + '/settlement_runs', run)
    t.equal(closed.status, 200, closed.text)
    const batch = await batchOf(payment)
    await same('payment.settlement_manually_triggered', 'settlement_batch', batch)
    await settle()
    await same('payment.captured', 'payment', payment.id)
  })

  t.same([...seen].sort(), EVENT_TYPE_NAMES.filter((type) => type.startsWith('payment.')).sort())
}

test('each event of payments has its cause, and its data is that of GET', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  await play(t as typeof file)
})
