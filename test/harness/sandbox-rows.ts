// A sandbox written as rows, without a service: the beginning of tests of processes. It has a few
// cards of a plain and of a real-time program, one with limits, and the endpoint of a tenant that
// the test plays.

import type { Sql } from '../../api/database/pool.ts'
import { type TxSql, tx } from '../../api/database/transaction.ts'
import { createControl, newTerms } from '../../api/issuing/controls/index.ts'
import { newSandboxSecrets } from '../../scripts/start/new-secrets.ts'
import type {
  SandboxCard,
  SandboxEndpoint,
  SandboxSecrets,
} from '../../scripts/start/sandbox-secrets.ts'
import { bootstrapSandbox } from '../../scripts/start/seed/bootstrap.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { demoTenantUrl } from '../../scripts/start/seed/make-endpoint.ts'
import { type EpochMs, isoInstant } from '../../shared/clock.ts'
import { newId, randomSecret } from '../../shared/id.ts'
import { type MasterKeys, SEAL_CONTEXTS, seal } from '../../shared/keyring.ts'
import { newPan } from '../../shared/pan.ts'
import { OPEN_TERMS } from '../../shared/schemas/spending-control.ts'
import { ownControlId } from '../../shared/wire/config-records.ts'

const CARDS = 32
const LIMITED = {
  limits: [
    { interval: 'per_authorization' as const, amount_cents: 20_000 },
    { interval: 'daily' as const, amount_cents: 50_000 },
  ],
}

export type SandboxRows = SandboxSecrets & { realtime_endpoint: SandboxEndpoint }

/** Writes all rows in one transaction, and returns their names as sandbox-secrets.json has them. */
export function insertSandbox(
  sql: Sql,
  masterKeys: MasterKeys,
  { now, tenantPort }: { now: EpochMs; tenantPort: number },
): Promise<SandboxRows> {
  // No test signs in here, and hashing a password takes long.
  const { owner: _nobody, ...secrets } = newSandboxSecrets(now, tenantPort)
  return tx(sql, async (inner) => {
    await bootstrapSandbox({ sql: inner, masterKeys, secrets, now })
    const rows: Rows = { sql: inner, masterKeys, tenantId: secrets.tenant_id, now }
    const endpoint = await insertEndpoint(rows, demoTenantUrl(tenantPort))
    const programs = {
      plain: await insertProgram(rows, { realtime: false, endpointId: endpoint.id }),
      realtime: await insertProgram(rows, { realtime: true, endpointId: endpoint.id }),
    }
    const cards: { [purpose: string]: SandboxCard } = {}
    for (let number = 1; number <= CARDS; number++) {
      cards['load_plain_' + number] = await insertCard(rows, programs.plain)
      cards['load_realtime_' + number] = await insertCard(rows, programs.realtime)
    }
    cards['limited_plain'] = await insertLimitedCard(rows, programs.plain)
    return { ...secrets, realtime_endpoint: endpoint, programs, cards }
  })
}

interface Rows {
  sql: TxSql
  masterKeys: MasterKeys
  tenantId: string
  now: EpochMs
}

async function insertEndpoint(
  { sql, masterKeys, tenantId, now }: Rows,
  url: string,
): Promise<SandboxEndpoint> {
  const id = newId('we', now)
  const secret = 'whsec_' + Buffer.from(randomSecret(32)).toString('base64')
  await sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, is_realtime, created_at)
    values (${id}, ${tenantId}, 'sandbox', ${url}, true, ${now})`
  const sealed = seal(masterKeys, SEAL_CONTEXTS.webhookSecret, secret)
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${newId('wsec', now)}, ${id}, 0, ${sealed}, ${now})`
  return { id, secret }
}

async function insertProgram(
  { sql, tenantId, now }: Rows,
  { realtime, endpointId }: { realtime: boolean; endpointId: string },
): Promise<string> {
  const id = newId('prog', now)
  await sql`
    insert into programs (id, tenant_id, environment, name, status, realtime, endpoint_id, created_at)
    values (${id}, ${tenantId}, 'sandbox', 'Program', 'active', ${realtime}, ${endpointId}, ${now})`
  return id
}

/** Inserts a card with its own cardholder. */
async function insertCard(rows: Rows, programId: string): Promise<SandboxCard> {
  const { sql, masterKeys, tenantId, now } = rows
  const derivation = await ensureDerivationRoot(sql, masterKeys)
  const today = isoInstant(now)
  const card: SandboxCard = {
    id: newId('card', now),
    token: 'ctok_' + randomSecret(18),
    pan: newPan(),
    exp_month: Number(today.slice(5, 7)),
    exp_year: Number(today.slice(0, 4)) + 4,
    cvc: '',
    cardholder_id: newId('ch', now),
    currency: 'USD',
  }
  card.cvc = derivation.cvc(card.pan, card.exp_month, card.exp_year)
  const fingerprint = derivation.fingerprint(card.pan)
  await sql`
    insert into cardholders (id, tenant_id, environment, program_id, name, status, identity, created_at)
    values (${card.cardholder_id}, ${tenantId}, 'sandbox', ${programId}, 'Cardholder', 'active',
      ${sql.json({ status: 'approved', reasons: [], verification_id: null, completed_at: null })},
      ${now})`
  await sql`
    insert into cards (id, tenant_id, environment, program_id, cardholder_id, type, status, token,
      fingerprint, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at)
    values (${card.id}, ${tenantId}, 'sandbox', ${programId}, ${card.cardholder_id}, 'virtual', 'active',
      ${card.token}, ${fingerprint}, ${seal(masterKeys, SEAL_CONTEXTS.pan, card.pan)},
      ${card.pan.slice(-4)}, ${card.exp_month}, ${card.exp_year},
      ${derivation.cvcVerifier(fingerprint, card.cvc)}, ${card.currency}, ${now})`
  return card
}

async function insertLimitedCard(rows: Rows, programId: string): Promise<SandboxCard> {
  const { sql, tenantId, now } = rows
  const card = await insertCard(rows, programId)
  const subject = { scope: 'card' as const, id: card.id, currency: card.currency, cardStatus: null }
  const terms = newTerms(OPEN_TERMS, LIMITED, { subject, now })
  const author = { owner: { tenantId, environment: 'sandbox' as const }, createdBy: null, now }
  const id = ownControlId(card.id)
  await createControl(sql, author, {
    id,
    scope: 'card',
    subjectId: card.id,
    state: 'active',
    terms,
  })
  return card
}
