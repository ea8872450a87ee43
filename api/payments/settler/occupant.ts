// The transaction that used a nonce of ours in place of the attempts that this database knows. An
// RPC may be several nodes: one that is behind has no receipt of ours, while another one counts the
// nonce as used. Therefore the block that used the nonce is looked for, by calls that name theirs.
import type { Transaction } from '../chain/answers.ts'
import { hexOfBytes, wordAt } from '../chain/hex.ts'
import type { Attempt } from './attempt-store.ts'
import type { Subject } from './cancel.ts'
import type { Line } from './line.ts'
import { listCallable } from './store.ts'
import { readWallet } from './wallet-store.ts'

/**
 * The transaction, where the nonce is used at the finalized block and by none of the attempts;
 * `none`: no transaction of that block used it. Null while the RPCs do not tell it: the next round
 * asks again.
 */
export async function findOccupant(
  line: Line,
  { nonce, attempts }: { nonce: number; attempts: readonly Attempt[] },
  finalized: number,
): Promise<Transaction | 'none' | null> {
  const { chain, signer, counts, config } = line
  const isUsedAt = async (block: number): Promise<boolean | null> => {
    const used = await chain.nonce(signer.address, block)
    return used.kind === 'agreed' ? used.value > nonce : null
  }
  if ((await isUsedAt(finalized)) !== true) return null
  const compared = (await readWallet(line.sql, config.chainId))?.finalBlock ?? 0
  // Balances are compared where everything has landed: the nonce was not used in that block.
  const start = compared < finalized ? compared : 0
  let unused = start
  let used = finalized
  while (used - unused > 1) {
    const middle = Math.floor((used + unused) / 2)
    // A block of which no RPC has the state any more counts as one before the use.
    if ((await isUsedAt(middle)) === true) used = middle
    else unused = middle
  }
  const isFound = unused === start || (await isUsedAt(unused)) === false
  const there = { block: used, from: signer.address, nonce }
  const mined = isFound ? await chain.transactionIn(there) : null
  if (mined?.kind !== 'agreed') {
    counts.problems = ['no RPC tells of the transaction that used nonce ' + nonce]
    return null
  }
  const { value } = mined
  const isOurs = value !== 'none' && attempts.some(({ hash }) => hexOfBytes(hash) === value.hash)
  return isOurs ? null : value
}

interface Called extends Subject {
  /** True where the transaction landed it and this database does not know that. */
  lands: boolean
}

/**
 * The batch or withdrawal that a final transaction was for; null: the database has none such, or it
 * counts as failed although its money has moved. A reverted transaction moves nothing, whichever
 * batch it was for.
 */
export async function findCalled(
  { chain, config, sql }: Line,
  { hash, to, input }: Transaction,
): Promise<Called | null | 'silent'> {
  if (to !== config.settlement.toLowerCase()) return null
  const name = wordAt(input, 0)
  const callable = await listCallable(sql, config.chainId)
  const called = callable.find((each) => each.name === name)
  const answer = await chain.receipt(hash)
  if (answer.kind !== 'agreed' || answer.value === 'none') return 'silent'
  const isPaid = answer.value.status === 'success'
  const { batchId = null, withdrawalId = null, status } = called ?? {}
  if (isPaid && (called === undefined || status === 'failed')) return null
  return { batchId, withdrawalId, lands: isPaid && status !== 'completed' }
}
