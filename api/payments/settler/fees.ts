// Fees of a transaction that waits too long: both rise by a quarter, in a new attempt of the same
// call at the same nonce, stored first.
import { readTransaction } from '../chain/signer.ts'
import { type Attempt, insertAttempt } from './attempt-store.ts'
import { inLead, type Line } from './line.ts'
import { bytesOf, type Fees, signAttempt, withinCap } from './sign.ts'

/** Nodes replace a transaction from +10 % on. */
const RISE = { times: 5n, by: 4n }

/** True where a new attempt was stored; false where the old one waits, also at the cap. */
export async function raiseFees(line: Line, newest: Attempt, head: number): Promise<boolean> {
  if (newest.signed.length === 0) return false
  const { sentBlock } = newest
  const { maxFeeWei } = line.config
  const isPatient = sentBlock !== null && head - sentBlock < line.pace.patienceBlocks
  if (isPatient) return false
  // Nodes may refuse bytes whose fee is below the base fee: these wait at the cap as well.
  if (newest.maxFeeWei >= maxFeeWei) {
    line.counts.atCap += 1
    return false
  }
  const fees =
    sentBlock === null ? await feesOfRefused(line, newest) : raisedFees(newest, maxFeeWei)
  if (fees === null) return false
  const { to, data, gas } = readTransaction(bytesOf(newest))
  const { nonce, batchId, withdrawalId } = newest
  const signed = await signAttempt(line, { nonce, to, data, gas, fees })
  if (signed === null) return false
  await inLead(line, (sql) =>
    insertAttempt(sql, line.config.chainId, {
      ...{ nonce, attempt: newest.attempt + 1, batchId, withdrawalId, ...signed },
      now: line.clock.nowMs(),
    }),
  )
  line.log.info({ nonce, max_fee_wei: String(fees.max) }, 'raised the fees of a transaction')
  return true
}

/**
 * Fees in place of those of bytes that no node took; null where their fee is not the reason. Below
 * the base fee they are never taken, also after the operator raised the cap that they were signed
 * under.
 */
async function feesOfRefused(
  { chain, config }: Line,
  refused: Pick<Attempt, 'maxFeeWei' | 'tipWei'>,
): Promise<Fees | null> {
  const forecast = await chain.fees()
  if (forecast === null || refused.maxFeeWei >= (forecast.max - forecast.tip) / 2n) return null
  // An earlier attempt may stand in the pools of nodes: these take only bytes that pay more.
  const raised = raisedFees(refused, config.maxFeeWei)
  return withinCap(
    { max: larger(forecast.max, raised.max), tip: larger(forecast.tip, raised.tip) },
    config.maxFeeWei,
  )
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

/** Fees that replace an attempt, at most the cap. */
export function raisedFees(
  { maxFeeWei, tipWei }: Pick<Attempt, 'maxFeeWei' | 'tipWei'>,
  cap: bigint,
): Fees {
  const raised = (wei: bigint): bigint => (wei * RISE.times) / RISE.by + 1n
  return withinCap({ max: raised(maxFeeWei), tip: raised(tipWei) }, cap)
}
