// An address that nobody has used, with its checksum (EIP-55).
import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import { getAddress } from 'viem/utils'

const ADDRESS_BYTES = 20

export function freshAddress(): Hex {
  return getAddress('0x' + randomBytes(ADDRESS_BYTES).toString('hex'))
}
