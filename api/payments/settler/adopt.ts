// A database that is older than the chain, for example restored from a backup: batches that it
// takes for unsent are looked up on the chain and adopted. A transaction of the wallet that
// belongs to none of them stops the line.
import type { Receipt } from '../chain/answers.ts'
import { bytesOfHex, chainIdOf, type Hex } from '../chain/hex.ts'
import { SETTLED_TOPIC } from '../chain/terms.ts'
import { RELEASED_TOPIC } from '../chain/withdrawal-terms.ts'
import { type Attempt, insertAttempt, listAttempts } from './attempt-store.ts'
import type { Subject } from './cancel.ts'
import { inLead, type Line, stopLine } from './line.ts'
import { listUnsentBatches, saveInclusion } from './store.ts'
import { readWallet, saveNextNonce } from './wallet-store.ts'
import { listUnsentWithdrawals, saveWithdrawalInclusion } from './withdrawal-store.ts'

/** True where this database knows every transaction of the wallet; false: wait, or stopped. */
export async function adoptUnknown(line: Line): Promise<boolean> {
  const { sql, config, chain, signer } = line
  const wallet = await readWallet(sql, config.chainId)
  const used = await chain.nonce(signer.address)
  if (wallet === null || used.kind !== 'agreed') return false
  if (used.value <= wallet.nextNonce) return true
  const unknown = new Set(numbersFrom(Math.max(wallet.nextNonce, wallet.knownNonce), used.value))
  // An adoption that a silent RPC or a crash cut off has left its transactions here.
  for (const { nonce } of await listAttempts(sql, config.chainId)) unknown.delete(nonce)
  const batches = await listUnsentBatches(sql, config.chainId)
  const withdrawals = await listUnsentWithdrawals(sql, config.chainId)
  const unsent = [
    ...batches.map((id) => ({ id, batchId: id, withdrawalId: null })),
    ...withdrawals.map((id) => ({ id, batchId: null, withdrawalId: id })),
  ]
  for (const each of unsent) {
    const adopted = await adoptSent(line, each)
    if (adopted === 'silent') return false
    if (adopted !== null) unknown.delete(adopted)
  }
  const [nonce] = unknown
  if (nonce === undefined) {
    await inLead(line, (inner) => saveNextNonce(inner, config.chainId, used.value))
    return true
  }
  const detail = 'nonce ' + nonce + ' was used by a transaction that this database does not know'
  await stopLine(line, { reason: 'foreign_transaction', detail, nonce: used.value - 1 })
  return false
}

/** The nonce of the transaction that landed the batch or withdrawal; null: none did. */
async function adoptSent(
  line: Line,
  { id, batchId, withdrawalId }: { id: string } & Pick<Attempt, 'batchId' | 'withdrawalId'>,
): Promise<number | null | 'silent'> {
  const { chain, config, clock } = line
  const hash = await landingHash(line, { batchId, withdrawalId })
  if (hash === null || hash === 'silent') return hash
  const transaction = await chain.transaction(hash)
  if (transaction.kind !== 'agreed') return 'silent'
  const { nonce } = transaction.value
  const bytes = bytesOfHex(hash)
  await inLead(line, async (sql) => {
    const unsigned = { signed: Buffer.alloc(0), maxFeeWei: 0n, tipWei: 0n, now: clock.nowMs() }
    await insertAttempt(sql, config.chainId, {
      ...{ nonce, attempt: 0, batchId, withdrawalId, hash: bytes, ...unsigned },
    })
    if (batchId !== null)
      await saveInclusion(sql, batchId, { status: 'submitted', hash: bytes, block: null })
    if (withdrawalId !== null)
      await saveWithdrawalInclusion(sql, withdrawalId, { hash: bytes, block: null })
  })
  line.log.warn({ id, nonce }, 'adopted a transaction that the chain has and we did not')
  return nonce
}

/** The hash of the transaction that landed a batch or withdrawal; null: none did. */
async function landingHash(
  { chain, sql, config }: Line,
  { batchId, withdrawalId }: Subject,
): Promise<Hex | null | 'silent'> {
  const id = batchId ?? withdrawalId
  if (id === null) return null
  const done = await chain.done(chainIdOf(id))
  if (done.kind !== 'agreed') return 'silent'
  if (!done.value) return null
  const topic = batchId === null ? RELEASED_TOPIC : SETTLED_TOPIC
  // Everything of ours up to this block has landed in the database as well.
  const after = (await readWallet(sql, config.chainId))?.finalBlock ?? -1
  const hashes = await chain.settledBy(chainIdOf(id), { topic, after })
  const [hash] = hashes.kind === 'agreed' ? hashes.value : []
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
  const hash = await landingHash(line, subject)
  if (hash === null || hash === 'silent') return hash
  const answer = await line.chain.receipt(hash)
  if (answer.kind !== 'agreed' || answer.value === 'none') return 'silent'
  const receipt = answer.value
  return receipt.status === 'success' ? { hash: bytesOfHex(hash), receipt } : 'silent'
}

function numbersFrom(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
}
