// Step 4: signs with the wallet's next nonce, outside of any transaction, then stores bytes, hash
// and attempt where nonce and epoch are still ours. Nothing leaves before.
import type { TxSql } from '../../database/transaction.ts'
import { bytesOfHex, type Hex, hexOfBytes, transactionHash } from '../chain/hex.ts'
import { SignerFailure, type SponsorTransaction } from '../chain/signer.ts'
import { type Attempt, countInFlight, insertAttempt } from './attempt-store.ts'
import { inLead, type Line } from './line.ts'
import { lockOpenBatch, saveInclusion } from './store.ts'
import { readWallet, saveNextNonce } from './wallet-store.ts'

/** Chosen: more transactions that are not final would wait for each other's fees. */
export const IN_FLIGHT_MAX = 16
/** Chosen: the last places are kept for tenants that have none, whatever others ask for. */
const SHARED_MAX = 12

/** Signs the first attempt of a batch; false where its turn has not come. */
export function signBatch(
  line: Line,
  { batchId, call, gas }: { batchId: string; call: Hex; gas: bigint },
): Promise<boolean> {
  return signFirst(
    line,
    { batchId, withdrawalId: null, call, gas },
    {
      lock: (sql) => lockOpenBatch(sql, batchId),
      show: (sql, hash) => saveInclusion(sql, batchId, { status: 'submitted', hash, block: null }),
    },
  )
}

/** The transaction of a batch or of a withdrawal. */
interface First {
  batchId: string | null
  withdrawalId: string | null
  call: Hex
  gas: bigint
}

/** The record that a transaction is for. */
interface Subject {
  /** False where it waits for no transaction any more. */
  lock: (sql: TxSql) => Promise<boolean>
  show: (sql: TxSql, hash: Buffer) => Promise<void>
}

/** Signs the first attempt; false where its turn has not come. */
export async function signFirst(
  line: Line,
  { batchId, withdrawalId, call, gas }: First,
  subject: Subject,
): Promise<boolean> {
  const { sql, config, chain, clock } = line
  const { chainId } = config
  const wallet = await readWallet(sql, chainId)
  const inFlight = await countInFlight(sql, { chainId, batchId, withdrawalId })
  const most = inFlight.ofTenant === 0 ? IN_FLIGHT_MAX : SHARED_MAX
  if (wallet === null || inFlight.all >= most) return false
  const forecast = await chain.fees()
  if (forecast === null) return false
  const fees = withinCap(forecast, config.maxFeeWei)
  const nonce = wallet.nextNonce
  const signed = await signAttempt(line, { nonce, to: config.settlement, data: call, gas, fees })
  if (signed === null) return false
  return inLead(line, async (inner, current) => {
    if (current.nextNonce !== nonce || current.stopped !== null) return false
    if (!(await subject.lock(inner))) return false
    await insertAttempt(inner, config.chainId, {
      ...{ nonce, attempt: 0, batchId, withdrawalId, ...signed, now: clock.nowMs() },
    })
    await saveNextNonce(inner, config.chainId, nonce + 1)
    await subject.show(inner, signed.hash)
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

/**
 * The signed bytes of one attempt as stored; null where the signer refuses or is away: a later
 * round asks again, and everything else of the line goes on.
 */
export async function signAttempt(
  line: Line,
  { nonce, to, data, gas, fees }: { nonce: number; to: Hex; data: Hex; gas: bigint; fees: Fees },
): Promise<Pick<Attempt, 'hash' | 'signed' | 'maxFeeWei' | 'tipWei'> | null> {
  const bytes = await bytesSigned(line, {
    ...{ chainId: line.config.chainId, nonce, to, data, gas },
    maxFeePerGas: fees.max,
    maxPriorityFeePerGas: fees.tip,
  })
  if (bytes === null) return null
  return {
    hash: bytesOfHex(transactionHash(bytes)),
    signed: bytesOfHex(bytes),
    maxFeeWei: fees.max,
    tipWei: fees.tip,
  }
}

async function bytesSigned(
  { signer, counts, log }: Line,
  transaction: SponsorTransaction,
): Promise<Hex | null> {
  try {
    return (await signer.signTransaction(transaction)).bytes
  } catch (error) {
    // The signer's sentence only: an error of a library may quote its input.
    const reason = error instanceof SignerFailure ? error.message : 'failed'
    counts.signerFailures += 1
    log.warn({ nonce: transaction.nonce, reason }, 'the signer gave no signature')
    return null
  }
}

/** The bytes of an attempt as they are sent. */
export function bytesOf({ signed }: Pick<Attempt, 'signed'>): Hex {
  return hexOfBytes(signed)
}
