// Brings the sandbox's tenant to an enterprise plan by the calls that such a plan takes: the tenant
// requests a quote, an operator offers terms, the owner accepts them on the page, and an operator
// puts the plan into force. A start that was killed in between goes on with the quote it left.
import type { CallOptions } from '../../../client/index.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Quote } from '../../../shared/schemas/billing-quote.ts'
import type { AgreedTerms } from '../../../shared/schemas/billing-terms.ts'
import type { SandboxOwner } from '../sandbox-secrets.ts'
import { type Approving, approved, ownCodes } from './approved-call.ts'
import type { Callers } from './callers.ts'

const OFFER_S = 30 * 86_400
const MANY = { included: 100_000_000, per_thousand_cents: 0 }

/** Chosen: no price, so that a sandbox that stands for months owes nothing. */
const TERMS: AgreedTerms = {
  ...{ interval: 'month', currency: 'USD', base_cents: 0, net_days: 30 },
  meters: {
    ...{ authorizations: MANY, cards_issued: MANY, passes_issued: MANY },
    ...{ physical_cards: MANY, identity_checks: MANY },
  },
  ...{ realtime: true, rate_factor: 1, endpoints_max: 20 },
}

const REQUEST = {
  volumes: { authorizations: 1_000_000 },
  contact: { name: 'Sandbox owner', email: 'owner@sandbox.example' },
  note: 'The sandbox of npm start.',
}

const ENABLED = { enabled: true }

const OPEN: readonly Quote['status'][] = ['requested', 'offered', 'accepted']

export interface EnterpriseWorld {
  callers: Callers
  clock: Clock
  owner: SandboxOwner
  tenantId: string
  /** False until a start has made everything: the start before may have been killed half-way. */
  isFurnished: boolean
  /** Address of the pages of people. */
  authUrl: string
}

/**
 * Puts the plan into force with every add-on, as the sandbox had them before. Leaves a tenant alone
 * that has a subscription already. The owner approves with recovery codes, so that the present code
 * of the generator stays unused; `spent` is called with each.
 */
export async function makeEnterprise(
  world: EnterpriseWorld,
  spent: (code: string) => void,
): Promise<void> {
  const { tenant, signal } = world.callers
  const { status, plan } = await tenant.getBillingSubscription({}, { signal })
  const isHalfMade = plan?.key === 'enterprise' && !world.isFurnished
  if (status !== 'none' && !isHalfMade) return
  const { callers, authUrl, owner } = world
  const approve: Approving = { callers, authUrl, owner, codes: ownCodes(world, spent) }
  if (status === 'none') await provision(world, approve)
  for (const enable of [
    (options: CallOptions) => tenant.replaceBillingAddonsIdentityChecks(ENABLED, options),
    (options: CallOptions) => tenant.replaceBillingAddonsPhysicalCards(ENABLED, options),
  ])
    await approved(approve, (factor) => enable({ signal, ...factor }))
}

/** Goes on with the open quote that an earlier start left. */
async function provision(world: EnterpriseWorld, approve: Approving): Promise<void> {
  const { tenant, operator, signal } = world.callers
  const quote = await quoteOf(world)
  const operate = (path: string, body: object): Promise<unknown> =>
    operator({ method: 'POST', path: '/operator/v1' + path }, body, { signal })
  if (quote.status === 'requested') {
    const { now } = await tenant.getSandboxClock({}, { signal })
    await operate('/quotes/{id}/offer', { id: quote.id, ...TERMS, expires_at: now + OFFER_S })
  }
  const { id } = quote
  if (quote.status !== 'accepted')
    await approved(approve, (factor) => tenant.acceptBillingQuote({ id }, { signal, ...factor }))
  const named = { id: world.tenantId, environment: 'sandbox', quote_id: id }
  await operate('/tenants/{id}/enterprise_plan', named)
}

/** The open quote of an earlier start, or a new one. */
async function quoteOf({ callers }: EnterpriseWorld): Promise<Pick<Quote, 'id' | 'status'>> {
  const { tenant, signal } = callers
  const { data } = await tenant.listBillingQuotes({ limit: 1 }, { signal })
  const open = data.find(({ status }) => OPEN.includes(status))
  return open ?? tenant.createBillingQuote(REQUEST, { signal })
}
