// The gap-free numbers behind the lists of events and transactions, for all tenants of a batch at
// once.
import type { TxSql } from '../database/transaction.ts'
import type { Batch } from './batch.ts'

/** The next numbers of a tenant's rows in this batch; each use increments them. */
export interface Sequences {
  eventSeq: number
  transactionSeq: number
}

/** Numbers by tenant and environment. */
export type SequencesOf = (owner: { tenantId: string; environment: string }) => Sequences

interface Need {
  tenantId: string
  environment: string
  events: number
  transactions: number
}

/**
 * Returns the numbers before the first of this batch, per tenant and environment. Rows are locked
 * in sorted order, so that two writers never deadlock, and stay locked until the commit: a poller
 * never sees a gap.
 */
export async function assignSequences(sql: TxSql, batch: Batch): Promise<SequencesOf> {
  const needs = needsOf(batch)
  const owners = [...needs.values()]
  const rows = await sql<
    {
      tenant_id: string
      environment: string
      event_seq: number
      transaction_seq: number
    }[]
  >`
    insert into tenant_sequences as s (tenant_id, environment, event_seq, transaction_seq)
    select tenant_id, environment, events, transactions
    from unnest(
      ${owners.map((owner) => owner.tenantId)}::text[],
      ${owners.map((owner) => owner.environment)}::text[],
      ${owners.map((owner) => owner.events)}::bigint[],
      ${owners.map((owner) => owner.transactions)}::bigint[]
    ) as owner (tenant_id, environment, events, transactions)
    order by tenant_id, environment
    on conflict (tenant_id, environment) do update set
      event_seq = s.event_seq + excluded.event_seq,
      transaction_seq = s.transaction_seq + excluded.transaction_seq
    returning tenant_id, environment, event_seq, transaction_seq
  `
  const numbers = new Map(
    rows.map((row): [string, Sequences] => {
      const key = ownerKey({ tenantId: row.tenant_id, environment: row.environment })
      const need = needs.get(key)
      return [
        key,
        {
          eventSeq: row.event_seq - (need?.events ?? 0),
          transactionSeq: row.transaction_seq - (need?.transactions ?? 0),
        },
      ]
    }),
  )
  return (owner) => {
    const taken = numbers.get(ownerKey(owner))
    if (taken === undefined) throw new Error('no sequence for tenant ' + owner.tenantId)
    return taken
  }
}

function needsOf({ lives, announcements }: Batch): Map<string, Need> {
  const needs = new Map<string, Need>()
  const needOf = ({ tenantId, environment }: { tenantId: string; environment: string }): Need => {
    const key = ownerKey({ tenantId, environment })
    const need = needs.get(key) ?? { tenantId, environment, events: 0, transactions: 0 }
    needs.set(key, need)
    return need
  }
  for (const announcement of announcements) needOf(announcement).events += 1
  for (const life of lives) if (life.seq === null) needOf(life).transactions += 1
  return needs
}

function ownerKey({ tenantId, environment }: { tenantId: string; environment: string }): string {
  return tenantId + ' ' + environment
}
