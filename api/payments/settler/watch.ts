// Step 6: follows every nonce that is not used for good, by the hashes of all its attempts.
// Included is provisional. Silence and disagreement of the RPCs change nothing.
import type { Block, Receipt, Transaction } from '../chain/answers.ts'
import { bytesOfHex, hexOfBytes } from '../chain/hex.ts'
import { adoptBatch } from '../settlement-batches/index.ts'
import { adoptAttempt, findLanding } from './adopt.ts'
import { findLost, readSettled } from './adopt-lost.ts'
import {
  type Attempt,
  isFollowed,
  listAttempts,
  restartPatience,
  saveFinalNonce,
  saveLeftNonce,
} from './attempt-store.ts'
import { cancelNonce, isEmpty, type Subject, subjectOf } from './cancel.ts'
import { raiseFees } from './fees.ts'
import { landReceipt } from './land.ts'
import { inLead, type Line, stopLine } from './line.ts'
import { findCalled, findOccupant } from './occupant.ts'
import { type SentAt, sendAtOnce, sendAttempt } from './send.ts'
import { findBatch, type KnownBatch, reopenBatch, saveInclusion } from './store.ts'
import type { Stop } from './wallet-store.ts'
import {
  findSentWithdrawal,
  type KnownWithdrawal,
  reopenWithdrawal,
  saveWithdrawalInclusion,
} from './withdrawal-store.ts'

export interface View {
  /** The highest block that every RPC has. */
  head: Block
  finalized: Block
  sentAt: SentAt
  /** Why the line stands still; null: it goes on. */
  stopped: Stop['reason'] | null
}

/** Looks at every nonce in flight once: sends, raises, shows, lands. */
export async function watchNonces(line: Line, view: View): Promise<void> {
  const attempts = await listAttempts(line.sql, line.config.chainId)
  const byNonce = Map.groupBy(attempts, ({ nonce }) => nonce)
  line.counts.inFlight = byNonce.size
  for (const group of byNonce.values()) await watchNonce(line, group, view)
}

async function watchNonce(line: Line, group: readonly Attempt[], view: View): Promise<void> {
  const [newest] = group
  if (newest === undefined) return
  const found = await findReceipt(line, group)
  if (found === 'unknown') return
  if (found !== 'none') return follow(line, { ...found, of: subjectOf(group) }, view)
  // A line that stopped by itself only lands; a paused one sends its stored bytes as well.
  if (view.stopped !== null && view.stopped !== 'paused') return
  const place = await showReplaced(line, group, view)
  const sought = { nonce: newest.nonce, attempts: group }
  const occupant = await findOccupant(line, sought, view.finalized.number)
  if (occupant !== null) return leaveNonce(line, group, { occupant, view })
  for (const attempt of group) await sendAttempt(line, attempt, { ...view, head: view.head.number })
  if (place !== 'no_block' || view.stopped !== null || (await cancelNonce(line, group))) return
  await raiseFees(line, newest, view.head.number)
}

interface Found {
  attempt: Attempt
  receipt: Receipt
}

interface Landing {
  hash: Buffer
  receipt: Receipt
}

/** A receipt of any attempt; `unknown` where the RPCs are silent or disagree about one. */
async function findReceipt(
  line: Line,
  group: readonly Attempt[],
): Promise<Found | 'none' | 'unknown'> {
  let known = true
  for (const attempt of group) {
    const answer = await line.chain.receipt(hexOfBytes(attempt.hash))
    if (answer.kind === 'agreed' && answer.value !== 'none')
      return { attempt, receipt: answer.value }
    if (answer.kind === 'disagreed') {
      line.counts.disagreements += 1
      line.log.warn({ nonce: attempt.nonce, hosts: answer.hosts }, 'RPCs disagree on a receipt')
    }
    known &&= answer.kind === 'agreed'
  }
  return known ? 'none' : 'unknown'
}

async function follow(
  line: Line,
  { attempt, receipt, of }: Found & { of: Subject },
  view: View,
): Promise<void> {
  const { block, gasUsed } = receipt
  const { batchId } = of
  if (batchId !== null && attempt.batchId !== null) {
    const seen = { number: block.number, hash: bytesOfHex(block.hash), gasUsed }
    await inLead(line, (sql) =>
      saveInclusion(sql, batchId, { status: 'included', hash: attempt.hash, block: seen }),
    )
  }
  if (attempt.withdrawalId !== null) {
    const seen = { number: block.number, hash: bytesOfHex(block.hash) }
    const { withdrawalId, hash } = attempt
    await inLead(line, (sql) => saveWithdrawalInclusion(sql, withdrawalId, { hash, block: seen }))
  }
  if (block.number > view.finalized.number) return
  // The chain itself must still have this block: a receipt may be older than a replacement.
  const same = await line.chain.block(block.number)
  if (same.kind !== 'agreed' || same.value.hash !== block.hash) return
  if ((await findSubject(line, of))?.status === 'completed') {
    // It has landed at another nonce, and its items may be in further batches since.
    const final = { nonce: attempt.nonce, block: block.number }
    return inLead(line, (sql) => saveFinalNonce(sql, line.config.chainId, final))
  }
  // A batch that another copy of the database landed is never failed.
  const isFailed = isEmpty(attempt) || receipt.status === 'reverted'
  const landing = isFailed ? await findLanding(line, of) : null
  if (landing === 'silent') return
  if (landing !== null) return followLanding(line, { attempt, landing, of }, view)
  await landReceipt(line, { ...attempt, ...of, empty: isEmpty(attempt) }, receipt)
}

/** The batch or withdrawal of a nonce by this database. */
async function findSubject(
  { sql }: Line,
  { batchId, withdrawalId }: Subject,
): Promise<KnownBatch | KnownWithdrawal | null> {
  if (batchId !== null) return findBatch(sql, batchId)
  return withdrawalId === null ? null : findSentWithdrawal(sql, withdrawalId)
}

/** Follows the transaction that landed the subject in place of the attempt that did not. */
async function followLanding(
  line: Line,
  { attempt, landing, of }: { attempt: Attempt; landing: Landing; of: Subject },
  view: View,
): Promise<void> {
  const { hash, receipt } = landing
  await follow(line, { attempt: { ...attempt, ...of, hash }, receipt, of }, view)
}

/**
 * A batch or withdrawal in a block which the chain has replaced is submitted again: its bytes are
 * sent at once, for nodes forget them, and their fee has its time again. `in_block`: the RPCs show
 * no receipt and no other block either, which says nothing about the fee.
 */
async function showReplaced(
  line: Line,
  group: readonly Attempt[],
  view: View,
): Promise<'no_block' | 'in_block' | 'replaced'> {
  const of = subjectOf(group)
  const { batchId, withdrawalId } = of
  const [newest] = group
  const seen = await findSubject(line, of)
  if (newest === undefined || seen === null) return 'no_block'
  const { blockNumber: number, blockHash } = seen
  if (number === null || blockHash === null) return 'no_block'
  if (!(await isReplaced(line, { number, hash: blockHash }))) return 'in_block'
  const { hash, nonce } = newest
  sendAtOnce(view.sentAt, group)
  line.counts.reorgs += 1
  line.log.warn({ batch: batchId, withdrawal: withdrawalId }, 'the block of a batch was replaced')
  await inLead(line, async (sql) => {
    if (batchId !== null)
      await saveInclusion(sql, batchId, { status: 'submitted', hash, block: null })
    if (withdrawalId !== null)
      await saveWithdrawalInclusion(sql, withdrawalId, { hash, block: null })
    await restartPatience(sql, line.config.chainId, { nonce, block: view.head.number })
  })
  return 'replaced'
}

async function isReplaced(
  line: Line,
  { number, hash }: { number: number; hash: Buffer },
): Promise<boolean> {
  const there = await line.chain.block(number)
  // A node without the block lags: only another block at its height is a replacement.
  return there.kind === 'agreed' && !bytesOfHex(there.value.hash).equals(hash)
}

/**
 * The nonce is used for good by none of these attempts: their batch or withdrawal gets another one.
 * A transaction that an earlier primary sent lands at this nonce; a foreign one stops settling, and
 * the nonce is left after the operator's word.
 */
async function leaveNonce(
  line: Line,
  group: readonly Attempt[],
  { occupant, view }: { occupant: Transaction | 'none'; view: View },
): Promise<void> {
  const [{ nonce, attempt } = { nonce: 0, attempt: 0 }] = group
  const { batchId, withdrawalId } = subjectOf(group)
  const called = occupant === 'none' ? null : await findCalled(line, occupant)
  if (called === 'silent') return
  const told = called !== null || occupant === 'none' ? null : await readSettled(line, occupant)
  if (told === 'silent') return
  const { chainId } = line.config
  const isLeft = await inLead(line, async (sql, wallet) => {
    const left = { nonce, attempt, block: view.finalized.number }
    // A commit whose answer was lost is repeated, and may find the nonce adopted.
    if (!(await isFollowed(sql, chainId, left))) return true
    const lost = told && (await findLost(sql, line, told))
    if (lost === 'silent') return null
    if (called === null && lost === null && nonce >= wallet.knownNonce) return false
    await saveLeftNonce(sql, chainId, left)
    if (batchId !== null) await reopenBatch(sql, batchId)
    if (withdrawalId !== null) await reopenWithdrawal(sql, withdrawalId)
    const landed =
      lost === null
        ? called
        : { batchId: await adoptBatch(sql, lost), withdrawalId: null, lands: true }
    if (occupant !== 'none' && landed?.lands) {
      const { hash } = occupant
      await adoptAttempt(sql, line, { ...landed, nonce, attempt: attempt + 1, hash })
    }
    return true
  })
  if (isLeft === null) return
  const fields = { batch: batchId, withdrawal: withdrawalId, nonce }
  if (isLeft) return line.log.warn(fields, 'another transaction used the nonce: a new one follows')
  const detail = 'nonce ' + nonce + ' was used by a transaction that this database does not know'
  await stopLine(line, { reason: 'foreign_transaction', detail, nonce })
}
