// A new payment method: invoices whose attempts failed are tried at once.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'

const WINDOW_MS = 30 * 86_400_000
/** Chosen: attempts that new methods cause, of one invoice in 30 days. */
const RENEWALS_MAX = 3

/** `now` is tenant time. */
export async function renewAttempts(sql: TxSql, owner: Owner, now: EpochMs): Promise<void> {
  const since = now - WINDOW_MS
  await sql`
    with renewed as (
      update billing_collections held set
        is_hard = false, not_before = null,
        renewals = case when held.renewed_at > ${since} then held.renewals + 1 else 1 end,
        renewed_at = case when held.renewed_at > ${since} then held.renewed_at else ${now} end
      from billing_invoices invoice
      where invoice.id = held.invoice_id and invoice.status = 'open'
        and invoice.tenant_id = ${owner.tenantId} and invoice.environment = ${owner.environment}
        and held.failed_at is not null and not held.is_processing
        and (held.renewed_at is null or held.renewed_at <= ${since}
          or held.renewals < ${RENEWALS_MAX})
      returning held.invoice_id
    )
    update billing_invoices set next_attempt_at = ${now}
    where id in (select invoice_id from renewed)`
}
