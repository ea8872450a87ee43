// Step 7: the logs of a final receipt become the outcome of the batch, in one transaction. They
// must sum to Settled, and tell of every capture and refund that was asked for, once.

import type { SettlementFailureCode } from '../../../shared/payment-reference.ts'
import type { SettlementFailure } from '../../../shared/schemas/payment.ts'
import { centsOfUnits, unitsOfCents } from '../../../shared/token-units.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Receipt } from '../chain/answers.ts'
import { bytesOfHex, chainIdOf, type Hex, hexOfBytes } from '../chain/hex.ts'
import { type Outcome, REFUNDS_MAX, readOutcome } from '../chain/terms.ts'
import { failBatch, landBatch } from '../settlement-batches/index.ts'
import { type Attempt, readOldestNonce, saveFinalNonce } from './attempt-store.ts'
import { CANCELLED } from './cancel.ts'
import { inLead, type Line, mayBePaid, stopLine } from './line.ts'
import { keepChainBits } from './refund-bits.ts'
import { landRelease } from './release.ts'
import { batchNameOf, type ChainItem, listChainItems } from './store.ts'
import type { Wallet } from './wallet-store.ts'

const REVERTED = {
  stage: 'transaction',
  code: 'reverted' satisfies SettlementFailureCode,
  detail: null,
} as const

/** The attempt that was mined, with the subject of its nonce; `empty`: it cancelled that. */
export interface Mined extends Attempt {
  empty: boolean
}

/** The receipt is final: the batch lands, or has failed; the nonce is used for good. */
export async function landReceipt(line: Line, attempt: Mined, receipt: Receipt): Promise<void> {
  const { chainId } = line.config
  const { nonce, batchId, withdrawalId, hash } = attempt
  if (withdrawalId !== null) return landRelease(line, { ...attempt, withdrawalId }, receipt)
  const { number, hash: blockHash } = receipt.block
  const now = line.clock.nowMs()
  const block = {
    transactionHash: hash,
    blockNumber: number,
    blockHash: bytesOfHex(blockHash),
    gasUsed: receipt.gasUsed,
  }
  const final = { nonce, block: number }
  if (batchId === null)
    return void (await inLead(line, (sql) => saveFinalNonce(sql, chainId, final)))
  if (attempt.empty || receipt.status === 'reverted') {
    const failure = attempt.empty ? CANCELLED : REVERTED
    const failed = await inLead(line, async (sql, wallet) => {
      if (await mayBePaidBelow(sql, { wallet, chainId, nonce })) return false
      await saveFinalNonce(sql, chainId, final)
      return failBatch(sql, { batchId, failure, now }, attempt.empty ? null : block)
    })
    if (!failed) return
    line.counts.failed += 1
    line.log.warn({ batch: batchId, nonce, code: failure.code }, 'batch failed on the chain')
    return
  }
  const name = await batchNameOf(line.sql, batchId)
  const outcome = readOutcome(receipt.logs, name, line.config.settlement)
  const items = await listChainItems(line.sql, batchId)
  const told = outcome === null ? null : matchOutcome(items, outcome)
  if (outcome === null || told === null) {
    const detail = 'the logs of ' + hexOfBytes(hash) + ' are not those of ' + batchId
    return stopLine(line, { reason: 'outcome_apart', detail })
  }
  const landed = await inLead(line, async (sql, wallet) => {
    const isWhole = told.failures.size === 0
    if (!isWhole && (await mayBePaidBelow(sql, { wallet, chainId, nonce }))) return false
    await saveFinalNonce(sql, chainId, final)
    const feeCents = centsOfUnits(outcome.fee)
    const end = { batchId, ...told, feeUnits: outcome.fee, feeCents, ...block, now }
    if (!(await landBatch(sql, end))) return false
    await keepChainBits(sql, told.bits)
    return true
  })
  if (landed) line.counts.completed += 1
}

/**
 * True while the transaction of a lower nonce may have paid what this one could not: it has not
 * landed, or settling stands still because nobody knows it.
 */
async function mayBePaidBelow(
  sql: TxSql,
  { wallet, chainId, nonce }: { wallet: Wallet; chainId: number; nonce: number },
): Promise<boolean> {
  return mayBePaid(wallet) || ((await readOldestNonce(sql, chainId)) ?? nonce) < nonce
}

/** The traits by which the logs tell an item. */
export type NamedItem = Pick<ChainItem, 'kind' | 'id' | 'bit' | 'cents' | 'approvalHash'>

/**
 * The items that landed, the failures of the others, and the bits that the chain has for them; null
 * where an item landed that the batch does not have, with another amount, or has no log.
 */
export function matchOutcome(items: readonly NamedItem[], outcome: Outcome): Told | null {
  const byName = new Map(items.map((item) => [nameOf(item), item]))
  const landed = new Set<string>()
  const failures = new Map<string, SettlementFailure>()
  const bits = new Map<string, number>()
  for (const { name, units, reason, bit } of toldBy(outcome)) {
    const item = byName.get(name)
    // The transaction of another batch landed it, and it left this one.
    if (item === undefined && reason !== null) continue
    if (item === undefined || landed.has(item.id) || failures.has(item.id)) return null
    // The chain keeps no bit for what it refused: it may be the bit of another refund.
    if (reason === null && bit < REFUNDS_MAX && bit !== item.bit) bits.set(item.id, bit)
    if (reason !== null) failures.set(item.id, { stage: item.kind, code: reason, detail: null })
    else if (units === unitsOfCents(item.cents)) landed.add(item.id)
    else return null
  }
  return landed.size + failures.size === items.length ? { landed, failures, bits } : null
}

interface Told {
  landed: ReadonlySet<string>
  failures: ReadonlyMap<string, SettlementFailure>
  /** Bits of refunds by the chain where the database has others. */
  bits: ReadonlyMap<string, number>
}

interface ToldItem {
  /** As `nameOf` has it for an item of the database. */
  name: string
  units: bigint
  reason: string | null
  bit: number
}

/** Everything that an outcome tells of single items. */
export function toldBy({ captured, failed, refunded, refundFailed }: Outcome): readonly ToldItem[] {
  return [
    ...captured.map(({ units, ...each }) => ({ ...captureOf(each), units, reason: null })),
    ...failed.map(({ reason, ...each }) => ({ ...captureOf(each), units: 0n, reason })),
    ...refunded.map(({ id, units }) => ({ ...refundOf(id), units, reason: null })),
    ...refundFailed.map(({ id, reason }) => ({ ...refundOf(id), units: 0n, reason })),
  ]
}

function captureOf(each: { approval: Hex; index: number }): Pick<ToldItem, 'name' | 'bit'> {
  return { name: captureName(each), bit: each.index }
}

function refundOf(id: Hex): Pick<ToldItem, 'name' | 'bit'> {
  return { name: withoutBit(id), bit: Number('0x' + id.slice(-2)) }
}

function captureName({ approval, index }: { approval: Hex; index: number }): string {
  return approval + '/' + index
}

/**
 * The bytes of a refund's name that never change: its bit may be another one today, or was none,
 * where the database was put back or an earlier release wrote the call.
 */
function withoutBit(name: Hex): string {
  return name.slice(0, -2)
}

export function nameOf({ kind, id, approvalHash, bit }: NamedItem): string {
  return kind === 'refund'
    ? withoutBit(chainIdOf(id))
    : captureName({ approval: hexOfBytes(approvalHash), index: bit ?? -1 })
}
