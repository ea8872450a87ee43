// A nonce of ours that a transaction of somebody else has used. An RPC may be several nodes: one
// that is behind has no receipt of ours, while another one counts the nonce as used. Therefore the
// block that used the nonce is looked for, by calls that name their block.
import { hexOfBytes } from '../chain/hex.ts'
import type { Attempt } from './attempt-store.ts'
import type { Line } from './line.ts'

/** Blocks before the first send in which the nonce could not have been used by ours. */
const EARLIER_BLOCKS = 64

/**
 * True where the nonce is used at the finalized block, and the block that used it has none of the
 * attempts. False while the RPCs do not tell it: the next round asks again.
 */
export async function isForeign(
  { chain, signer }: Pick<Line, 'chain' | 'signer'>,
  group: readonly Attempt[],
  finalized: number,
): Promise<boolean> {
  const [{ nonce } = { nonce: 0 }] = group
  const isUsedAt = async (block: number): Promise<boolean | null> => {
    const used = await chain.nonce(signer.address, block)
    return used.kind === 'agreed' ? used.value > nonce : null
  }
  if ((await isUsedAt(finalized)) !== true) return false
  const sent = group.flatMap(({ sentBlock }) => (sentBlock === null ? [] : [sentBlock]))
  const wasSent = sent.length > 0
  // A block of which no RPC has the state any more counts as one before the use.
  let unused = wasSent ? Math.max(0, Math.min(finalized, ...sent) - EARLIER_BLOCKS) : 0
  let used = finalized
  if (wasSent && (await isUsedAt(unused)) === true) return true
  while (used - unused > 1) {
    const middle = Math.floor((used + unused) / 2)
    if ((await isUsedAt(middle)) === true) used = middle
    else unused = middle
  }
  if ((await isUsedAt(unused)) !== false) return false
  const mined = await chain.transactionsIn(used)
  if (mined.kind !== 'agreed') return false
  return !group.some(({ hash }) => mined.value.includes(hexOfBytes(hash)))
}
