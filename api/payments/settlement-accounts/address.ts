// Addresses to which no money may be sent, with the reason in words.
import { Refusal } from '../../http/refusal.ts'
import { checksumAddress } from '../chain/address.ts'
import type { ChainPlace } from '../chain/chain.ts'

/** Precompiled contracts stand below this number. */
const PRECOMPILES_MAX = 0xffffn

/**
 * Refuses an address without the checksum of EIP-55, zero, a precompiled contract, the token and
 * Settlement itself. A holder's account is found in the database.
 */
export function requirePayeeAddress(
  address: string,
  { token, settlement }: Pick<ChainPlace, 'token' | 'settlement'>,
): void {
  const same = (other: string): boolean => other.toLowerCase() === address.toLowerCase()
  if (checksumAddress(address) !== address)
    throw refused('The address does not have the checksum of EIP-55.')
  if (BigInt(address) === 0n) throw refused('The zero address belongs to nobody.')
  if (BigInt(address) <= PRECOMPILES_MAX)
    throw refused('The address is that of a precompiled contract.')
  if (same(token)) throw refused('The address is that of the token.')
  if (same(settlement)) throw refused('The address is that of the settlement contract.')
}

/** 400 with the reason. */
export function refused(message: string): Refusal {
  return new Refusal('address_refused', { param: 'address', message })
}
