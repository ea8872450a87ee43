// The checksum of an address (EIP-55).
import type { Hex } from 'viem'
import { getAddress } from 'viem/utils'

/** The address with its checksum; null for text that is no address. */
export function checksumAddress(text: string): Hex | null {
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? getAddress(text.toLowerCase() as Hex) : null
}
