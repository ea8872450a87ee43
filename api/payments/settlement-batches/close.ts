// Closes a batch: the oldest captures and refunds of one settlement account, as many as one
// transaction takes.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { BatchTrigger } from '../../../shared/schemas/settlement-batch.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import {
  type ClosingAccount,
  insertBatch,
  listWaiting,
  lockWaiting,
  saveAwaitingFunds,
  type WaitingItem,
} from './store.ts'
import type { BatchRow } from './view.ts'

export const BATCH_ITEMS_MAX = 100
/**
 * Chosen: a transaction may have 16.7 million gas since Osaka, and some chains include limits above
 * 15 million late. A limit is a tenth above what the call takes.
 */
const BATCH_GAS_MAX = 13_000_000
/** Most gas of an item; `npm run bench -- settlement` counts it. */
const ITEM_GAS = 75_000
/** More of the first capture of an account, which deploys it. */
const OPENING_GAS = 60_000
/** Nodes' pools take 128 KB a transaction. */
const BATCH_BYTES_MAX = 110_000
/** Bytes of a capture beside its assertion's: 19 words, and the padding of two texts. */
const ITEM_BYTES = 680
const BPS = 10_000

export interface Closing {
  account: ClosingAccount
  trigger: BatchTrigger
  /** Cents that the payee's address lets Settlement draw beyond the batch's own captures. */
  drawableCents: number
  /** Installation time, for the id. */
  now: EpochMs
  /** By the tenant's clock. */
  tenantNow: EpochMs
}

/** The batch; null where nothing waits that could be paid. */
export async function closeBatch(sql: TxSql, closing: Closing): Promise<BatchRow | null> {
  const { account, trigger, drawableCents, now, tenantNow } = closing
  const locked = await lockWaiting(sql, account.id, BATCH_ITEMS_MAX)
  if (locked === null) return null
  const { feeBps, waiting } = locked
  const chosen = chooseItems(waiting, { feeBps, drawableCents })
  await saveAwaitingFunds(sql, idsOf(chosen.short, 'refund'))
  const { taken, grossCents } = chosen
  if (taken.length === 0) return null
  return insertBatch(sql, {
    id: newId('stb', now),
    account,
    trigger,
    captureIds: idsOf(taken, 'capture'),
    refundIds: idsOf(taken, 'refund'),
    grossCents,
    refundsCents: sumOf(taken, 'refund'),
    feeBps,
    feeCents: feeOf(grossCents, feeBps),
    now: tenantNow,
  })
}

/** The fee in whole cents, rounded down, as the contract counts it. */
function feeOf(grossCents: number, feeBps: number): number {
  return Number((BigInt(grossCents) * BigInt(feeBps)) / BigInt(BPS))
}

/**
 * The items that fit into one transaction, the oldest first. A refund is taken while the captures
 * of the batch, or else the payee's allowance, can pay it; the others are short of funds.
 */
export function chooseItems(
  waiting: readonly WaitingItem[],
  { feeBps, drawableCents }: { feeBps: number; drawableCents: number },
): { taken: readonly WaitingItem[]; short: readonly WaitingItem[]; grossCents: number } {
  const fitting = waiting.slice(0, fittingCount(waiting))
  const grossCents = sumOf(fitting, 'capture')
  let left = grossCents - feeOf(grossCents, feeBps) + drawableCents
  const short: WaitingItem[] = []
  const taken = fitting.filter((item) => {
    if (item.kind === 'capture') return true
    if (item.cents <= left) left -= item.cents
    else short.push(item)
    return !short.includes(item)
  })
  return { taken, short, grossCents }
}

/** True where more waits for a batch of the account than a transaction takes. */
export async function fillsBatch(sql: SqlTag, accountId: string): Promise<boolean> {
  const waiting = await listWaiting(sql, accountId, BATCH_ITEMS_MAX)
  return fittingCount(waiting) < waiting.length
}

/** Number of the first items whose bytes and gas a transaction takes; at least one goes. */
function fittingCount(waiting: readonly WaitingItem[]): number {
  const opened = new Set<string>()
  let bytes = 0
  for (const [count, item] of waiting.entries()) {
    bytes += item.bytes + ITEM_BYTES
    if (item.opens !== null) opened.add(item.opens)
    const gas = (count + 1) * ITEM_GAS + opened.size * OPENING_GAS
    if ((bytes > BATCH_BYTES_MAX || gas > BATCH_GAS_MAX) && count > 0) return count
  }
  return waiting.length
}

function idsOf(items: readonly WaitingItem[], kind: WaitingItem['kind']): string[] {
  return items.filter((item) => item.kind === kind).map(({ id }) => id)
}

function sumOf(items: readonly WaitingItem[], kind: WaitingItem['kind']): number {
  return items.reduce((sum, item) => (item.kind === kind ? sum + item.cents : sum), 0)
}
