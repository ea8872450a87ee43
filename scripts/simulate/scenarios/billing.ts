// A year of a tenant's billing, by its sandbox clock: trial, card, upgrade, downgrade, declines
// down to suspension, payment, an override, and the rest of the year at once.
import { valueAt } from '../api.ts'
import {
  answerOf,
  BilledTenant,
  DAY_MS,
  DECLINED_CARD,
  GOOD_CARD,
} from '../billing/billed-tenant.ts'
import { compareMonths, monthLines } from '../billing/compare.ts'
import type { Scenario } from '../scenario.ts'

const HOUR_MS = 3_600_000
const MONTHS = 13
/** Prices of the catalogue in cents: the base prices of a month, and one shipped card. */
const STARTER_CENTS = 4900
const GROWTH_CENTS = 49_900
const SHIPPED_CENTS = 600

export const BILLING: readonly Scenario[] = [
  {
    name: 'billing',
    story:
      'A tenant’s year: trial, card in the portal, upgrade, downgrade, declines down to suspension while a capture passes, payment, an override; each month costs what the processor charged.',
    async play(stage) {
      const tenant = await BilledTenant.open(stage)
      await playTrial(tenant)
      await playChanges(tenant)
      const unpaid = await longMonth(tenant)
      const held = await playDeclines(tenant, unpaid)
      await playSuspension(tenant, { unpaid, held })
      await playOverride(tenant, unpaid + 2)
      await tenant.moveTo(tenant.boundary(12) + HOUR_MS)
      for (let k = unpaid + 3; k <= 12; k++) await tenant.invoiceReaches(k, 'paid')
      stage.check('subscription', { status: 'active' }, await tenant.subscription())
      const { months, unknownCents } = await compareMonths(tenant, MONTHS)
      stage.check('charges without an invoice', 0, unknownCents)
      for (const { from, oursCents, theirsCents } of months)
        stage.check('difference of ' + from, 0, oursCents - theirsCents)
      for (const line of monthLines(months)) stage.say(line)
    },
  },
]

/** The trial begins on the first of a month and is paid on ten days later. */
async function playTrial(tenant: BilledTenant): Promise<void> {
  const { stage } = tenant
  const now = new Date(await tenant.nowMs())
  const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) + 9 * HOUR_MS
  await tenant.moveTo(first)
  const trial = await tenant.change('POST trial', { plan: 'starter' })
  stage.check('trial', { status: 'trialing', plan: { key: 'starter' } }, trial)
  const authorized = await tenant.message({ amount_cents: 1200 })
  stage.check('in the trial', { approved: true }, answerOf(authorized))
  await tenant.addCardInPortal(GOOD_CARD)
  await tenant.moveTo(first + 10 * DAY_MS)
  const asked = { plan: 'starter', interval: 'month', currency: 'USD' }
  const paid = await tenant.change('POST subscription', asked)
  stage.check('subscription', { status: 'active', plan: { key: 'starter' } }, paid)
  tenant.anchorMs = Number(valueAt(paid, 'current_period', 'from')) * 1000
  const invoice = await tenant.invoiceReaches(0, 'paid')
  stage.check('invoice 0', { total_cents: STARTER_CENTS }, invoice)
}

/** Usage, an upgrade now, a downgrade at the boundary. */
async function playChanges(tenant: BilledTenant): Promise<void> {
  const { stage } = tenant
  await tenant.change('PUT addons/physical_cards', { enabled: true })
  await tenant.shipCard()
  for (let n = 0; n < 3; n++) {
    const { answer } = await tenant.message({ amount_cents: 1000 + n })
    stage.check('a purchase', { approved: true }, answer)
  }
  await tenant.moveTo(tenant.anchorMs + 15 * DAY_MS)
  const up = await tenant.change('PATCH subscription', { plan: 'growth' })
  stage.check('upgrade', { plan: { key: 'growth' }, previous_plan: 'starter' }, up)
  const change = await tenant.until(
    async () => (await tenant.invoices()).find(({ kind }) => kind === 'change') ?? {},
    ({ status }) => status === 'paid',
  )
  stage.check('invoice of the upgrade', { status: 'paid' }, change)
  const total = Number(change['total_cents'])
  const isPart = total > 0 && total < GROWTH_CENTS - STARTER_CENTS
  stage.check('the upgrade costs a part of the month', true, isPart)
  await tenant.moveTo(tenant.anchorMs + 20 * DAY_MS)
  const down = await tenant.change('PATCH subscription', { plan: 'starter' })
  const pending = { plan: { key: 'growth' }, pending_change: { plan: 'starter' } }
  stage.check('downgrade', pending, down)
  await tenant.moveTo(tenant.boundary(1) + HOUR_MS)
  const invoice = await tenant.invoiceReaches(1, 'paid')
  stage.check('invoice 1', { total_cents: STARTER_CENTS + SHIPPED_CENTS }, invoice)
  stage.check('plan', { plan: { key: 'starter' } }, await tenant.subscription())
}

/**
 * The next boundary whose month is longer than the 28 days that lead to a suspension, so that the
 * month after it begins suspended. A shorter month before it is paid.
 */
async function longMonth(tenant: BilledTenant): Promise<number> {
  const isLong = (k: number): boolean => tenant.boundary(k + 1) - tenant.boundary(k) > 29 * DAY_MS
  if (isLong(2)) return 2
  await tenant.moveTo(tenant.boundary(2) + HOUR_MS)
  await tenant.invoiceReaches(2, 'paid')
  return 3
}

/**
 * The card declines at boundary `unpaid`. Returns a purchase that is held before the suspension:
 * the network's id of its transaction.
 */
async function playDeclines(tenant: BilledTenant, unpaid: number): Promise<string> {
  const { stage } = tenant
  await tenant.addCardInPortal(DECLINED_CARD)
  await tenant.moveTo(tenant.boundary(unpaid) + HOUR_MS)
  const overdue = await tenant.reaches('past_due')
  const since = Number(overdue['overdue_since']) * 1000
  await tenant.moveTo(since + 14 * DAY_MS + HOUR_MS)
  await tenant.reaches('restricted')
  // The keys learn of it by a notice, after the subscription.
  const asked = { cardholder_id: tenant.cardholderId, type: 'virtual', currency: 'USD' }
  const refused = await tenant.until(
    () => tenant.own.api.call('POST', '/v1/cards', asked),
    ({ status }) => status === 403,
  )
  const error = { code: valueAt(refused.document, 'error', 'code') }
  stage.check('a new card', { code: 'billing_restricted' }, error)
  await tenant.moveTo(since + 27 * DAY_MS)
  const held = await tenant.message({ amount_cents: 5000 })
  stage.check('restricted tenants still authorize', { approved: true }, answerOf(held))
  await tenant.moveTo(since + 28 * DAY_MS + HOUR_MS)
  await tenant.reaches('suspended')
  return String(valueAt(held, 'message', 'network_transaction_id'))
}

/** No new purchase; a held one is captured; the month that begins has no base price. */
async function playSuspension(
  tenant: BilledTenant,
  { unpaid, held }: { unpaid: number; held: string },
): Promise<void> {
  const { stage } = tenant
  const declined = await tenant.until(
    () => tenant.message({ amount_cents: 100 }),
    (message) => valueAt(message, 'answer', 'approved') === false,
  )
  stage.check('suspended', { approved: false }, answerOf(declined))
  const capture = await tenant.message({
    ...{ kind: 'capture', amount_cents: 5000, network_transaction_id: held },
  })
  const id = String(capture['transaction_id'])
  const captured = await tenant.own.api.transaction(id, ({ status }) => status === 'captured')
  stage.check('a capture while suspended', { status: 'captured' }, captured)
  await tenant.moveTo(tenant.boundary(unpaid + 1) + 2 * DAY_MS)
  await tenant.until(
    () => tenant.invoiceOf(unpaid + 1),
    ({ status }) => status !== undefined && status !== 'draft',
  )
  await tenant.addCardInPortal(GOOD_CARD)
  await tenant.reaches('active')
  await tenant.invoiceReaches(unpaid, 'paid')
  const rest = await tenant.until(
    async () => (await tenant.invoices()).filter(({ kind }) => kind === 'change').at(0) ?? {},
    ({ ordinal, status }) => ordinal === 1 && status === 'paid',
  )
  const isRest = Number(rest['total_cents']) < STARTER_CENTS && rest['ordinal'] === 1
  stage.check('the base price resumes with its rest', true, isRest)
}

/** An operator waives dunning for a while; the tenant pays afterwards. */
async function playOverride(tenant: BilledTenant, boundary: number): Promise<void> {
  const { stage, own } = tenant
  await tenant.addCardInPortal(DECLINED_CARD)
  await tenant.moveTo(tenant.boundary(boundary) + HOUR_MS)
  await tenant.reaches('past_due')
  const expiresAt = Math.floor((await tenant.nowMs()) / 1000) + 5 * 86_400
  await own.operate('PUT', '/tenants/' + own.id + '/dunning_override/sandbox', {
    ...{ state: 'active', reason: 'a transfer is on its way' },
    expires_at: expiresAt,
  })
  const overridden = { status: 'active', status_reason: 'overridden' }
  stage.check('override', overridden, await tenant.subscription())
  await tenant.moveTo(expiresAt * 1000 + HOUR_MS)
  await tenant.reaches('past_due')
  await tenant.addCardInPortal(GOOD_CARD)
  await tenant.reaches('active')
}
