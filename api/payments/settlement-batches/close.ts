// Closes a batch: the oldest captures and refunds of one settlement account, as many as one
// transaction takes.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { BatchTrigger } from '../../../shared/schemas/settlement-batch.ts'
import type { TxSql } from '../../database/transaction.ts'
import {
  type ClosingAccount,
  insertBatch,
  lockWaiting,
  saveAwaitingFunds,
  type WaitingItem,
} from './store.ts'
import type { BatchRow } from './view.ts'

/**
 * Chosen: 100 captures that deploy their account take 13 million gas of the 16.7 million that a
 * transaction may have since Osaka.
 */
export const BATCH_ITEMS_MAX = 100
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
  const { feeBps, waiting } = await lockWaiting(sql, account.id, BATCH_ITEMS_MAX)
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
  const fitting: WaitingItem[] = []
  let bytes = 0
  for (const item of waiting) {
    bytes += item.bytes + ITEM_BYTES
    if (bytes > BATCH_BYTES_MAX && fitting.length > 0) break
    fitting.push(item)
  }
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

function idsOf(items: readonly WaitingItem[], kind: WaitingItem['kind']): string[] {
  return items.filter((item) => item.kind === kind).map(({ id }) => id)
}

function sumOf(items: readonly WaitingItem[], kind: WaitingItem['kind']): number {
  return items.reduce((sum, item) => (item.kind === kind ? sum + item.cents : sum), 0)
}
