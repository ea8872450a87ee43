// Differences between ledger and chain at a finalized block. Each is a row until a later block
// agrees; operators see the open ones, and a metric counts them.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { TxSql } from '../../database/transaction.ts'
import { inLead, type Line } from './line.ts'

/**
 * `holder_lacks`: the chain has less of an account than the ledger. `holder_withdrew_held`: a
 * holder took out money that payments hold. `payee_differs`: a payee got other sums on the chain.
 * `settlement_holds`: Settlement has tokens, which somebody sent to it.
 */
export type ExceptionKind =
  | 'holder_lacks'
  | 'holder_withdrew_held'
  | 'payee_differs'
  | 'settlement_holds'

export interface Difference {
  kind: ExceptionKind
  /** A payment account, or an address. */
  subject: string
  tenantId: string | null
  block: number
  /** Token units. */
  ledgerUnits: bigint
  chainUnits: bigint
}

/** Records a difference; one that is open already keeps its row and gets the newer sums. */
export async function openException(line: Line, difference: Difference): Promise<void> {
  const now = line.clock.nowMs()
  const { kind, subject, block } = difference
  const fresh = await inLead(line, (sql) => saveException(sql, line, { ...difference, now }))
  if (!fresh) return
  const fields = { kind, subject, block, chain_id: line.config.chainId }
  const units = {
    ledger_units: String(difference.ledgerUnits),
    chain_units: String(difference.chainUnits),
  }
  line.log.error({ ...fields, ...units }, 'ledger and chain differ')
}

async function saveException(
  sql: TxSql,
  { config }: Pick<Line, 'config'>,
  difference: Difference & { now: EpochMs },
): Promise<boolean> {
  const { kind, subject, tenantId, block, ledgerUnits, chainUnits, now } = difference
  const { chainId, environment } = config
  const [row] = await sql<{ fresh: boolean }[]>`
    insert into settlement_exceptions (id, chain_id, environment, tenant_id, kind, subject,
      block_number, ledger_units, chain_units, opened_at)
    values (${newId('sex', now)}, ${chainId}, ${environment}, ${tenantId}, ${kind}, ${subject},
      ${block}, ${String(ledgerUnits)}, ${String(chainUnits)}, ${now})
    on conflict (chain_id, kind, subject) where resolved_at is null do update set
      block_number = excluded.block_number, ledger_units = excluded.ledger_units,
      chain_units = excluded.chain_units
    returning xmax = 0 as fresh`
  return row?.fresh === true
}

/** Resolves the open differences of these kinds whose subject is none of `still`. */
export async function resolveExceptions(
  line: Line,
  {
    kinds,
    among,
    still,
  }: {
    kinds: readonly ExceptionKind[]
    /** Subjects that were compared; null: all of these kinds. */
    among: readonly string[] | null
    still: readonly string[]
  },
): Promise<void> {
  const { chainId } = line.config
  const now = line.clock.nowMs()
  const open = await line.sql`
    select from settlement_exceptions
    where chain_id = ${chainId} and resolved_at is null and kind = any(${[...kinds]}::text[])
    limit 1`
  if (open.length === 0) return
  const subjects = among === null ? null : [...among]
  await inLead(
    line,
    (sql) => sql`
    update settlement_exceptions set resolved_at = ${now}
    where chain_id = ${chainId} and resolved_at is null and kind = any(${[...kinds]}::text[])
      and (${subjects}::text[] is null or subject = any(${subjects}::text[]))
      and not subject = any(${[...still]}::text[])`,
  )
}

/** The number of open differences. */
export async function countExceptions({ sql, config }: Line): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from settlement_exceptions
    where chain_id = ${config.chainId} and resolved_at is null`
  return row?.count ?? 0
}
