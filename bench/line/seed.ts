// Tenants and cards for the authorization line, as rows: by the ten thousand in one statement, so a
// million exist within a minute. Only the columns that the engine gets are real; the sealed numbers
// cannot be opened.
import type { Sql } from '../../api/database/pool.ts'
import { type TxSql, tx } from '../../api/database/transaction.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { API_VERSION } from '../../shared/event-catalog.ts'
import { newId, randomSecret } from '../../shared/id.ts'
import { type Derivation, type MasterKeys, SEAL_CONTEXTS, seal } from '../../shared/keyring.ts'
import { luhnDigit } from '../../shared/pan.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import {
  type ControlConfig,
  type LimitConfig,
  openControl,
} from '../../shared/wire/config-records.ts'

const CHUNK = 10_000
export const [EXP_MONTH, EXP_YEAR] = [12, 2034]
export const CURRENCY = 'USD'
/** A limit that nobody ever reaches. */
const WIDE_CENTS = 900_000_000_000
const PAN_PREFIX = '999999'
/** The intervals of limits, one for each control in order. */
const INTERVALS = ['daily', 'monthly', 'weekly', 'yearly', 'all_time'] as const

export interface TenantPlan {
  /** Where it is asked before each approval; null: it is not asked. */
  url: string | null
}

export interface SeedPlan {
  tenants: readonly TenantPlan[]
  cards: number
  controlsEach: number
  now: number
}

export interface Seeded {
  network: { key_id: string; secret: string }
  /** Every card of a tenant, by its place in the plan, as a message names it. */
  cardsOf(tenant: number, by: 'token' | 'pan'): NetworkMessage['card'][]
}

/** Fills a migrated database. Cards go to the tenants in turn; each has a cardholder of its own. */
export async function seedLine(sql: Sql, keys: MasterKeys, plan: SeedPlan): Promise<Seeded> {
  const network = { key_id: newId('nkey', plan.now), secret: 'nsec_' + randomSecret(24) }
  const derivation = await tx(sql, async (inner) => {
    const sealed = seal(keys, SEAL_CONTEXTS.networkSecret, network.secret)
    await inner`
      insert into network_keys (id, network, environment, sealed_secret, created_at)
      values (${network.key_id}, 'simnet', 'sandbox', ${sealed}, ${plan.now})`
    return ensureDerivationRoot(inner, keys)
  })
  const programs: Program[] = []
  for (const { url } of plan.tenants) {
    programs.push(await tx(sql, (inner) => seedProgram(inner, keys, { url, now: plan.now })))
  }
  for (let from = 0; from < plan.cards; from += CHUNK) {
    const to = Math.min(from + CHUNK, plan.cards)
    await tx(sql, (inner) => seedChunk(inner, { derivation, programs, plan, from, to }))
  }
  await sql`analyze`.simple()
  return {
    network,
    cardsOf(tenant, by) {
      const own: NetworkMessage['card'][] = []
      for (let at = tenant; at < plan.cards; at += plan.tenants.length) {
        own.push(by === 'token' ? { token: tokenOf(at) } : printedCard(derivation, at))
      }
      return own
    },
  }
}

interface Program {
  tenantId: string
  programId: string
}

async function seedProgram(
  sql: TxSql,
  keys: MasterKeys,
  { url, now }: { url: string | null; now: number },
): Promise<Program> {
  const [tenantId, programId, endpointId] = [
    newId('ten', now),
    newId('prog', now),
    newId('we', now),
  ]
  await sql`
    insert into tenants (id, name, api_version, created_at, realtime_entitled)
    values (${tenantId}, 'Bench', ${API_VERSION}, ${now}, ${url !== null})`
  await sql`
    insert into tenant_sequences (tenant_id, environment) values (${tenantId}, 'sandbox')
    on conflict do nothing`
  if (url !== null) {
    const secret = seal(keys, SEAL_CONTEXTS.webhookSecret, 'whsec_' + randomSecret(24))
    await sql`
      insert into webhook_endpoints (id, tenant_id, environment, url, event_types, is_realtime, created_at)
      values (${endpointId}, ${tenantId}, 'sandbox', ${url}, '{}', true, ${now})`
    await sql`
      insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
      values (${newId('whs', now)}, ${endpointId}, 0, ${secret}, ${now})`
  }
  await sql`
    insert into programs (id, tenant_id, environment, name, status, realtime, endpoint_id, stand_in,
      time_zone, created_at)
    values (${programId}, ${tenantId}, 'sandbox', 'Bench', 'active', ${url !== null},
      ${url === null ? null : endpointId}, 'controls', 'UTC', ${now})`
  return { tenantId, programId }
}

interface Chunk {
  derivation: Derivation
  programs: readonly Program[]
  plan: SeedPlan
  from: number
  to: number
}

async function seedChunk(
  sql: TxSql,
  { derivation, programs, plan, from, to }: Chunk,
): Promise<void> {
  // The first api copies everything to the engine anyway, so the rows need no change records.
  await sql`set local session_replication_role = replica`
  const places = Array.from({ length: to - from }, (_, at) => from + at)
  const owners = places.map((at) => programs[at % programs.length] as Program)
  const tenantIds = owners.map(({ tenantId }) => tenantId)
  const programIds = owners.map(({ programId }) => programId)
  const pans = places.map(panOf)
  const fingerprints = pans.map((pan) => derivation.fingerprint(pan))
  const verifiers = pans.map((pan, at) => {
    const cvc = derivation.cvc(pan, EXP_MONTH, EXP_YEAR)
    return derivation.cvcVerifier(fingerprints[at] ?? '', cvc)
  })
  const cardIds = places.map((at) => idOf('card', at))
  const holderIds = places.map((at) => idOf('ch', at))
  await sql`
    insert into cardholders (id, tenant_id, environment, program_id, name, status, created_at)
    select id, tenant_id, 'sandbox', program_id, 'Bench', 'active', ${plan.now}
    from unnest(${holderIds}::text[], ${tenantIds}::text[], ${programIds}::text[])
      as t (id, tenant_id, program_id)`
  await sql`
    insert into cards (id, tenant_id, environment, program_id, cardholder_id, type, status, token,
      fingerprint, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at)
    select id, tenant_id, 'sandbox', program_id, holder_id, 'virtual', 'active', token, fingerprint,
      'sealed', right(pan, 4), ${EXP_MONTH}, ${EXP_YEAR}, verifier, ${CURRENCY}, ${plan.now}
    from unnest(${cardIds}::text[], ${tenantIds}::text[], ${programIds}::text[], ${holderIds}::text[],
      ${places.map(tokenOf)}::text[], ${fingerprints}::text[], ${pans}::text[], ${verifiers}::text[])
      as t (id, tenant_id, program_id, holder_id, token, fingerprint, pan, verifier)`
  if (plan.controlsEach === 0) return
  const controls = JSON.stringify(controlsOf(plan.controlsEach))
  await sql`
    insert into controls (subject_id, scope, tenant_id, environment, controls)
    select id, 'card', tenant_id, 'sandbox', ${controls}::text::jsonb
    from unnest(${cardIds}::text[], ${tenantIds}::text[]) as t (id, tenant_id)`
}

/** Each with a limit and two lists, all of which let an everyday purchase pass. */
export function controlsOf(count: number): ControlConfig[] {
  return Array.from({ length: count }, (_, at) => {
    const interval = INTERVALS[at % INTERVALS.length] ?? 'daily'
    const limit: LimitConfig = {
      id: 'lim_' + at,
      interval,
      amount_cents: WIDE_CENTS as LimitConfig['amount_cents'],
      count: null,
      currency: CURRENCY,
      time_zone: 'UTC',
      rolling_seconds: null,
      filter: null,
    }
    return {
      ...openControl('ctl_' + at),
      mccs: { mode: 'block', values: ['7995', '6051', '4829'] },
      countries: { mode: 'block', values: ['KP', 'IR'] },
      limits: [limit],
    }
  })
}

/** The card with this number as it is printed. */
export function printedCard(derivation: Derivation, at: number): NetworkMessage['card'] {
  const pan = panOf(at)
  const cvc = derivation.cvc(pan, EXP_MONTH, EXP_YEAR)
  return { pan, exp_month: EXP_MONTH, exp_year: EXP_YEAR, cvc }
}

/** The number of the card in this place. */
export function panOf(at: number): string {
  const body = PAN_PREFIX + String(at).padStart(9, '0')
  return body + luhnDigit(body)
}

/** The token of the card in this place. */
export function tokenOf(at: number): string {
  return 'ctok_' + String(at).padStart(24, '0')
}

/** An id of ours with a place instead of a moment. */
export function idOf(prefix: string, at: number): string {
  return prefix + '_' + String(at).padStart(26, '0')
}
