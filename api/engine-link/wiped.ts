// Filters journal entries of a sandbox that was wiped since: they have no owner any more, so they
// are neither stored nor quarantined.
import { assert } from '../../shared/assert.ts'
import type { TxSql } from '../database/transaction.ts'
import type { DrainedEntry } from './drained-entry.ts'

/** The subject of an entry, as far as the entry names it. */
interface Subject {
  at: number
  tenant_id: string | null
  environment: string | null
  card_id: string | null
  transaction_id: string | null
}

/**
 * Returns the entries of a refused batch that still have an owner: not those of a card or a
 * transaction wiped with its sandbox. A transaction that arrives too late to be stored is
 * remembered, because more entries may follow.
 */
export async function withoutWiped(
  sql: TxSql,
  refused: readonly DrainedEntry[],
): Promise<readonly DrainedEntry[]> {
  const subjects = refused.map((entry, at) => ({ at, ...subjectOf(entry) }))
  const rows = await sql<{ at: number }[]>`
    with given as (
      select * from json_to_recordset(${JSON.stringify(subjects)}::text::json) as row (
        at integer, tenant_id text, environment text, card_id text, transaction_id text
      )
    ), gone as (
      select g.* from given g
      where exists (select from wiped_transactions w where w.id = g.transaction_id)
        or (
          g.environment = 'sandbox' and not exists (select from cards c where c.id = g.card_id)
          and not exists (select from payment_accounts a where a.id = g.card_id)
          and exists (select from sandbox_wipes w where w.tenant_id = g.tenant_id)
        )
    ), remembered as (
      insert into wiped_transactions (id, tenant_id, environment)
      select distinct transaction_id, tenant_id, environment from gone
      where transaction_id is not null and tenant_id is not null
      on conflict do nothing
    )
    select at from gone`
  const gone = new Set(rows.map(({ at }) => at))
  assert(gone.size === rows.length, 'each entry is looked at once')
  return refused.filter((_, at) => !gone.has(at))
}

function subjectOf(entry: DrainedEntry): Omit<Subject, 'at'> {
  const nobody = { tenant_id: null, environment: null, card_id: null, transaction_id: null }
  switch (entry.to) {
    case 'card_transactions': {
      const { tenantId: tenant_id, cardId: card_id } = entry.card
      const { environment } = entry.entry
      return { tenant_id, environment, card_id, transaction_id: entry.id }
    }
    case 'payments': {
      if (entry.entry.kind === 'expiry') return { ...nobody, transaction_id: entry.id }
      const { card, environment } = entry.entry
      if (card === null) return nobody
      const { tenantId: tenant_id, cardId: card_id } = card
      return { tenant_id, environment, card_id, transaction_id: entry.id }
    }
    case 'expiry':
    case 'late_reply':
      return { ...nobody, transaction_id: entry.id }
    case 'cards': {
      const { tenantId: tenant_id, environment, cardId: card_id } = entry.entry
      return { tenant_id, environment, card_id, transaction_id: null }
    }
    default:
      return nobody
  }
}
