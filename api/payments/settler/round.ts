// One round of a line: follows what is in flight, compares balances, then closes, encodes,
// rehearses, signs and sends. While the line is stopped it only lands what was sent.

import { adoptUnknown } from './adopt.ts'
import { type BalanceCursor, compareBalances, finalityStands } from './balances.ts'
import { failCancelled, failLeftWithdrawals } from './cancel.ts'
import { closeDue } from './close.ts'
import { encodeBatch } from './encode.ts'
import { countExceptions } from './exceptions.ts'
import type { Line } from './line.ts'
import { rehearseBatch } from './rehearse.ts'
import { signWithdrawals } from './release.ts'
import type { SentAt } from './send.ts'
import { IN_FLIGHT_MAX, signBatch } from './sign.ts'
import { listOpenBatches } from './store.ts'
import { readWallet } from './wallet-store.ts'
import { watchNonces } from './watch.ts'

/** State of a leader between its rounds; nothing of it is needed after a restart. */
export interface RoundState {
  sentAt: SentAt
  cursor: BalanceCursor
}

export function newRoundState(): RoundState {
  return { sentAt: new Map(), cursor: { after: '' } }
}

/** Never throws for a silent chain: the next round asks again. */
export async function runRound(line: Line, state: RoundState): Promise<void> {
  const { chain, config, counts } = line
  await closeDue(line)
  const problems = await chain.problems(line.signer.address)
  counts.problems = problems
  if (problems.length > 0) return
  const [head, finalized] = await Promise.all([chain.head(), chain.finalized()])
  if (head === null || finalized === null) return
  const wallet = await readWallet(line.sql, config.chainId)
  counts.stopped = wallet?.stopped?.reason ?? null
  if (wallet === null) return
  const stopped = wallet.stopped?.reason ?? null
  // A chain whose finalized blocks change tells nothing that could be landed.
  if (stopped === 'finalized_block_replaced' || !(await finalityStands(line, wallet))) return
  const view = { head, finalized, sentAt: state.sentAt, stopped }
  if (stopped !== null) return watchNonces(line, view)
  const isWhole = await adoptUnknown(line, finalized.number)
  await watchNonces(line, view)
  if (!isWhole) return
  await failLeftWithdrawals(line)
  await compareBalances(line, finalized, state.cursor)
  counts.exceptions = await countExceptions(line)
  const released = await signWithdrawals(line)
  if ((await signOpen(line)) || released) await watchNonces(line, view)
}

/** Brings open batches to their transaction; true where one was signed. */
async function signOpen(line: Line): Promise<boolean> {
  let signed = false
  for (const batch of await listOpenBatches(line.sql, line.config.chainId, IN_FLIGHT_MAX)) {
    if (batch.cancelled) {
      await failCancelled(line, batch)
      continue
    }
    const call = await encodeBatch(line, batch)
    const gas = call === null ? null : await rehearseBatch(line, batch, call)
    if (call === null || gas === null) continue
    if (await signBatch(line, { batchId: batch.id, call, gas })) signed = true
  }
  return signed
}
