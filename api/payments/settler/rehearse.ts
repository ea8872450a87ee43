// Step 3: runs the exact call on a node without sending it. A refused call costs no gas, and fails
// its batch only after it was refused for a while.
import type { Hex } from '../chain/hex.ts'
import { failBatch } from '../settlement-batches/index.ts'
import { readUnseenNonce } from './attempt-store.ts'
import { inLead, type Line } from './line.ts'
import { batchNameOf, type OpenBatch, saveRefusal } from './store.ts'
import { readWallet } from './wallet-store.ts'

/** The gas limit of the transaction; null where it is not to be sent now. */
export async function rehearseBatch(
  line: Line,
  batch: OpenBatch,
  call: Hex,
): Promise<bigint | null> {
  const rehearsal = await line.chain.rehearse(line.signer.address, call)
  if (rehearsal.kind === 'passed') {
    // Signing may fail still: a later refusal begins anew, and the batch waits behind none.
    if (batch.refusedSince !== null) await inLead(line, (sql) => saveRefusal(sql, batch.id, null))
    return rehearsal.gas
  }
  if (rehearsal.kind === 'silent') return null
  const now = line.clock.nowMs()
  // A batch that another copy of the database has sent is adopted, never failed.
  if (await mayHaveLanded(line, batch.id)) return null
  if (batch.refusedSince === null) {
    await inLead(line, (sql) => saveRefusal(sql, batch.id, now))
    return null
  }
  if (now - batch.refusedSince < line.pace.refusedMsMax) return null
  const failure = failureOf(rehearsal.reason)
  if (await inLead(line, (sql) => failBatch(sql, { batchId: batch.id, failure, now }))) {
    line.counts.failed += 1
    line.log.warn({ batch: batch.id, reason: rehearsal.reason }, 'batch failed: rehearsal refused')
  }
  return null
}

/** The failure of a refused rehearsal: `NothingLanded: transfer_failed` has the code behind. */
export function failureOf(reason: string) {
  const code = reason.split(': ').at(-1) ?? reason
  return { stage: 'rehearsal', code: wordOf(code), detail: reason } as const
}

/**
 * False where no transaction can have landed the batch: the chain does not know its name, and every
 * nonce that is used shows a transaction of this database. The transaction of a lost batch has
 * another name, and its items may be in this one.
 */
export async function mayHaveLanded(line: Line, batchId: string): Promise<boolean> {
  const { chain, signer, config, sql } = line
  const done = await chain.done(await batchNameOf(sql, batchId))
  if (done.kind !== 'agreed' || done.value) return true
  const used = await chain.nonce(signer.address)
  const unseen = await readUnseenNonce(sql, config.chainId)
  const free = unseen ?? (await readWallet(sql, config.chainId))?.nextNonce ?? 0
  return used.kind !== 'agreed' || used.value > free
}

/** `NothingLanded` as `nothing_landed`. */
function wordOf(reason: string): string {
  return reason
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toLowerCase()
}
