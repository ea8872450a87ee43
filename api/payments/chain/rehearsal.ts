// The rehearsal of a transaction: the exact call runs on a node without being sent.
import type { Result } from '../../../shared/result.ts'
import { hexNumber, numberOf, quantityOf } from './answers.ts'
import type { Hex } from './hex.ts'
import { isRecord, type RpcFailure } from './json-rpc.ts'
import { revertReason } from './terms.ts'

/** The node refused the call, or no node answered: then the call may be repeated. */
export type Rehearsal =
  | { kind: 'passed'; gas: bigint }
  | { kind: 'refused'; reason: string }
  | { kind: 'silent' }

/** Asks the first node that answers. */
type Ask = (method: string, params: readonly unknown[]) => Promise<Result<unknown, RpcFailure>>

interface Call {
  from: Hex
  to: Hex
  data: Hex
}

/** Room between the gas that a call needs and its limit, in hundredths. */
const GAS_MARGIN = 110n
/** Nodes take no transaction with a higher limit (EIP-7825). */
const GAS_MAX = 2n ** 24n

/**
 * The limit of gas with which the call passes; a refused call costs no gas. Where a node tells what
 * the call used, one more run shows that the limit is enough, for gas that is given back counts
 * until the end. Otherwise the node estimates, which takes it up to twenty runs.
 */
export async function rehearse(ask: Ask, call: Call): Promise<Rehearsal> {
  const used = await gasUsed(ask, call)
  if (used !== null) {
    const gas = withMargin(used)
    const limited = { ...call, gas: hexNumber(Number(gas)) }
    if (gas <= GAS_MAX && (await ask('eth_call', [limited, 'latest'])).ok)
      return { kind: 'passed', gas }
  }
  const answer = await ask('eth_estimateGas', [call])
  if (answer.ok) {
    const needed = quantityOf(answer.value)
    if (needed === null) return { kind: 'silent' }
    const gas = withMargin(needed)
    // No node would take the transaction, and its nonce would hold up all later ones.
    return gas > GAS_MAX ? { kind: 'refused', reason: 'TooMuchGas' } : { kind: 'passed', gas }
  }
  if (answer.error.kind === 'unreachable') return { kind: 'silent' }
  return { kind: 'refused', reason: revertReason(answer.error.data) }
}

/** Null where the call fails, or the node does not know `eth_simulateV1`. */
async function gasUsed(ask: Ask, call: Call): Promise<bigint | null> {
  const answer = await ask('eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }, 'latest'])
  const [block] = answer.ok && Array.isArray(answer.value) ? answer.value : []
  const [told] = isRecord(block) && Array.isArray(block['calls']) ? block['calls'] : []
  if (!isRecord(told) || numberOf(told['status']) !== 1) return null
  const used = numberOf(told['gasUsed'])
  return used === null ? null : BigInt(used)
}

function withMargin(gas: bigint): bigint {
  return (gas * GAS_MARGIN) / 100n
}
