// Plays a person in the processor's portal who adds a card, in the sandbox. The call of the
// processor goes out before the transaction.
import type { PaymentMethod } from '../../../shared/schemas/billing-payment-method.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { lockTenant } from '../../platform/tenants/index.ts'
import { isAnswered, write } from '../../write/write.ts'
import { ensureCustomer } from '../customers/index.ts'
import { callKey, type Processor, type ProcessorPort } from '../processor/index.ts'
import { type BillingPort, requireBilled } from '../require-billing.ts'
import { findMethodOf } from './store.ts'
import { type FetchedMethods, fetchMethods, saveFetched } from './sync.ts'
import { methodView } from './view.ts'

/** Test cards of the processor, by the way they behave when they are charged. */
export const SIMULATED_CARDS = {
  visa: 'pm_card_visa',
  mastercard: 'pm_card_mastercard',
  declined: 'pm_card_chargeCustomerFail',
  authentication_required: 'pm_card_authenticationRequired',
} as const

export type SimulatedCard = keyof typeof SIMULATED_CARDS

export async function simulateMethod(
  context: Context,
  card: SimulatedCard,
  { billed, processors }: BillingPort & ProcessorPort,
): Promise<PaymentMethod> {
  const { sql, principal, now } = context
  const { environment } = principal
  requireBilled({ billed }, environment)
  const processor = processors[environment]
  if (processor === null) throw new Refusal('feature_not_enabled')
  const isRepeat = await isAnswered(sql, context)
  const added = isRepeat ? null : await addCard(context, processor, SIMULATED_CARDS[card])
  return write(context, async (inner) => {
    if (added === null) throw new Refusal('dependency_unavailable')
    await lockTenant(inner, principal.tenantId)
    const newId = (prefix: string): string => context.newId(prefix)
    await saveFetched(inner, added.fetched, { owner: principal, now, newId })
    const row = await findMethodOf(inner, environment, added.id)
    // A person removed the card at the processor meanwhile.
    if (row === null) throw new Refusal('invalid_state')
    return methodView(row)
  })
}

/** Null where the processor does not answer; a repeat of the call adds no second card. */
async function addCard(
  context: Context,
  processor: Processor,
  token: string,
): Promise<{ id: string; fetched: FetchedMethods } | null> {
  const customer = await ensureCustomer(context.sql, processor, {
    ...{ owner: context.principal, now: context.now },
    newId: (prefix) => context.newId(prefix),
  })
  if (!customer.ok) return null
  const { processorId } = customer.value
  const key = callKey(context, 'sim')
  const attached = await processor.attachCard({ token, customer: processorId, key })
  if (!attached.ok) return null
  const fetched = await fetchMethods(processor, processorId)
  return fetched.ok ? { id: attached.value.id, fetched: fetched.value } : null
}
