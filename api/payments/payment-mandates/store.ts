// Every SQL statement about payment mandates. Each names the owner, except those of the hosted
// page, and those of a payment that names its mandate.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { PaymentMandateStatus } from '../../../shared/schemas/payment-mandate.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { CAPTURES_MAX } from '../chain/terms.ts'
import type { ApprovalRecord, StoredAssertion } from '../passkeys/approval.ts'
import type { MandateRow } from './view.ts'

/** Uses of the mandate `m`: money by its payments, bits by their captures. */
function usesOf(sql: SqlTag, mandateId: Fragment, except: string | null = null): Fragment {
  return sql`
    select coalesce(sum(captured_cents), 0)::bigint as used,
      coalesce(sum(amount_cents - captured_cents - voided_cents), 0)::bigint as reserved,
      (
        select count(*)::integer from payment_captures c where c.approval_id = ${mandateId}
      ) as captures,
      (
        count(*) filter (
          where status in ('deciding', 'authorized') and id is distinct from ${except}::text
        )
      )::integer as waiting
    from payments where mandate_id = ${mandateId} and status not in ('risk_declined', 'voided')`
}

function mandates(sql: SqlTag): Fragment {
  return sql`
    payment_mandates m
    cross join lateral (${usesOf(sql, sql`m.id`)}) u`
}

/** Moments alone tell it, and two small indexes have them: no payment is summed. */
function hasExpired(sql: SqlTag, now: EpochMs): Fragment {
  return sql`(
    (m.status = 'pending' and m.confirmation_expires_at <= ${now})
    or (m.status = 'active' and m.expires_at <= ${now})
  )`
}

/** True where its uses leave nothing: kept as `is_exhausted` too, by which an index finds them. */
function hasNothingLeft(sql: SqlTag): Fragment {
  return sql`(u.used >= m.limit_cents or u.captures >= ${CAPTURES_MAX}::int)`
}

/** The status at a moment by the tenant's clock: no timer moves a mandate. */
function statusAt(sql: SqlTag, now: EpochMs): Fragment {
  return sql`
    case
      when ${hasExpired(sql, now)} then 'expired'
      when m.status = 'active' and ${hasNothingLeft(sql)} then 'exhausted'
      else m.status
    end`
}

/** The stored columns choose the mandates: uses are summed only of those. */
function ofStatus(sql: SqlTag, status: PaymentMandateStatus, now: EpochMs): Fragment {
  if (status === 'expired') return sql`and ${hasExpired(sql, now)}`
  if (status === 'revoked') return sql`and m.status = 'revoked'`
  if (status === 'pending')
    return sql`and m.status = 'pending' and m.confirmation_expires_at > ${now}`
  return sql`
    and m.status = 'active' and m.expires_at > ${now} and ${statusAt(sql, now)} = ${status}
    ${status === 'exhausted' ? sql`and m.is_exhausted` : sql``}`
}

function mandateColumns(sql: SqlTag, now: EpochMs): Fragment {
  return sql`
    m.id, m.tenant_id as "tenantId", m.environment, m.payment_account_id as "paymentAccountId",
    m.settlement_account_id as "settlementAccountId",
    (select cardholder_id from payment_accounts where id = m.payment_account_id) as "cardholderId",
    ${statusAt(sql, now)} as status, m.description, m.limit_cents as "limitCents",
    m.per_payment_cents as "perPaymentCents", u.reserved as "reservedCents", u.used as "usedCents",
    m.expires_at as "expiresAt", m.approval_hash as "approvalHash",
    m.approval_valid_until as "approvalValidUntil",
    m.confirmation_expires_at as "confirmationExpiresAt", m.confirmed_at as "confirmedAt",
    m.external_id as "externalId", m.metadata, m.created_at as "createdAt",
    clock_offset(m.tenant_id, m.environment) as "clockOffsetMs"`
}

/** `now` by the tenant's clock. */
export async function findMandate(
  sql: SqlTag,
  owner: Owner,
  { id, now }: { id: string; now: EpochMs },
): Promise<MandateRow | null> {
  const [row] = await sql<MandateRow[]>`
    select ${mandateColumns(sql, now)} from ${mandates(sql)}
    where m.tenant_id = ${owner.tenantId} and m.environment = ${owner.environment} and m.id = ${id}`
  return row ?? null
}

/** Locks the mandate until the transaction ends. */
export async function lockMandate(
  sql: TxSql,
  owner: Owner,
  { id, now }: { id: string; now: EpochMs },
): Promise<MandateRow | null> {
  await sql`
    select 1 from payment_mandates
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return findMandate(sql, owner, { id, now })
}

export interface MandateFilters extends CreatedFilters {
  status?: PaymentMandateStatus
  payment_account_id?: string
  settlement_account_id?: string
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listMandates(
  sql: SqlTag,
  owner: ClockedOwner,
  { now, ...query }: PageQuery & MandateFilters & { now: EpochMs },
): Promise<PageRows<MandateRow>> {
  const { status, payment_account_id: account, settlement_account_id: payee, external_id } = query
  return readPage<MandateRow>(sql, query, {
    list: 'payment_mandates',
    column: 'm.id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<MandateRow[]>`
      select ${mandateColumns(sql, now)} from ${mandates(sql)}
      where m.tenant_id = ${owner.tenantId} and m.environment = ${owner.environment}
        ${createdWithinIds(sql, 'man', owner, query)}
        ${status === undefined ? sql`` : ofStatus(sql, status, now)}
        ${account === undefined ? sql`` : sql`and m.payment_account_id = ${account}`}
        ${payee === undefined ? sql`` : sql`and m.settlement_account_id = ${payee}`}
        ${external_id === undefined ? sql`` : sql`and m.external_id = ${external_id}`} and ${range}
      ${ordered}`,
  })
}

export interface NewMandate {
  id: string
  paymentAccountId: string
  settlementAccountId: string
  description: string | null
  limitCents: number
  perPaymentCents: number
  expiresAt: EpochMs
  approval: ApprovalRecord
  confirmationHash: Buffer
  confirmationExpiresAt: EpochMs
  externalId: string | null
  metadata: Metadata
  createdAt: EpochMs
}

export async function insertMandate(sql: TxSql, owner: Owner, mandate: NewMandate): Promise<void> {
  const { approval } = mandate
  await sql`
    insert into payment_mandates (id, tenant_id, environment, payment_account_id,
      settlement_account_id, status, description, limit_cents, per_payment_cents, expires_at,
      approval_salt, approval_hash, approval_valid_until, confirmation_hash,
      confirmation_expires_at, external_id, metadata, created_at)
    values (${mandate.id}, ${owner.tenantId}, ${owner.environment}, ${mandate.paymentAccountId},
      ${mandate.settlementAccountId}, 'pending', ${mandate.description}, ${mandate.limitCents},
      ${mandate.perPaymentCents}, ${mandate.expiresAt}, ${approval.salt}, ${approval.hash},
      ${approval.validUntil}, ${mandate.confirmationHash}, ${mandate.confirmationExpiresAt},
      ${mandate.externalId}, ${JSON.stringify(mandate.metadata)}::text::jsonb,
      ${mandate.createdAt})`
}

/** The change of a locked mandate. */
export async function saveMandate(
  sql: TxSql,
  owner: Owner,
  change: { id: string; now: EpochMs } & (
    | { status: 'active'; assertion: StoredAssertion }
    | { status: 'revoked' }
    | { confirmationHash: Buffer }
  ),
): Promise<MandateRow> {
  const { id, now } = change
  if ('confirmationHash' in change)
    await sql`
      update payment_mandates set confirmation_hash = ${change.confirmationHash} where id = ${id}`
  else if (change.status === 'active')
    await sql`
      update payment_mandates set status = 'active', confirmed_at = ${now},
        assertion = ${JSON.stringify(change.assertion)}::text::jsonb
      where id = ${id}`
  else await sql`update payment_mandates set status = 'revoked' where id = ${id}`
  const row = await findMandate(sql, owner, { id, now })
  assert(row !== null, 'a locked mandate does not vanish')
  return row
}

/** Revokes every mandate of a locked account. */
export async function revokeMandatesOf(sql: TxSql, paymentAccountId: string): Promise<void> {
  await sql`
    update payment_mandates set status = 'revoked'
    where payment_account_id = ${paymentAccountId} and status <> 'revoked'`
}

/** The owner and the id of the mandate that a link leads to. */
export async function findByConfirmation(
  sql: SqlTag,
  hash: Buffer,
): Promise<(Owner & { id: string; clockOffsetMs: number; tenantName: string }) | null> {
  const [row] = await sql<(Owner & { id: string; clockOffsetMs: number; tenantName: string })[]>`
    select m.id, m.tenant_id as "tenantId", m.environment, t.name as "tenantName",
      clock_offset(m.tenant_id, m.environment) as "clockOffsetMs"
    from payment_mandates m join tenants t on t.id = m.tenant_id
    where m.confirmation_hash = ${hash}`
  return row ?? null
}

export interface ActiveMandate {
  id: string
  limitCents: number
  perPaymentCents: number
  expiresAt: EpochMs
}

/** Locks the active mandates between an account and a payee, the one that ends first first. */
export async function listActive(
  sql: TxSql,
  { tenantId, environment }: Owner,
  of: { paymentAccountId: string; settlementAccountId: string; endsAfter: EpochMs },
): Promise<readonly ActiveMandate[]> {
  return sql<ActiveMandate[]>`
    select id, limit_cents as "limitCents", per_payment_cents as "perPaymentCents",
      expires_at as "expiresAt"
    from payment_mandates
    where tenant_id = ${tenantId} and environment = ${environment} and status = 'active'
      and payment_account_id = ${of.paymentAccountId}
      and settlement_account_id = ${of.settlementAccountId} and expires_at >= ${of.endsAfter}
    order by expires_at, id for no key update`
}

/** Uses of a mandate; the payment `except` keeps no capture free for itself. */
export async function findUses(
  sql: TxSql,
  id: string,
  except: string | null = null,
): Promise<{ usedCents: number; reservedCents: number; captures: number; waiting: number }> {
  const [row] = await sql<
    { usedCents: number; reservedCents: number; captures: number; waiting: number }[]
  >`
    select used as "usedCents", reserved as "reservedCents", captures, waiting
    from (${usesOf(sql, sql`${id}`, except)}) u`
  assert(row !== undefined, 'a sum has one row')
  return row
}

/**
 * Notes which of these mandates cover nothing more, after a change of their captures. They stay
 * locked, in the order in which payments look for a cover.
 */
export async function noteExhausted(sql: TxSql, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    select from payment_mandates where id = any(${ids}::text[])
    order by expires_at, id for no key update`
  await sql`
    update payment_mandates set is_exhausted = not is_exhausted where id in (
      select m.id from ${mandates(sql)}
      where m.id = any(${ids}::text[])
        and m.is_exhausted <> ${hasNothingLeft(sql)}
    )`
}

/** The parts of the approval that a covered payment takes over. */
export interface ApprovalRow {
  salt: Buffer
  hash: Buffer
  /** Unix seconds. */
  validUntil: number
}

export async function findApproval(sql: SqlTag, id: string): Promise<ApprovalRow | null> {
  const [row] = await sql<ApprovalRow[]>`
    select approval_salt as salt, approval_hash as hash, approval_valid_until as "validUntil"
    from payment_mandates where id = ${id}`
  return row ?? null
}
