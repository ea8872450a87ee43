// Counts the verdicts of stand-in in a batch by the hour in which their transactions were created.
// The counts go into the statement that writes the batch. Pure, but for the fragment of the insert.
import type { TxSql } from '../database/transaction.ts'
import type { Batch } from './batch.ts'

const HOUR_MS = 3_600_000

export interface VerdictRow {
  tenant_id: string
  environment: string
  /** Start of the hour, by the tenant's clock. */
  at: number
  outcome: string
  stand_in: string
  would_approve: string
  /** Place of a stored transaction in its list; null for the new ones of the batch. */
  seq: number | null
  count: number
}

/** Only messages that are new in this batch count. */
export function verdictRows({ lives, moments }: Batch): VerdictRow[] {
  const byId = new Map([...lives].map((life) => [life.id, life]))
  const rows = new Map<string, VerdictRow>()
  for (const { transactionId, entry } of moments) {
    const life = byId.get(transactionId)
    if (life === undefined || entry.to === 'expiry') continue
    const { standIn, standInWould: would, tenant } = entry.entry.decision
    if (would === null || tenant === null) continue
    const key = {
      tenant_id: life.tenantId,
      environment: life.environment,
      at: life.createdAt - (life.createdAt % HOUR_MS),
      outcome: tenant.outcome,
      stand_in: String(standIn),
      would_approve: String(would.approve),
      seq: life.seq,
    }
    const name = Object.values(key).join('\0')
    const row = rows.get(name)
    if (row === undefined) rows.set(name, { ...key, count: 1 })
    else row.count += 1
  }
  return [...rows.values()]
}

/**
 * The insert, as a part of the statement that writes the batch. Transactions from before the counts
 * are left out. The order rules out a deadlock between two drains.
 */
export function insertVerdicts(sql: TxSql, rows: readonly VerdictRow[]) {
  const of = <Name extends keyof VerdictRow>(name: Name) => rows.map((row) => row[name])
  return sql`
      insert into stand_in_counts as c (
        tenant_id, environment, at, outcome, stand_in, would_approve, disagrees, count
      )
      select row.tenant_id, row.environment, row.at, row.outcome, row.stand_in, row.would_approve,
        false, sum(row.count)::bigint
      from unnest(
        ${of('tenant_id')}::text[], ${of('environment')}::text[], ${of('at')}::bigint[],
        ${of('outcome')}::text[], ${of('stand_in')}::boolean[], ${of('would_approve')}::boolean[],
        ${of('seq')}::bigint[], ${of('count')}::bigint[]
      ) as row (tenant_id, environment, at, outcome, stand_in, would_approve, seq, count)
      left join stand_in_uncounted u using (tenant_id, environment)
      where row.seq is null or row.seq > coalesce(u.seq, 0)
      group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
      on conflict (tenant_id, environment, at, outcome, stand_in, would_approve, disagrees)
        do update set count = c.count + excluded.count`
}
