// Brings the sandbox's tenant to an enterprise plan by the calls that such a plan takes: the tenant
// requests a quote, an operator offers terms, the owner accepts them on the page, and an operator
// puts the plan into force. A start that was killed in between goes on with the quote it left.
import { type CallOptions, SvcError } from '../../../client/index.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Quote } from '../../../shared/schemas/billing-quote.ts'
import type { AgreedTerms } from '../../../shared/schemas/billing-terms.ts'
import { approveChallenge, codesAround } from '../../approve-call.ts'
import type { SandboxOwner } from '../sandbox-secrets.ts'
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
  const codes = [
    ...world.owner.recovery_codes.toReversed(),
    ...codesAround(world.owner.totp_secret, world.clock.nowMs()),
  ]
  const approve = { world, codes, spent }
  if (status === 'none') await provision(approve)
  for (const enable of [
    (options: CallOptions) => tenant.replaceBillingAddonsIdentityChecks(ENABLED, options),
    (options: CallOptions) => tenant.replaceBillingAddonsPhysicalCards(ENABLED, options),
  ])
    await approved(approve, (factor) => enable({ signal, ...factor }))
}

/** Goes on with the open quote that an earlier start left. */
async function provision(approve: Approving): Promise<void> {
  const { world } = approve
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

interface Approving {
  world: EnterpriseWorld
  /** Codes that may count; each that was sent is taken out. */
  codes: string[]
  spent(code: string): void
}

/** A key alone may not make the call: the owner approves it on the page. */
async function approved(
  { world, codes, spent }: Approving,
  call: (factor: Pick<CallOptions, 'factor'>) => Promise<unknown>,
): Promise<void> {
  const { callers, owner, authUrl } = world
  try {
    await call({})
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'factor_required') throw error
    const { challenge_url: url, challenge } = error.detail as {
      challenge_url: string
      challenge: { id: string }
    }
    for (let code = codes.shift(); code !== undefined; code = codes.shift()) {
      spent(code)
      if (await approveChallenge(authUrl, url, { ...owner, code })) break
    }
    const { signal, tenant } = callers
    const { token } = await tenant.getFactorChallenge({ id: challenge.id }, { signal })
    await call({ factor: token ?? '' })
  }
}
