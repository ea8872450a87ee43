// A settlement line: one chain, its wallet, and the epoch of the process that leads it. Every write
// of the line goes through `inLead`, which a later leader's epoch refuses.
import type { Clock } from '../../../shared/clock.ts'
import type { Logger } from '../../../shared/log.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainConfig } from '../chain/chain-config.ts'
import type { Signer } from '../chain/signer.ts'
import type { LineCounts } from './metrics.ts'
import { lockWallet, type Stop, saveStop, type Wallet } from './wallet-store.ts'

/** How fast a line goes, in milliseconds and blocks. */
export interface Pace {
  /** Items wait this long for others of their account. */
  intervalMs: number
  /** A rehearsal that is refused for longer fails its batch. */
  refusedMsMax: number
  /** Stored bytes are sent again after this time. */
  resendMs: number
  /** Blocks without inclusion before the fees rise. */
  patienceBlocks: number
  /** Pause between two rounds. */
  roundMs: number
}

export const PACES: { readonly [environment in 'sandbox' | 'live']: Pace } = {
  sandbox: {
    intervalMs: 1000,
    refusedMsMax: 5000,
    resendMs: 3000,
    patienceBlocks: 3,
    roundMs: 200,
  },
  live: {
    intervalMs: 60_000,
    refusedMsMax: 15 * 60_000,
    resendMs: 10_000,
    patienceBlocks: 3,
    roundMs: 1000,
  },
}

export interface Line {
  sql: Sql
  chain: Chain
  config: ChainConfig
  signer: Signer
  pace: Pace
  clock: Clock
  log: Logger
  counts: LineCounts
  epoch: number
}

/** Another process leads the chain since: this one stops writing. */
export class LeadLost extends Error {
  override readonly name = 'LeadLost'
}

/**
 * One transaction of the line, with its wallet locked. The work must be safe to repeat. Throws
 * LeadLost where a later epoch has begun.
 */
export function inLead<Value>(
  line: Pick<Line, 'sql' | 'config' | 'epoch'>,
  work: (sql: TxSql, wallet: Wallet) => Promise<Value>,
): Promise<Value> {
  return tx(
    line.sql,
    async (sql) => {
      const wallet = await lockWallet(sql, line.config.chainId)
      if (wallet === null || wallet.epoch !== line.epoch)
        throw new LeadLost('another process leads chain ' + line.config.chainId)
      return work(sql, wallet)
    },
    { safeToRepeat: true },
  )
}

/** Stops the line until an operator's word; authorizing goes on. The first reason stays. */
export async function stopLine(line: Line, stop: Omit<Stop, 'at'>): Promise<void> {
  const { chainId } = line.config
  const at = line.clock.nowMs()
  if (await inLead(line, (sql) => saveStop(sql, chainId, { ...stop, at })))
    line.log.error({ chain_id: chainId, ...stop }, 'settling stopped until an operator resumes it')
}

/**
 * True while a foreign transaction stops the line: it may have paid what another one could not, and
 * nothing fails before the operator's word.
 */
export function mayBePaid({ stopped }: Pick<Wallet, 'stopped'>): boolean {
  return stopped?.reason === 'foreign_transaction'
}
