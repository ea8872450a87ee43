// The SQL statements that erase a person from the resources that name them: cards, wallet tokens,
// spending controls, disputes, payment accounts with payments, mandates and withdrawals.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { ERASED_REASON, ERASED_SHIPPING, OWN_REASONS } from './erased-event.ts'

/** A statement of `returning id`. */
type Ids = { id: string }[]

/**
 * A caller's reason becomes another word, because a terminated card has a reason (Spec 2.5);
 * reasons of the service stay.
 */
export async function eraseCards(
  sql: TxSql,
  { tenantId, environment }: Owner,
  cardholderId: string,
): Promise<string[]> {
  const rows = await sql<Ids>`
    update cards set details = details - 'name_on_card', metadata = '{}', external_id = null,
      suspend_reason = null,
      terminate_reason = case
        when terminate_reason is null or terminate_reason = any(${[...OWN_REASONS]}::text[]) then terminate_reason
        else ${ERASED_REASON} end,
      shipping = shipping || ${JSON.stringify(ERASED_SHIPPING)}::text::jsonb
    where tenant_id = ${tenantId} and environment = ${environment}
      and cardholder_id = ${cardholderId}
    returning id`
  return idsOf(rows)
}

export async function eraseAccounts(
  sql: TxSql,
  { tenantId, environment }: Owner,
  cardholderId: string,
): Promise<string[]> {
  const rows = await sql<Ids>`
    update payment_accounts set metadata = '{}', external_id = null, suspend_reason = null
    where tenant_id = ${tenantId} and environment = ${environment}
      and cardholder_id = ${cardholderId}
    returning id`
  return idsOf(rows)
}

export async function eraseWalletTokens(
  sql: TxSql,
  { tenantId, environment }: Owner,
  cardIds: readonly string[],
): Promise<void> {
  await sql`
    update wallet_tokens set metadata = '{}', external_id = null
    where tenant_id = ${tenantId} and environment = ${environment}
      and card_id = any(${[...cardIds]}::text[])`
}

/** Erases the tenant fields of controls that bind one of these subjects. */
export async function eraseControls(
  sql: TxSql,
  { tenantId, environment }: Owner,
  subjectIds: readonly string[],
): Promise<void> {
  await sql`
    update spending_controls set metadata = '{}', external_id = null
    where tenant_id = ${tenantId} and environment = ${environment}
      and subject_id = any(${[...subjectIds]}::text[])`
}

/** Erases the tenant fields; explanation and evidence of a dispute stay. */
export async function eraseDisputes(
  sql: TxSql,
  { tenantId, environment }: Owner,
  cardholderId: string,
): Promise<string[]> {
  const rows = await sql<Ids>`
    update disputes set metadata = '{}', external_id = null
    where tenant_id = ${tenantId} and environment = ${environment}
      and cardholder_id = ${cardholderId}
    returning id`
  return idsOf(rows)
}

/** Erases what payments, mandates and withdrawals of accounts tell. Returns ids of payments. */
export async function erasePayments(
  sql: TxSql,
  { tenantId, environment }: Owner,
  accountIds: readonly string[],
): Promise<string[]> {
  const paid = sql`
    tenant_id = ${tenantId} and environment = ${environment}
    and payment_account_id = any(${[...accountIds]}::text[])`
  await sql`
    update payment_mandates set description = null, metadata = '{}', external_id = null
    where ${paid}`
  await sql`update payment_withdrawals set metadata = '{}', external_id = null where ${paid}`
  const rows = await sql<Ids>`
    update payments set description = null, metadata = '{}', external_id = null
    where ${paid}
    returning id`
  return idsOf(rows)
}

function idsOf(rows: Ids): string[] {
  return rows.map(({ id }) => id)
}
