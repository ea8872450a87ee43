// Every SQL statement about payment accounts. Each names the owner, except those of the hosted
// page, which finds an account by the secret in its address.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { PaymentAccountStatus } from '../../../shared/schemas/payment-account.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import type { Payer, PaymentAccountRow } from './view.ts'

function accountColumns(sql: SqlTag): Fragment {
  return sql`
    a.id, a.tenant_id as "tenantId", a.environment, a.program_id as "programId",
    a.cardholder_id as "cardholderId", a.status, a.suspend_reason as "suspendReason",
    a.chain_id as "chainId", a.address, a.recovery_address as "recoveryAddress",
    a.credential_id as "credentialId", a.public_x as "publicX", a.public_y as "publicY",
    a.enrolled_at as "enrolledAt", a.backed_up as "backedUp", a.balance_cents as "balanceCents",
    a.leaving_cents as "leavingCents", a.as_of_block as "asOfBlock",
    a.external_id as "externalId", a.metadata, a.created_at as "createdAt",
    open.held as "heldCents", open.settling as "settlingCents", exists (
      select from settlement_exceptions e where e.subject = a.id and e.resolved_at is null
    ) as "isApart"`
}

/** The account beside the sums of its open payments. */
function accounts(sql: SqlTag): Fragment {
  return sql`
    payment_accounts a cross join lateral (
      select
        coalesce(sum(amount_cents - captured_cents - capture_pending_cents - capture_failed_cents
          - voided_cents), 0)::bigint as held,
        coalesce(sum(capture_pending_cents + capture_failed_cents), 0)::bigint as settling
      from payments
      where payment_account_id = a.id and status in ('needs_confirmation', 'authorized',
        'confirmed', 'capture_pending', 'partially_captured', 'partially_refunded', 'failed')
    ) open`
}

export async function findAccount(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<PaymentAccountRow | null> {
  const [row] = await sql<PaymentAccountRow[]>`
    select ${accountColumns(sql)} from ${accounts(sql)}
    where a.tenant_id = ${owner.tenantId} and a.environment = ${owner.environment} and a.id = ${id}`
  return row ?? null
}

/** Locks the account until the transaction ends. */
export async function lockAccount(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<PaymentAccountRow | null> {
  const [locked] = await sql<{ id: string }[]>`
    select id from payment_accounts
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return locked === undefined ? null : findAccount(sql, owner, locked.id)
}

/**
 * Keeps the account from closing until the transaction ends; its payments and mandates go on beside
 * each other. Mandates are locked after it.
 */
export async function shareAccount(sql: TxSql, owner: Owner, id: string): Promise<Payer | null> {
  const [row] = await sql<Payer[]>`
    select id, cardholder_id as "cardholderId", status, chain_id as "chainId",
      recovery_address as "recoveryAddress", credential_id as "credentialId",
      public_x as "publicX", public_y as "publicY"
    from payment_accounts
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for share`
  return row ?? null
}

async function rereadAccount(sql: TxSql, owner: Owner, id: string): Promise<PaymentAccountRow> {
  const row = await findAccount(sql, owner, id)
  assert(row !== null, 'a locked payment account does not vanish')
  return row
}

/** The account of a cardholder that is not closed; null: none. */
export async function findOpenAccount(
  sql: TxSql,
  owner: Owner,
  cardholderId: string,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from payment_accounts
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and cardholder_id = ${cardholderId} and status <> 'closed'`
  return row?.id ?? null
}

export interface PaymentAccountFilters extends CreatedFilters {
  status?: PaymentAccountStatus
  cardholder_id?: string
  program_id?: string
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listAccounts(
  sql: SqlTag,
  owner: ClockedOwner,
  query: PageQuery & PaymentAccountFilters,
): Promise<PageRows<PaymentAccountRow>> {
  const { status, cardholder_id, program_id, external_id } = query
  return readPage<PaymentAccountRow>(sql, query, {
    list: 'payment_accounts',
    column: 'a.id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<PaymentAccountRow[]>`
      select ${accountColumns(sql)} from ${accounts(sql)}
      where a.tenant_id = ${owner.tenantId} and a.environment = ${owner.environment}
        ${createdWithinIds(sql, 'pacc', owner, query)}
        ${status === undefined ? sql`` : sql`and a.status = ${status}`}
        ${cardholder_id === undefined ? sql`` : sql`and a.cardholder_id = ${cardholder_id}`}
        ${program_id === undefined ? sql`` : sql`and a.program_id = ${program_id}`}
        ${external_id === undefined ? sql`` : sql`and a.external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

/** A link to the hosted page: the hash of its secret, and its end by the tenant's clock. */
export interface EnrolmentLink {
  hash: Buffer
  expiresAt: EpochMs
}

export interface NewAccount {
  id: string
  programId: string
  cardholderId: string
  chainId: number
  recoveryAddress: string | null
  link: EnrolmentLink
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
}

export async function insertAccount(
  sql: TxSql,
  owner: Owner,
  account: NewAccount,
): Promise<PaymentAccountRow> {
  const { link } = account
  await sql`
    insert into payment_accounts (id, tenant_id, environment, program_id, cardholder_id, status,
      chain_id, recovery_address, enrolment_hash, enrolment_expires_at, external_id, metadata,
      created_at)
    values (${account.id}, ${owner.tenantId}, ${owner.environment}, ${account.programId},
      ${account.cardholderId}, 'pending', ${account.chainId}, ${account.recoveryAddress},
      ${link.hash}, ${link.expiresAt}, ${account.externalId},
      ${JSON.stringify(account.metadata)}::text::jsonb, ${account.createdAt})`
  return rereadAccount(sql, owner, account.id)
}

export async function saveLink(sql: TxSql, id: string, link: EnrolmentLink): Promise<void> {
  await sql`
    update payment_accounts set enrolment_hash = ${link.hash}, enrolment_expires_at = ${link.expiresAt}
    where id = ${id}`
}

export async function saveStatus(
  sql: TxSql,
  owner: Owner,
  { id, status, reason }: { id: string; status: PaymentAccountStatus; reason: string | null },
): Promise<PaymentAccountRow> {
  await sql`
    update payment_accounts set status = ${status}, suspend_reason = ${reason}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return rereadAccount(sql, owner, id)
}

/** Ends a locked account; the link of an account without a passkey leads nowhere any more. */
export async function saveClosed(sql: TxSql, owner: Owner, id: string): Promise<PaymentAccountRow> {
  await sql`
    update payment_accounts set status = 'closed', suspend_reason = null, enrolment_hash = null,
      enrolment_expires_at = null
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return rereadAccount(sql, owner, id)
}

/** An account that waits for a passkey, as its hosted page shows it. */
export interface Enrolling extends Owner {
  id: string
  environment: Environment
  chainId: number
  cardholderId: string
  recoveryAddress: string | null
  tenantName: string
  expiresAt: EpochMs
  /** Milliseconds that the tenant's clock is ahead. */
  clockOffsetMs: number
}

/** The account that a link leads to; null for an unknown or used one. */
export async function findEnrolling(sql: SqlTag, hash: Buffer): Promise<Enrolling | null> {
  const [row] = await sql<Enrolling[]>`
    select a.id, a.tenant_id as "tenantId", a.environment, a.chain_id as "chainId",
      a.cardholder_id as "cardholderId", a.recovery_address as "recoveryAddress",
      t.name as "tenantName", a.enrolment_expires_at as "expiresAt",
      clock_offset(a.tenant_id, a.environment) as "clockOffsetMs"
    from payment_accounts a join tenants t on t.id = a.tenant_id
    where a.enrolment_hash = ${hash} and a.status = 'pending'`
  return row ?? null
}

export interface Enrolled {
  id: string
  address: string
  credentialId: Buffer
  x: Buffer
  y: Buffer
  backedUp: boolean
  now: EpochMs
}

/** True where another account of the environment has the passkey; rivals wait for each other. */
export async function isPasskeyUsed(
  sql: TxSql,
  environment: Environment,
  { x, y }: Pick<Enrolled, 'x' | 'y'>,
): Promise<boolean> {
  const name = ['passkey', environment, x.toString('hex')].join(' ')
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  const held = await sql`
    select from payment_accounts
    where environment = ${environment} and public_x = ${x} and public_y = ${y}`
  return held.length > 0
}

/** False where the account has a passkey already. The link is used up. */
export async function saveEnrolled(sql: TxSql, enrolled: Enrolled): Promise<boolean> {
  const { id, address, credentialId, x, y, backedUp, now } = enrolled
  const saved = await sql`
    update payment_accounts set status = 'active', address = ${address},
      credential_id = ${credentialId}, public_x = ${x}, public_y = ${y}, backed_up = ${backedUp},
      enrolled_at = ${now}, enrolment_hash = null, enrolment_expires_at = null
    where id = ${id} and status = 'pending'`
  return saved.count === 1
}

/**
 * Refuses with 404 an unknown account, and with 409 one that is not active. It stays so until the
 * transaction ends.
 */
export async function requirePayer(sql: TxSql, owner: Owner, id: string): Promise<Payer> {
  const param = 'payment_account_id'
  const account = await shareAccount(sql, owner, id)
  if (account === null) throw new Refusal('resource_missing', { param })
  if (account.status === 'active') return account
  const extra = { current_status: account.status }
  throw new Refusal('payment_account_not_active', { param, extra })
}
