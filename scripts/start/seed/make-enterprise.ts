// Brings the sandbox's tenant to an enterprise plan by the calls that such a plan takes: the tenant
// requests a quote, an operator offers terms, the owner accepts them on the page, and an operator
// puts the plan into force. A start that was killed in between goes on with the quote it left.
import { SvcError } from '../../../client/index.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Quote } from '../../../shared/schemas/billing-quote.ts'
import type { AgreedTerms } from '../../../shared/schemas/billing-terms.ts'
import { approveChallenge, codesAround } from '../../approve-call.ts'
import type { Callers } from './callers.ts'
import type { SandboxOwner } from './seed-owner.ts'

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

const OPEN: readonly Quote['status'][] = ['requested', 'offered', 'accepted']

export interface EnterpriseWorld {
  callers: Callers
  clock: Clock
  owner: SandboxOwner
  tenantId: string
  /** Address of the pages of people. */
  authUrl: string
}

/** Leaves a tenant alone that has a subscription already. */
export async function makeEnterprise(world: EnterpriseWorld): Promise<void> {
  const { tenant, operator, signal } = world.callers
  const { status } = await tenant.getBillingSubscription({}, { signal })
  if (status !== 'none') return
  const quote = await quoteOf(world)
  const operate = (path: string, body: object): Promise<unknown> =>
    operator({ method: 'POST', path: '/operator/v1' + path }, body, { signal })
  if (quote.status === 'requested') {
    const { now } = await tenant.getSandboxClock({}, { signal })
    await operate('/quotes/{id}/offer', { id: quote.id, ...TERMS, expires_at: now + OFFER_S })
  }
  if (quote.status !== 'accepted') await acceptByOwner(world, quote.id)
  const named = { id: world.tenantId, environment: 'sandbox', quote_id: quote.id }
  await operate('/tenants/{id}/enterprise_plan', named)
}

/** The open quote of an earlier start, or a new one. */
async function quoteOf({ callers }: EnterpriseWorld): Promise<Pick<Quote, 'id' | 'status'>> {
  const { tenant, signal } = callers
  const { data } = await tenant.listBillingQuotes({ limit: 1 }, { signal })
  const open = data.find(({ status }) => OPEN.includes(status))
  return open ?? tenant.createBillingQuote(REQUEST, { signal })
}

/** A key alone may not accept: the owner approves the call on the page. */
async function acceptByOwner(world: EnterpriseWorld, id: string): Promise<void> {
  const { callers, clock, owner, authUrl } = world
  const { tenant, signal } = callers
  try {
    await tenant.acceptBillingQuote({ id }, { signal })
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'factor_required') throw error
    const { challenge_url: url, challenge } = error.detail as {
      challenge_url: string
      challenge: { id: string }
    }
    for (const code of codesAround(owner.totp_secret, clock.nowMs()))
      if (await approveChallenge(authUrl, url, { ...owner, code })) break
    const { token } = await tenant.getFactorChallenge({ id: challenge.id }, { signal })
    await tenant.acceptBillingQuote({ id }, { signal, factor: token ?? '' })
  }
}
