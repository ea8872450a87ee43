// A holder's account on the chain: its address follows from the passkey and the recovery address,
// before anything is deployed. And the checks of an address that money may be sent to.
import type { Hex } from 'viem'
import type { ChainPlace } from './chain.ts'
import { viem } from './viem.ts'

/** Terms of a holder's account: the passkey's point on P-256, and the recovery address or zero. */
export interface HolderTerms {
  x: Hex
  y: Hex
  recovery: Hex
}

export const NO_ADDRESS: Hex = `0x${'0'.repeat(40)}`

/** Settlement deploys the accounts' implementation first, so it stands at its nonce 1. */
const IMPLEMENTATION_NONCE = 1n
/** EIP-1167 clone with immutable arguments, around its length, implementation and arguments. */
const CLONE = [
  '0x61',
  '0x3d81600a3d39f3363d3d373d3d3d363d73',
  '0x5af43d82803e903d91602b57fd5bf3',
] as const
const CLONE_CODE_BYTES = 0x2d
const TERMS = [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'address' }] as const
/** Addresses up to this one belong to precompiles of chains. */
const PRECOMPILES_MAX = 0xffffn

/** The address of a holder's account, as `accountOf` of Settlement computes it; EIP-55. */
export function holderAddress(settlement: Hex, { x, y, recovery }: HolderTerms): Hex {
  const implementation = viem().getContractAddress({
    from: settlement,
    nonce: IMPLEMENTATION_NONCE,
  })
  const terms = viem().encodeAbiParameters(TERMS, [x, y, recovery])
  const length = viem().toHex((terms.length - 2) / 2 + CLONE_CODE_BYTES, { size: 2 })
  const bytecode = viem().concat([CLONE[0], length, CLONE[1], implementation, CLONE[2], terms])
  const salt = viem().pad('0x', { size: 32 })
  return viem().getContractAddress({ opcode: 'CREATE2', from: settlement, salt, bytecode })
}

/** The salt of an approval: it makes the terms of one payment or mandate unique. */
export function approvalSalt(id: string): Hex {
  return viem().keccak256(viem().stringToHex(id))
}

/**
 * The reason not to send money to an address, for programs; null where there is none. An address
 * needs the checksum of EIP-55.
 */
export function addressProblem(
  address: string,
  { token, settlement }: Pick<ChainPlace, 'token' | 'settlement'>,
): 'checksum' | 'zero' | 'precompile' | 'token' | 'settlement' | null {
  if (!viem().isAddress(address, { strict: false }) || viem().getAddress(address) !== address)
    return 'checksum'
  const value = BigInt(address)
  if (value === 0n) return 'zero'
  if (value <= PRECOMPILES_MAX) return 'precompile'
  if (value === BigInt(token)) return 'token'
  return value === BigInt(settlement) ? 'settlement' : null
}
