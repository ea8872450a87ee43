// Fills the sandbox through the API, as a tenant fills its own: first the contents of sandbox.json,
// and once the service is ready the cards that only the simulator uses.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import { type SandboxSecrets, writeSandboxSecrets } from '../sandbox-secrets.ts'
import { type Callers, isMissing } from './callers.ts'
import { authenticate } from './make-card.ts'
import { makeCards, type Seeding } from './make-cards.ts'
import { makeEndpoint } from './make-endpoint.ts'
import { makePrograms } from './make-programs.ts'
import { LISTED_CARDS, SANDBOX_CARDS } from './sandbox-plan.ts'

/** The override of the rate limits while many cards are made; it ends by itself. */
const LIFTED = { factor: 10, seconds: 300 }
/**
 * A result of 3DS that counts for less than this is replaced, so that the simulator finds one
 * whenever it plays.
 */
const AUTHENTICATED_MS_MIN = 45 * 86_400_000

/** The programs, the endpoint and the cards of sandbox.json. */
export async function seedListed(seeding: Seeding, known: SandboxSecrets): Promise<SandboxSecrets> {
  const { callers, dataDir } = seeding
  const kept = await withoutWiped(callers, known)
  const programs = await makePrograms(callers, kept.programs, ['plain', 'realtime'])
  const endpoint = await makeEndpoint(callers, { ...kept, programs })
  const furnished = Object.keys(SANDBOX_CARDS).every((purpose) => isFinished(kept, purpose))
  const secrets = { ...kept, programs, realtime_endpoint: endpoint, furnished }
  writeSandboxSecrets(dataDir, secrets)
  return makeCards(seeding, secrets, { purposes: Object.keys(LISTED_CARDS) })
}

/** Everything else. The simulator waits for it. */
export async function furnish(seeding: Seeding, secrets: SandboxSecrets): Promise<SandboxSecrets> {
  const { callers, dataDir } = seeding
  if (secrets.furnished === true) return renewAuthentications(seeding, secrets)
  const restore = await liftRateLimits(callers, secrets.tenant_id)
  try {
    const whole = await makeCards(seeding, secrets, { purposes: Object.keys(SANDBOX_CARDS) })
    const furnished = { ...whole, furnished: true }
    writeSandboxSecrets(dataDir, furnished)
    return furnished
  } finally {
    await restore()
  }
}

/**
 * A sandbox that was wiped has none of it any more, and neither has a database that was put in the
 * place of another.
 */
async function withoutWiped(
  { tenant, signal }: Callers,
  known: SandboxSecrets,
): Promise<SandboxSecrets> {
  const id = known.programs['plain']
  if (id !== undefined && !(await isMissing(tenant.getProgram({ id }, { signal })))) return known
  const { realtime_endpoint: _gone, ...kept } = known
  return { ...kept, programs: {}, cards: {} }
}

function isFinished({ cards }: SandboxSecrets, purpose: string): boolean {
  return cards[purpose] !== undefined && cards[purpose].unfinished !== true
}

/** Leaves an override that an operator granted alone. Returns a function that removes ours. */
async function liftRateLimits(
  { operator, signal }: Callers,
  id: string,
): Promise<() => Promise<void>> {
  const tenant = await operator(
    { method: 'GET', path: '/operator/v1/tenants/{id}' },
    { id },
    { signal },
  )
  const { rate_limit_overrides: overrides } = tenant as Pick<Tenant, 'rate_limit_overrides'>
  if (overrides.some(({ factor }) => factor !== LIFTED.factor)) return async () => {}
  const path = '/operator/v1/tenants/{id}/rate_limit'
  await operator({ method: 'PUT', path }, { id, ...LIFTED }, { signal })
  return async () => {
    await operator({ method: 'DELETE', path }, { id }, { signal })
  }
}

async function renewAuthentications(
  seeding: Seeding,
  secrets: SandboxSecrets,
): Promise<SandboxSecrets> {
  const lasting = await lastingAuthentications(seeding, secrets.tenant_id, seeding.clock.nowMs())
  const cards = { ...secrets.cards }
  for (const [purpose, { authentication }] of Object.entries(SANDBOX_CARDS)) {
    const card = cards[purpose]
    if (authentication === undefined || card === undefined) continue
    if (lasting.has(card.three_ds_id ?? '')) continue
    const id = await authenticate(seeding.callers, card.id, authentication)
    cards[purpose] = { ...card, three_ds_id: id }
  }
  const renewed = { ...secrets, cards }
  writeSandboxSecrets(seeding.dataDir, renewed)
  return renewed
}

/** Ids of 3DS transactions whose results still count for a while, by the tenant's clock. */
async function lastingAuthentications(
  { sql }: Seeding,
  tenantId: string,
  now: EpochMs,
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`
    select three_ds_id as id from authentications
    where tenant_id = ${tenantId} and environment = 'sandbox'
      and expires_at > ${now + AUTHENTICATED_MS_MIN} + clock_offset(${tenantId}, 'sandbox')`
  return new Set(rows.map(({ id }) => id))
}
