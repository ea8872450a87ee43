// A subscription of tests whose months pass by the sandbox's clock, with every job of billing, and
// whose card is declined from the first month on.
import { closeJob } from '../../api/billing/closing/index.ts'
import { meterJob } from '../../api/billing/metering/index.ts'
import { entitlementsJob } from '../../api/billing/subscriptions/index.ts'
import type { Answer, TestApi } from './api.ts'
import { type BilledApi, startBilledApi } from './billed.ts'
import { BILLED, catchUp, changeBilling, moveSandbox, readBilling } from './billing.ts'
import { runJob } from './jobs.ts'
import { seedOperator } from './operator.ts'
import type { Teardown } from './postgres.ts'

export interface SubscribedApi extends BilledApi {
  /** Moves the clock and runs every job of billing until none has work. */
  at(moment: string | number): Promise<void>
  addCard(card: string): Promise<void>
  /** Newest first. */
  invoices(): Promise<Answer['body'][]>
}

/** A subscription to the plan starter since this moment; its first invoice is paid. */
export async function beginSubscribed(suite: Teardown, since: string): Promise<SubscribedApi> {
  const billed = await startBilledApi(suite)
  const { api, settle } = billed
  await moveSandbox(api, since)
  const addCard = async (card: string): Promise<void> => {
    const sent = { key: api.tenant.keys.admin, body: { card } }
    const { status, text } = await api.call('POST', '/v1/simulate/payment_methods', sent)
    if (status !== 201) throw new Error(text)
  }
  await addCard('visa')
  const asked = { plan: 'starter', interval: 'month', currency: 'USD' }
  const { status, text } = await changeBilling(api, 'POST subscription', asked)
  if (status !== 201) throw new Error(text)
  await settle()
  await addCard('declined')
  const at = async (moment: string | number): Promise<void> => {
    await moveSandbox(api, moment)
    for (let round = 0; round < 3; round++) {
      await catchUp(api)
      for (const job of [closeJob, meterJob, closeJob, entitlementsJob(BILLED.billed)])
        await runJob(job, { sql: api.sql, now: api.clock.nowMs })
      await settle()
    }
  }
  const invoices = async (): Promise<Answer['body'][]> =>
    (await readBilling(api, 'invoices?limit=100')).data
  return { ...billed, at, addCard, invoices }
}

export interface GivenUpApi extends SubscribedApi {
  /** The invoice that was given up. */
  debt: Answer['body']
  /** The processor's invoice of it. */
  theirs(): ReturnType<typeof processorInvoice>
}

/**
 * A tenant whose invoice of April was given up in June, on the 9th; `at` moves its clock. The fault
 * is ordered before it is given up.
 */
export async function beginGivenUp(
  suite: Teardown,
  until: string,
  fault?: Parameters<BilledApi['peer']['faults']['order']>[0],
): Promise<GivenUpApi> {
  const months = await beginSubscribed(suite, '2027-03-10T12:00:00Z')
  const { api, at, invoices, peer } = months
  const key = await seedOperator(api.sql)
  const credit = { environment: 'sandbox', amount_cents: 1000, reason: 'Sorry' }
  const path = '/operator/v1/tenants/' + api.tenant.tenantId + '/billing_credits'
  await api.call('POST', path, { key, body: credit })
  await at('2027-04-10T12:00:01Z')
  if (fault !== undefined) peer.faults.order(fault)
  await at('2027-06-09T12:30:00Z')
  await at(until)
  const debt = (await invoices()).find(({ status }) => status === 'uncollectible')
  return { ...months, debt, theirs: () => processorInvoice(peer, debt.id) }
}

function processorInvoice({ store }: BilledApi['peer'], invoiceId: string) {
  return store.all('invoice').find(({ metadata }) => metadata['svc_invoice'] === invoiceId)
}

/** An operator sets the state of the tenant until a moment of its clock; null lifts it. */
export async function override(
  api: TestApi,
  until: string | null,
  state = 'suspended',
): Promise<void> {
  const path = '/operator/v1/tenants/' + api.tenant.tenantId + '/dunning_override/sandbox'
  const key = await seedOperator(api.sql)
  const body = { state, reason: 'Fraud review', expires_at: Date.parse(until ?? '') / 1000 }
  const answer =
    until === null
      ? await api.call('DELETE', path, { key })
      : await api.call('PUT', path, { key, body })
  if (answer.status !== 200) throw new Error(answer.text)
}
