// Bytes of the database as the chain writes them, and back; the chain's names of our ids.
import type { Hex } from 'viem'
import { viem } from './viem.ts'

export type { Hex } from 'viem'

export function hexOfBytes(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

export function bytesOfHex(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

/** The 32 bytes by which the contract knows a batch or an approval of ours. */
export function chainIdOf(id: string): Hex {
  return viem().keccak256(viem().stringToHex(id))
}

/**
 * The 32 bytes by which the contract knows a refund: the last one is its bit under the approval.
 * Calls of an earlier release have no bit in them.
 */
export function refundIdOf(id: string, bit: number | null): Hex {
  const name = chainIdOf(id)
  return bit === null ? name : `0x${name.slice(2, -2)}${bit.toString(16).padStart(2, '0')}`
}

/** The hash of signed bytes, which is that of their transaction. */
export function transactionHash(bytes: Hex): Hex {
  return viem().keccak256(bytes)
}

/** Digits of a selector with `0x`, and of each word behind it. */
const SELECTOR_DIGITS = 10
const WORD_DIGITS = 64

/** A word of a call, in lower case; 0 is the first behind the selector. */
export function wordAt(input: Hex, at: number): Hex {
  const from = SELECTOR_DIGITS + at * WORD_DIGITS
  return `0x${input.slice(from, from + WORD_DIGITS).toLowerCase()}`
}

/** An address as a word of the chain's calls. */
export function wordOf(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}
