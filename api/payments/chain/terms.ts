// The contracts' terms: approvals as the passkey signs them, the call of a batch, and the outcome
// that its logs tell.
import { readFileSync } from 'node:fs'
import type { Abi, Hex } from 'viem'
import type { TokenUnits } from '../../../shared/token-units.ts'
import { viem } from './viem.ts'

interface Artifact {
  abi: Abi
  bytecode: Hex
  deployed_bytecode: Hex
  immutables: readonly { start: number; length: number }[]
}

/** `Settlement-1`: as an earlier release deployed it, with the same calls and events. */
export type ContractName = 'HolderAccount' | 'Settlement' | 'Settlement-1' | 'UsdToken'

/** A contract as it was compiled and checked in. */
export function readArtifact(name: ContractName): Artifact {
  const url = new URL('../contracts/artifacts/' + name + '.json', import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8'))
}

export const SETTLEMENT_ABI: Abi = readArtifact('Settlement').abi

/** The functions that the sandbox's token shares with every ERC-20. */
export const TOKEN_ABI: Abi = readArtifact('UsdToken').abi

/** The topic of Settled, the event of a landed batch. */
export const settledTopic = (): Hex => topicOf('Settled')

/** First bytes of a call of `settle`, or of another function of Settlement. */
export const settleSelector = (): Hex => selectorOf('settle')

/** The terms that a holder's passkey signs. */
export interface Approval {
  /** The passkey's public key on P-256. */
  x: Hex
  y: Hex
  /** Zero where there is none. */
  recovery: Hex
  payee: Hex
  limit: TokenUnits
  /** Unix seconds. */
  validUntil: bigint
  salt: Hex
}

/** A WebAuthn assertion in the form the contract checks. */
export interface Assertion {
  r: Hex
  s: Hex
  challengeIndex: bigint
  typeIndex: bigint
  authenticatorData: Hex
  clientDataJSON: string
}

export interface Batch {
  id: Hex
  payee: Hex
  captures: readonly {
    approval: Approval
    index: number
    amount: TokenUnits
    assertion: Assertion
  }[]
  refunds: readonly { id: Hex; approval: Approval; amount: TokenUnits }[]
  /** Hundredths of a per cent of what lands, 0 to 500. */
  feeBps: number
}

const APPROVAL_FIELDS = [
  { name: 'x', type: 'bytes32' },
  { name: 'y', type: 'bytes32' },
  { name: 'recovery', type: 'address' },
  { name: 'payee', type: 'address' },
  { name: 'limit', type: 'uint96' },
  { name: 'validUntil', type: 'uint64' },
  { name: 'salt', type: 'bytes32' },
] as const
const APPROVAL_STRUCT = [{ name: 'type', type: 'bytes32' }, ...APPROVAL_FIELDS] as const
const APPROVAL_TYPE =
  'Approval(' + APPROVAL_FIELDS.map(({ type, name }) => type + ' ' + name).join() + ')'
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

let approvalType: Hex | null = null
/** By chain id and contract: an installation has two. */
const DOMAINS = new Map<string, Hex>()
const DOMAINS_MAX = 100

/**
 * The EIP-712 digest of an approval: the challenge of the passkey. The domain and the type are
 * hashed once: the whole takes 0.12 ms instead of the library's 0.4 ms.
 */
export function approvalHash(at: { chainId: number; settlement: Hex }, approval: Approval): Hex {
  const { x, y, recovery, payee, limit, validUntil, salt } = approval
  approvalType ??= viem().keccak256(viem().stringToHex(APPROVAL_TYPE))
  const terms = [approvalType, x, y, recovery, payee, limit, validUntil, salt] as const
  const struct = viem().keccak256(viem().encodeAbiParameters(APPROVAL_STRUCT, terms))
  return viem().keccak256(viem().concat(['0x1901', domainOf(at), struct]))
}

function domainOf({ chainId, settlement }: { chainId: number; settlement: Hex }): Hex {
  const name = chainId + '/' + settlement
  const known = DOMAINS.get(name)
  if (known !== undefined) return known
  const domain = viem().hashStruct({
    data: { name: 'Settlement', version: '1', chainId, verifyingContract: settlement },
    primaryType: 'EIP712Domain',
    types: { EIP712Domain: DOMAIN_FIELDS },
  })
  if (DOMAINS.size >= DOMAINS_MAX) DOMAINS.clear()
  DOMAINS.set(name, domain)
  return domain
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const NUMBER_BYTES = 32

/**
 * A browser's assertion for the contract; null where a part of it is missing. An `s` in the upper
 * half of the order becomes its counterpart in the lower half: half of all authenticators'
 * signatures are there, and the contract refuses them. `challenge` and `type` are found by their
 * index, because authenticators order the keys differently.
 */
export function assertionFor(raw: {
  authenticatorData: Uint8Array
  clientDataJson: string
  /** r and s, 64 bytes. */
  signature: Uint8Array
}): Assertion | null {
  const typeIndex = raw.clientDataJson.indexOf('"type":"webauthn.get"')
  const challengeIndex = raw.clientDataJson.indexOf('"challenge":"')
  if (typeIndex < 0 || challengeIndex < 0 || raw.signature.length !== 2 * NUMBER_BYTES) return null
  const signature = viem().toHex(raw.signature)
  const s = BigInt(viem().slice(signature, NUMBER_BYTES))
  return {
    r: viem().slice(signature, 0, NUMBER_BYTES),
    s: viem().toHex(s > ORDER / 2n ? ORDER - s : s, { size: NUMBER_BYTES }),
    // The contract counts bytes; both keys stand before any text that is not ASCII could.
    challengeIndex: BigInt(Buffer.byteLength(raw.clientDataJson.slice(0, challengeIndex))),
    typeIndex: BigInt(Buffer.byteLength(raw.clientDataJson.slice(0, typeIndex))),
    authenticatorData: viem().toHex(raw.authenticatorData),
    clientDataJSON: raw.clientDataJson,
  }
}

/** Call data of a batch. */
export function encodeSettle({ id, payee, captures, refunds, feeBps }: Batch): Hex {
  return viem().encodeFunctionData({
    abi: SETTLEMENT_ABI,
    functionName: 'settle',
    args: [id, payee, captures, refunds, BigInt(feeBps)],
  })
}

/** Bits of an approval on the chain: each capture under it takes one. */
export const CAPTURES_MAX = 64

/** Bits of an approval for refunds: each keeps its own, also where it is tried again. */
export const REFUNDS_MAX = 64

const TRANSFER_FAILED = 'transfer_failed'

export const REASONS = [
  'none',
  'wrong_payee',
  'expired',
  'invalid_index',
  'already_landed',
  'amount_not_allowed',
  'invalid_assertion',
  TRANSFER_FAILED,
] as const
export type Reason = (typeof REASONS)[number] | 'unknown'

export interface Outcome {
  captured: readonly { approval: Hex; index: number; units: bigint }[]
  failed: readonly { approval: Hex; index: number; reason: Reason }[]
  refunded: readonly { id: Hex; units: bigint }[]
  refundFailed: readonly { id: Hex; reason: Reason }[]
  gross: bigint
  refunds: bigint
  fee: bigint
}

export interface ChainLog {
  address: Hex
  topics: readonly Hex[]
  data: Hex
}

/**
 * The outcome of a batch by the logs of its transaction. Null where they do not tell it whole: no
 * Settled of this batch, or sums of the single logs that are not those of Settled.
 */
export function readOutcome(
  logs: readonly ChainLog[],
  batch: Hex,
  settlement: Hex,
): Outcome | null {
  const ours = logs.filter(({ address }) => address.toLowerCase() === settlement.toLowerCase())
  const events = viem()
    .parseEventLogs({ abi: SETTLEMENT_ABI, logs: ours as never, strict: true })
    .map((event) => event as unknown as { eventName: string; args: EventFields })
    .filter(({ args }) => args.batch === batch)
  const named = (name: string): EventFields[] =>
    events.filter(({ eventName }) => eventName === name).map(({ args }) => args)
  const [settled, ...more] = named('Settled')
  if (settled === undefined || more.length > 0) return null
  const outcome: Outcome = {
    captured: named('Captured').map(({ approval, index, amount }) => ({
      approval,
      index,
      units: amount,
    })),
    failed: named('CaptureFailed').map(({ approval, index, reason }) => ({
      approval,
      index,
      reason: REASONS[reason] ?? 'unknown',
    })),
    refunded: named('Refunded').map(({ id, amount }) => ({ id, units: amount })),
    refundFailed: named('RefundFailed').map(({ id, reason }) => ({
      id,
      reason: REASONS[reason] ?? 'unknown',
    })),
    gross: settled.gross,
    refunds: settled.refunds,
    fee: settled.fee,
  }
  return sumOf(outcome.captured) === outcome.gross && sumOf(outcome.refunded) === outcome.refunds
    ? outcome
    : null
}

interface EventFields {
  batch: Hex
  approval: Hex
  id: Hex
  index: number
  amount: bigint
  reason: number
  gross: bigint
  refunds: bigint
  fee: bigint
}

function sumOf(rows: readonly { units: bigint }[]): bigint {
  return rows.reduce((sum, { units }) => sum + units, 0n)
}

/** Most characters of the words with which a token refuses. */
const WORDS_MAX = 200

/**
 * The reason of a refused rehearsal by the error of the contract, or of the token below it:
 * `NothingLanded: transfer_failed`, `Blocked: transfer_failed`.
 */
export function revertReason(data: string | null): string {
  if (data === null) return 'reverted'
  const own = errorOf(SETTLEMENT_ABI, data)
  const refusal = own === null ? errorOf(TOKEN_ABI, data)?.name : refusalOfToken(own)
  if (refusal !== undefined) return refusal + ': ' + TRANSFER_FAILED
  if (own === null)
    return 'reverted with ' + viem().slice(data as Hex, 0, Math.min(4, (data.length - 2) / 2))
  const reason = own.name === 'NothingLanded' ? REASONS[Number(own.args[0])] : undefined
  return own.name + (reason === undefined ? '' : ': ' + reason)
}

interface RevertError {
  name: string
  args: readonly unknown[]
}

function errorOf(abi: Abi, data: string): RevertError | null {
  try {
    const { errorName, args } = viem().decodeErrorResult({ abi, data: data as Hex })
    return { name: errorName, args: args ?? [] }
  } catch {
    return null
  }
}

/** A token says no in words, which no contract of ours does, or by answering false. */
function refusalOfToken({ name, args }: RevertError): string | undefined {
  if (name === 'Error')
    return String(args[0])
      .slice(0, WORDS_MAX)
      .replace(/[^\x20-\x7e]/g, '?')
  return name === 'SafeERC20FailedOperation' ? name : undefined
}

export function selectorOf(name: string): Hex {
  const item = SETTLEMENT_ABI.find((each) => each.type === 'function' && each.name === name)
  if (item === undefined || item.type !== 'function') throw new Error('No function ' + name)
  return viem().toFunctionSelector(item)
}

export function topicOf(name: string): Hex {
  const item = SETTLEMENT_ABI.find((each) => each.type === 'event' && each.name === name)
  if (item === undefined || item.type !== 'event') throw new Error('No event ' + name)
  return viem().toEventSelector(item)
}
