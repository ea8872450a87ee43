// A tenant of tests that owes an invoice, and the processor beside it.
import type { Answer, TestApi } from './api.ts'
import { type BilledApi, startBilledApi } from './billed.ts'
import { provision, readBilling } from './billing.ts'
import type { Teardown } from './postgres.ts'

/** A tenant with a contract and its first invoice, beside the processor. */
export interface BillingStory extends BilledApi {
  invoiceId: string
  invoice(): Promise<Answer['body']>
  subscription(): Promise<Answer['body']>
  /** Kinds of the notices, newest first. */
  notices(): Promise<string[]>
  /** Charges that the processor made for the invoice. */
  charges(): number
  addCard(card: string): Promise<void>
}

/** `card` null: the tenant has none. `isSent`: its invoice is sent, and no card is charged. */
export async function beginBilling(
  suite: Teardown,
  { card, isSent = false }: { card: string | null; isSent?: boolean },
): Promise<BillingStory> {
  const billed = await startBilledApi(suite)
  const { api, peer } = billed
  const addCard = async (name: string): Promise<void> => {
    const sent = { key: api.tenant.keys.admin, body: { card: name } }
    const { status, text } = await api.call('POST', '/v1/simulate/payment_methods', sent)
    if (status !== 201) throw new Error(text)
  }
  if (card !== null) await addCard(card)
  const { id } = await provision(api)
  if (!isSent) await chargeAutomatically(api, id)
  const invoiceId = (await readBilling(api, 'invoices')).data[0].id
  return {
    ...{ ...billed, invoiceId, addCard },
    invoice: () => readBilling(api, 'invoices/' + invoiceId),
    subscription: () => readBilling(api, 'subscription'),
    notices: async () =>
      (await readBilling(api, 'notices?limit=100')).data.map((row: Answer['body']) => row.kind),
    charges: () => {
      const made = peer.store.all('invoice').filter(({ metadata }) => isOf(metadata, invoiceId))
      const ids = made.map(({ id }) => id)
      return peer.store.all('charge').filter(({ invoice }) => ids.includes(invoice)).length
    },
  }
}

/** True for metadata of the processor's invoice that names ours. */
export function isOf(metadata: { [name: string]: string }, invoiceId: string): boolean {
  return metadata['svc_invoice'] === invoiceId
}

/** A contract sends its invoices; a plan that a tenant chose charges the card at once. */
async function chargeAutomatically({ sql, clock }: TestApi, subscriptionId: string): Promise<void> {
  await sql`update billing_subscriptions set net_days = null where id = ${subscriptionId}`
  await sql`
    update billing_invoices set due_at = null, next_attempt_at = ${clock.nowMs}
    where subscription_id = ${subscriptionId} and status = 'open'`
}
