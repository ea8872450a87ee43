// Statements about the wallet of a chain that operators call.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Fragment } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'

export interface LineRow {
  chainId: number
  address: string
  nextNonce: number
  inFlight: number
  finalBlock: number | null
  stopped: { reason: string; detail: string } | null
  /** Open differences between ledger and chain; units are decimal numbers. */
  exceptions: readonly {
    kind: string
    subject: string
    block: number
    ledger: string
    chain: string
    openedAt: EpochMs
  }[]
}

const EXCEPTIONS_MAX = 100

function lineColumns(sql: SqlTag): Fragment {
  return sql`
    chain_id as "chainId", address, next_nonce as "nextNonce", final_block as "finalBlock", stopped,
    (
      select count(distinct a.nonce) from settlement_attempts a
      where a.chain_id = w.chain_id and a.final_block is null
    ) as "inFlight",
    coalesce((
      select jsonb_agg(jsonb_build_object('kind', kind, 'subject', subject, 'block', block_number,
        'ledger', ledger_units::text, 'chain', chain_units::text, 'openedAt', opened_at)
        order by opened_at, id)
      from (
        select * from settlement_exceptions e
        where e.chain_id = w.chain_id and e.resolved_at is null
        order by opened_at, id limit ${EXCEPTIONS_MAX}
      ) open
    ), '[]'::jsonb) as exceptions`
}

export async function readLine(sql: SqlTag, chainId: number): Promise<LineRow | null> {
  const [row] = await sql<LineRow[]>`
    select ${lineColumns(sql)} from settlement_wallets w where chain_id = ${chainId}`
  return row ?? null
}

/** A line that stands still for another reason keeps it. */
export async function savePause(
  sql: TxSql,
  { chainId, now }: { chainId: number; now: EpochMs },
): Promise<LineRow | null> {
  const stop = { reason: 'paused', detail: 'An operator paused settling.', at: now }
  await sql`
    update settlement_wallets set stopped = ${JSON.stringify(stop)}::text::jsonb
    where chain_id = ${chainId} and stopped is null`
  return readLine(sql, chainId)
}

/**
 * Foreign transactions up to the nonce of the stop are known from now on. A replaced finalized
 * block is looked at anew.
 */
export async function saveResume(sql: TxSql, chainId: number): Promise<LineRow | null> {
  await sql`
    update settlement_wallets set stopped = null,
      known_nonce = greatest(known_nonce, coalesce((stopped ->> 'nonce')::bigint + 1, 0)),
      final_block = case when stopped ->> 'reason' = 'finalized_block_replaced' then null
        else final_block end
    where chain_id = ${chainId}`
  return readLine(sql, chainId)
}
