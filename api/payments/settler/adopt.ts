// A database that is older than the chain, for example restored from a backup, or a standby that
// took over without the last sends: transactions of the wallet that it does not know are looked up
// on the chain and adopted. One that settled or released nothing of it stops the line.

import type { TxSql } from '../../database/transaction.ts'
import type { Receipt, Transaction } from '../chain/answers.ts'
import { bytesOfHex, chainIdOf, type Hex } from '../chain/hex.ts'
import { settledTopic } from '../chain/terms.ts'
import { releasedTopic } from '../chain/withdrawal-terms.ts'
import { adoptBatch } from '../settlement-batches/index.ts'
import { findLost, readSettled } from './adopt-lost.ts'
import { type Attempt, insertAttempt, isFollowed, listNonces } from './attempt-store.ts'
import type { Subject } from './cancel.ts'
import { inLead, type Line, stopLine } from './line.ts'
import { findCalled, findOccupant } from './occupant.ts'
import { batchNameOf, ENDED, listCallable, saveInclusion } from './store.ts'
import { readWallet, saveNextNonce } from './wallet-store.ts'
import { saveWithdrawalInclusion } from './withdrawal-store.ts'

/**
 * True where this database knows every transaction of the wallet; false: wait, or stopped. Only a
 * final transaction is adopted: nobody could send the bytes of one again that the chain gave up.
 */
export async function adoptUnknown(line: Line, finalized: number): Promise<boolean> {
  const { sql, config, chain, signer } = line
  const wallet = await readWallet(sql, config.chainId)
  const latest = await chain.nonce(signer.address)
  if (wallet === null || latest.kind !== 'agreed') return false
  if (latest.value <= wallet.nextNonce) return true
  const used = await chain.nonce(signer.address, finalized)
  if (used.kind !== 'agreed' || used.value <= wallet.nextNonce) return false
  const unknown = new Set(numbersFrom(wallet.nextNonce, used.value))
  // An adoption that a silent RPC or a crash cut off has left its transactions here.
  for (const nonce of await listNonces(sql, config.chainId, wallet.nextNonce)) unknown.delete(nonce)
  await adoptLanded(line, unknown)
  let foreign: number | null = null
  for (const nonce of unknown) {
    const known = await adoptOccupant(line, nonce, finalized)
    if (known === 'silent') return false
    // Since an operator's word one may be known again: its captures were asked for once more.
    if (!known && nonce >= wallet.knownNonce) foreign = nonce
  }
  if (foreign === null) {
    await inLead(line, (inner) => saveNextNonce(inner, config.chainId, used.value))
    return latest.value === used.value
  }
  // The operator's word counts for the lower ones as well: all of ours are adopted before it.
  const detail = 'nonce ' + foreign + ' was used by a transaction that this database does not know'
  await stopLine(line, { reason: 'foreign_transaction', detail, nonce: foreign })
  return false
}

/**
 * Adopts, by their events, the transactions of these nonces that landed something, and takes their
 * nonces off: nodes keep events longer than the states by which the rest is found.
 */
async function adoptLanded(line: Line, unknown: Set<number>): Promise<void> {
  const { sql, chain, config, signer } = line
  for (const { name, batchId, withdrawalId, status } of await listCallable(sql, config.chainId)) {
    if (unknown.size === 0) return
    if (ENDED.includes(status)) continue
    const of = { batchId, withdrawalId }
    const hash = await landingHash(line, { ...of, name })
    if (hash === null || hash === 'silent') continue
    const transaction = await chain.transaction(hash)
    if (transaction.kind !== 'agreed') continue
    const { from, nonce } = transaction.value
    if (from !== signer.address.toLowerCase() || !unknown.delete(nonce)) continue
    await inLead(line, (inner) => adoptAttempt(inner, line, { ...of, nonce, attempt: 0, hash }))
  }
}

/** Adopts the transaction that used a nonce; false where it is a foreign one. */
async function adoptOccupant(
  line: Line,
  nonce: number,
  finalized: number,
): Promise<boolean | 'silent'> {
  const occupant = await findOccupant(line, { nonce, attempts: [] }, finalized)
  if (occupant === null) return 'silent'
  if (occupant === 'none') return false
  const called = await findCalled(line, occupant)
  if (called === 'silent') return 'silent'
  if (called === null) return adoptLost(line, nonce, occupant)
  const { lands, ...of } = called
  const { hash } = occupant
  if (lands)
    await inLead(line, (sql) => adoptAttempt(sql, line, { ...of, nonce, attempt: 0, hash }))
  return true
}

/** Adopts a transaction by what it settled; false where the database knows that no better. */
async function adoptLost(
  line: Line,
  nonce: number,
  occupant: Transaction,
): Promise<boolean | 'silent'> {
  const { chainId } = line.config
  const told = await readSettled(line, occupant)
  if (told === null) return false
  if (told === 'silent') return 'silent'
  return inLead(line, async (sql) => {
    const adopted = { nonce, attempt: 0, withdrawalId: null, hash: occupant.hash }
    // A commit whose answer was lost is repeated.
    if (await isFollowed(sql, chainId, adopted)) return true
    const lost = await findLost(sql, line, told)
    if (lost === null) return false
    if (lost === 'silent') return 'silent'
    await adoptAttempt(sql, line, { ...adopted, batchId: await adoptBatch(sql, lost) })
    return true
  })
}

/** Records a transaction of an earlier primary as an attempt, which lands like any other. */
export async function adoptAttempt(
  sql: TxSql,
  { config, clock, log }: Line,
  adopted: Subject & Pick<Attempt, 'nonce' | 'attempt'> & { hash: Hex },
): Promise<void> {
  const { batchId, withdrawalId, nonce } = adopted
  const hash = bytesOfHex(adopted.hash)
  const unsigned = { signed: Buffer.alloc(0), maxFeeWei: 0n, tipWei: 0n, now: clock.nowMs() }
  await insertAttempt(sql, config.chainId, { ...adopted, hash, ...unsigned })
  if (batchId !== null)
    await saveInclusion(sql, batchId, { status: 'submitted', hash, block: null })
  if (withdrawalId !== null) await saveWithdrawalInclusion(sql, withdrawalId, { hash, block: null })
  const fields = { batch: batchId, withdrawal: withdrawalId, nonce }
  log.warn(fields, 'adopted a transaction that the chain has and we did not')
}

/** The hash of the transaction that landed a batch or withdrawal; null: none did. */
async function landingHash(
  { chain, sql, config, counts }: Line,
  { name, batchId, withdrawalId }: Subject & { name: Hex },
): Promise<Hex | null | 'silent'> {
  const done = await chain.done(name)
  if (done.kind !== 'agreed') return 'silent'
  if (!done.value) return null
  const topic = batchId === null ? releasedTopic() : settledTopic()
  // Everything of ours up to this block has landed in the database as well.
  const after = (await readWallet(sql, config.chainId))?.finalBlock ?? -1
  const hashes = await chain.settledBy(name, { topic, after })
  const [hash] = hashes.kind === 'agreed' ? hashes.value : []
  if (hash === undefined)
    counts.problems = ['no RPC tells of the transaction that landed ' + (batchId ?? withdrawalId)]
  return hash ?? 'silent'
}

/**
 * The transaction that landed a batch or withdrawal although none of its attempts did: another copy
 * of the database signed it. Null: none did.
 */
export async function findLanding(
  line: Line,
  subject: Subject,
): Promise<{ hash: Buffer; receipt: Receipt } | null | 'silent'> {
  const { batchId, withdrawalId } = subject
  if (batchId === null && withdrawalId === null) return null
  const name =
    batchId === null ? chainIdOf(withdrawalId ?? '') : await batchNameOf(line.sql, batchId)
  const hash = await landingHash(line, { ...subject, name })
  if (hash === null || hash === 'silent') return hash
  const answer = await line.chain.receipt(hash)
  if (answer.kind !== 'agreed' || answer.value === 'none') return 'silent'
  const receipt = answer.value
  return receipt.status === 'success' ? { hash: bytesOfHex(hash), receipt } : 'silent'
}

function numbersFrom(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
}
