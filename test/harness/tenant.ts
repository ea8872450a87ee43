// A tenant with everything the API shows, put into a test's database by SQL.

import type { Sql } from '../../api/database/pool.ts'
import type { TxSql } from '../../api/database/transaction.ts'
import { createControl } from '../../api/issuing/controls/index.ts'
import { apiKeyHash, type KeyRole, type KeyScope, newApiKey } from '../../shared/api-key.ts'
import { API_VERSION } from '../../shared/event-catalog.ts'
import { newId } from '../../shared/id.ts'
import { OPEN_TERMS } from '../../shared/schemas/spending-control.ts'
import {
  type ControlScope,
  type Environment,
  type LimitConfig,
  ownControlId,
} from '../../shared/wire/config-records.ts'
import { limitConfig } from './judged.ts'

export const SEEDED_AT_MS = Date.UTC(2026, 10, 20, 12)

export interface TestTenant {
  tenantId: string
  environment: Environment
  programId: string
  cardholderId: string
  /** An active card with one daily limit of its own. */
  cardId: string
  endpointId: string
  keys: { read: string; write: string; admin: string; publishable: string }
}

/** A new tenant, or, where `of` names one, the other environment of that tenant. */
export async function seedTenant(
  sql: Sql,
  environment: Environment,
  of?: string,
): Promise<TestTenant> {
  const tenantId = of ?? newId('ten', SEEDED_AT_MS)
  const programId = newId('prog', SEEDED_AT_MS)
  const endpointId = newId('we', SEEDED_AT_MS)
  await sql`
    insert into tenants (id, name, api_version, created_at)
    values (${tenantId}, 'Test', ${API_VERSION}, ${SEEDED_AT_MS}) on conflict do nothing`
  await sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, created_at)
    values (${endpointId}, ${tenantId}, ${environment}, 'https://tenant.example/hook', ${SEEDED_AT_MS})`
  await sql`
    insert into programs (id, tenant_id, environment, name, status, created_at)
    values (${programId}, ${tenantId}, ${environment}, 'Cards', 'active', ${SEEDED_AT_MS})`
  const owner = { tenantId, environment, programId }
  const cardholderId = await seedCardholder(sql, owner)
  const cardId = await seedCard(sql, { ...owner, cardholderId })
  const keys = {
    read: await seedKey(sql, owner, 'secret', 'read'),
    write: await seedKey(sql, owner, 'secret', 'write'),
    admin: await seedKey(sql, owner, 'secret', 'admin'),
    publishable: await seedKey(sql, owner, 'publishable', 'write'),
  }
  return { ...owner, cardholderId, cardId, endpointId, keys }
}

interface ProgramOwner {
  tenantId: string
  environment: Environment
  programId: string
}

async function seedKey(
  sql: Sql,
  owner: { tenantId: string; environment: Environment },
  role: KeyRole,
  scope: KeyScope,
): Promise<string> {
  const key = newApiKey(role, owner.environment)
  await sql`
    insert into api_keys (id, tenant_id, environment, role, scope, hash, last4, created_at)
    values (${newId('key', SEEDED_AT_MS)}, ${owner.tenantId}, ${owner.environment}, ${role}, ${scope},
      ${apiKeyHash(key)}, ${key.slice(-4)}, ${SEEDED_AT_MS})`
  return key
}

/** A verified person, to whom cards may be issued. */
const APPROVED = JSON.stringify({
  status: 'approved',
  reasons: [],
  verification_id: null,
  completed_at: null,
})

export async function seedCardholder(sql: Sql, owner: ProgramOwner): Promise<string> {
  const id = newId('ch', SEEDED_AT_MS)
  await sql`
    insert into cardholders (id, tenant_id, environment, program_id, name, status, identity, created_at)
    values (${id}, ${owner.tenantId}, ${owner.environment}, ${owner.programId}, 'Ada', 'active',
      ${APPROVED}::text::jsonb, ${SEEDED_AT_MS})`
  return id
}

/** An active virtual USD card with a daily limit of 100.00 in UTC. */
export async function seedCard(
  sql: Sql,
  owner: ProgramOwner & { cardholderId: string; createdAtMs?: number },
): Promise<string> {
  const createdAt = owner.createdAtMs ?? SEEDED_AT_MS
  const id = newId('card', createdAt)
  await sql`
    insert into cards (id, tenant_id, environment, program_id, cardholder_id, type, status, token,
      fingerprint, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at)
    values (${id}, ${owner.tenantId}, ${owner.environment}, ${owner.programId}, ${owner.cardholderId},
      'virtual', 'active', ${'tok_' + id}, ${'f' + id}, 'sealed', '4242', 12, 2030, 'verifier', 'USD',
      ${createdAt})`
  await addControl(sql, owner, { scope: 'card', id, limits: [{ id: newId('lim', createdAt) }] })
  return id
}

/**
 * Adds one control with these limits to a program, cardholder or card; by default a daily limit of
 * 100.00 USD.
 */
export async function addControl(
  sql: Sql,
  owner: { tenantId: string; environment: Environment },
  subject: { scope: ControlScope; id: string; limits: readonly Partial<LimitConfig>[] },
): Promise<void> {
  const { scope, id: subjectId } = subject
  const limits = subject.limits.map((limit) => {
    const { filter: _none, ...rest } = limitConfig(limit)
    return { ...rest, filters: null }
  })
  const terms = { ...OPEN_TERMS, limits }
  const control = { id: ownControlId(subjectId), scope, subjectId, state: 'active' as const, terms }
  const author = { owner, createdBy: null, now: SEEDED_AT_MS }
  // A test may already be in a transaction, and needs none here.
  await createControl(sql as unknown as TxSql, author, control)
}

/** An active payment account with 100.00 on the chain. */
export async function seedPaymentAccount(
  sql: Sql,
  owner: ProgramOwner & { cardholderId: string },
): Promise<string> {
  const id = newId('pacc', SEEDED_AT_MS)
  await sql`
    insert into payment_accounts (id, tenant_id, environment, program_id, cardholder_id, status,
      chain_id, funded_cents, created_at)
    values (${id}, ${owner.tenantId}, ${owner.environment}, ${owner.programId},
      ${owner.cardholderId}, 'active', 31337, 10000, ${SEEDED_AT_MS})`
  return id
}
