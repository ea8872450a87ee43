// An operator puts an enterprise plan into force: an accepted quote, or terms under a named
// contract. Spec 6.2, billing.enterprise_quote_provisioned.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { Subscription } from '../../../shared/schemas/billing-subscription.ts'
import type { AgreedTerms } from '../../../shared/schemas/billing-terms.ts'
import type { OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { tenantTime } from '../../platform/tenants/index.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { invoicedCurrency } from '../invoices/index.ts'
import { auditOnTenant } from '../operator-audit.ts'
import { findQuote, QUOTE_MOVES, quoteStatusAt, saveQuoteMove } from '../quotes/index.ts'
import {
  type BillingMoment,
  type BillingPort,
  lockBuyer,
  operatorMoment,
  requireBilled,
} from '../require-billing.ts'
import { enterpriseTerms } from '../wire-terms.ts'
import { beginPaid, lockRolled } from './apply-roll.ts'
import { changeTerms } from './change.ts'
import { endSubscription } from './end.ts'
import { recordSubscription } from './record.ts'
import { PLAN_CHANGED, SUBSCRIPTION_MOVES } from './states.ts'
import { insertSubscription, saveSubscription } from './store.ts'
import { isOver, type SubscriptionRow } from './view.ts'

/** The agreement: an accepted quote, or terms and the name of a contract. */
export type Agreement = { quoteId: string } | { contract: string; terms: AgreedTerms }

/**
 * The plan begins at once. Chosen: a subscription that is paid for keeps its periods, and pays the
 * difference of the base prices for the rest of the one that runs; what is unpaid stays owed.
 * Refuses with 409 another currency than that of the tenant's invoices.
 */
export async function provisionEnterprise(
  context: OperatorContext,
  { owner, agreement }: { owner: Owner; agreement: Agreement },
  port: BillingPort,
): Promise<Subscription> {
  requireBilled(port, owner.environment)
  return write(context, async (sql) => {
    await lockBuyer(sql, owner)
    const now = await tenantTime(sql, owner, context.now)
    const { terms, version } = await agreedIn(sql, { owner, agreement, now })
    const moment = operatorMoment(context, now)
    const held = await lockRolled(sql, owner, moment)
    const currency = await invoicedCurrency(sql, owner)
    if (currency !== null && currency !== terms.currency)
      throw new Refusal('invalid_state', { message: 'The invoices are in ' + currency + '.' })
    const made = { agreed: terms, version, held, moment }
    const row = await putIntoForce(sql, owner, made)
    const events: EventType[] = [SUBSCRIPTION_MOVES.provision.event]
    if (held === null || held.terms.plan !== 'enterprise') events.push(PLAN_CHANGED)
    const shown = await recordSubscription(sql, row, events, now)
    await auditOnTenant(sql, context, owner, row.id)
    return shown
  })
}

async function agreedIn(
  sql: TxSql,
  { owner, agreement, now }: { owner: Owner; agreement: Agreement; now: EpochMs },
): Promise<{ terms: AgreedTerms; version: string }> {
  if ('contract' in agreement) return { terms: agreement.terms, version: agreement.contract }
  const quote = await findQuote(sql, owner, agreement.quoteId)
  if (quote === null) throw new Refusal('resource_missing')
  requireState(quoteStatusAt(quote, now), QUOTE_MOVES.provision.from)
  if (quote.offer === null) throw new Refusal('invalid_state')
  await saveQuoteMove(sql, quote, { status: QUOTE_MOVES.provision.to })
  return { terms: quote.offer, version: quote.id }
}

interface Provisioned {
  agreed: AgreedTerms
  version: string
  held: SubscriptionRow | null
  moment: BillingMoment
}

/** Continues a trial or a subscription that is paid for; otherwise makes one. */
async function putIntoForce(
  sql: TxSql,
  owner: Owner,
  { agreed, version, held, moment }: Provisioned,
): Promise<SubscriptionRow> {
  const terms = enterpriseTerms(agreed, version)
  const { interval, currency, net_days: netDays } = agreed
  const paid = { terms, interval, currency, netDays }
  const { now } = moment
  if (held === null || isOver(held, now)) {
    if (held !== null) await endSubscription(sql, held, moment)
    const made = await insertSubscription(sql, owner, {
      ...{ id: moment.newId('sub'), ...paid, activeFrom: now, rollsAt: null, createdAt: now },
      ...{ trialStartedAt: null, trialEndsAt: null },
    })
    return beginPaid(sql, made, { change: {}, moment })
  }
  const uncanceled = { cancelAtPeriodEnd: false, endsAt: null }
  if (held.activeFrom !== null && held.activeFrom <= now) {
    const kept = await saveSubscription(sql, held, uncanceled)
    const change = { terms, interval, netDays }
    return (await changeTerms(sql, kept, { change, at: now, moment })).row
  }
  const previousPlan = held.terms.plan === 'enterprise' ? held.previousPlan : held.terms.plan
  return beginPaid(sql, held, { change: { ...paid, ...uncanceled, previousPlan }, moment })
}
