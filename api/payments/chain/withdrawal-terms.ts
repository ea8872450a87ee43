// The terms of a withdrawal: the digest that the passkey signs, the call that releases it, and the
// log that tells of its landing.
import type { Hex } from 'viem'
import type { TokenUnits } from '../../../shared/token-units.ts'
import { type Assertion, type ChainLog, SETTLEMENT_ABI, selectorOf, topicOf } from './terms.ts'
import { viem } from './viem.ts'

/** The topic of Released, the event of a landed withdrawal. */
export const releasedTopic = (): Hex => topicOf('Released')

/** First bytes of a call of `release`. */
export const releaseSelector = (): Hex => selectorOf('release')

const TYPE = 'Withdrawal(address account,uint256 chainId,uint256 nonce,uint96 amount,address to)'
const DIGEST = [
  { type: 'bytes32' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'uint256' },
  { type: 'uint96' },
  { type: 'address' },
] as const

/** A withdrawal as Settlement takes it. */
export interface WithdrawalTerms {
  /** The withdrawal on the chain: it lands once. */
  id: Hex
  /** The passkey's public key on P-256. */
  x: Hex
  y: Hex
  /** Zero where there is none. */
  recovery: Hex
  amount: TokenUnits
  to: Hex
}

/** The challenge of the passkey, as `withdrawalHash` of the holder's account computes it. */
export function withdrawalHash(of: {
  account: Hex
  chainId: number
  /** The account's count of used assertions. */
  nonce: number
  amount: TokenUnits
  to: Hex
}): Hex {
  const { account, chainId, nonce, amount, to } = of
  const typeHash = viem().keccak256(viem().stringToHex(TYPE))
  return viem().keccak256(
    viem().encodeAbiParameters(DIGEST, [
      typeHash,
      account,
      BigInt(chainId),
      BigInt(nonce),
      amount,
      to,
    ]),
  )
}

/** Call data of a release. */
export function encodeRelease(withdrawal: WithdrawalTerms, assertion: Assertion): Hex {
  const args = [withdrawal, assertion]
  return viem().encodeFunctionData({ abi: SETTLEMENT_ABI, functionName: 'release', args })
}

/** Token units that a withdrawal paid by the logs of its transaction; null where they name none. */
export function readReleased(
  logs: readonly ChainLog[],
  id: Hex,
  settlement: Hex,
): { units: bigint; to: Hex } | null {
  const ours = logs.filter(({ address }) => address.toLowerCase() === settlement.toLowerCase())
  const [event] = viem()
    .parseEventLogs({ abi: SETTLEMENT_ABI, logs: ours as never, strict: true })
    .map((each) => each as unknown as ReleasedLog)
    .filter(({ eventName, args }) => eventName === 'Released' && args.id === id)
  return event === undefined ? null : { units: event.args.amount, to: event.args.to }
}

interface ReleasedLog {
  eventName: string
  args: { id: Hex; to: Hex; amount: bigint }
}
