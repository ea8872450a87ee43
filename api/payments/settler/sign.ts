// Step 4: signs with the wallet's next nonce, outside of any transaction, then stores bytes, hash
// and attempt where nonce and epoch are still ours. Nothing leaves before.
import { bytesOfHex, type Hex, hexOfBytes, transactionHash } from '../chain/hex.ts'
import { inLead, type Line } from './line.ts'
import { type Attempt, countInFlight, insertAttempt, lockOpenBatch, saveStanding } from './store.ts'
import { readWallet, saveNextNonce } from './wallet-store.ts'

/** Chosen: more transactions that are not final would wait for each other's fees. */
export const IN_FLIGHT_MAX = 16

/** Signs the first attempt of a batch; false where its turn has not come. */
export async function signBatch(
  line: Line,
  { batchId, call, gas }: { batchId: string; call: Hex; gas: bigint },
): Promise<boolean> {
  const { sql, config, chain, clock } = line
  const wallet = await readWallet(sql, config.chainId)
  if (wallet === null || (await countInFlight(sql, config.chainId)) >= IN_FLIGHT_MAX) return false
  const forecast = await chain.fees()
  if (forecast === null) return false
  const fees = withinCap(forecast, config.maxFeeWei)
  const nonce = wallet.nextNonce
  const signed = await signAttempt(line, { nonce, to: config.settlement, data: call, gas, fees })
  return inLead(line, async (inner, current) => {
    if (current.nextNonce !== nonce || current.stopped !== null) return false
    if (!(await lockOpenBatch(inner, batchId))) return false
    await insertAttempt(inner, config.chainId, {
      ...{ nonce, attempt: 0, batchId, ...signed, now: clock.nowMs() },
    })
    await saveNextNonce(inner, config.chainId, nonce + 1)
    await saveStanding(inner, batchId, { status: 'submitted', hash: signed.hash, block: null })
    return true
  })
}

export interface Fees {
  tip: bigint
  max: bigint
}

export function withinCap({ tip, max }: Fees, cap: bigint): Fees {
  return { max: max < cap ? max : cap, tip: tip < cap ? tip : cap }
}

/** The signed bytes of one attempt as stored. Throws where the signer refuses or is away. */
export async function signAttempt(
  { signer, config }: Line,
  { nonce, to, data, gas, fees }: { nonce: number; to: Hex; data: Hex; gas: bigint; fees: Fees },
): Promise<Pick<Attempt, 'hash' | 'signed' | 'maxFeeWei' | 'tipWei'>> {
  const { bytes } = await signer.signTransaction({
    ...{ chainId: config.chainId, nonce, to, data, gas },
    maxFeePerGas: fees.max,
    maxPriorityFeePerGas: fees.tip,
  })
  return {
    hash: bytesOfHex(transactionHash(bytes)),
    signed: bytesOfHex(bytes),
    maxFeeWei: fees.max,
    tipWei: fees.tip,
  }
}

/** The bytes of an attempt as they are sent. */
export function bytesOf({ signed }: Pick<Attempt, 'signed'>): Hex {
  return hexOfBytes(signed)
}
