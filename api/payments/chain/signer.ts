// The sponsor's signature. Each signer refuses everything but a batch of our contract and an empty
// transaction to itself, which cancels one: a stolen session with the signer moves nothing else.
import { type Hex, parseTransaction, size, slice } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { SETTLE_SELECTOR } from './terms.ts'

export interface SponsorTransaction {
  chainId: number
  nonce: number
  to: Hex
  /** `0x` of a cancellation. */
  data: Hex
  gas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

export interface Signed {
  /** Bytes as they are sent. */
  bytes: Hex
}

export interface Signer {
  readonly address: Hex
  /** Throws with the reason where the transaction is none of ours. */
  signTransaction(transaction: SponsorTransaction): Promise<Signed>
}

const SELECTOR_BYTES = 4
const KEY = /^0x[0-9a-f]{64}$/

/** A signer with the key in this process: of the sandbox. Throws without the key's text. */
export function localSigner(
  privateKey: string,
  allowed: { chainId: number; settlement: Hex },
): Signer {
  if (!KEY.test(privateKey)) throw new Error('The key of the sponsor is not 32 bytes in hex.')
  const account = accountOf(privateKey as Hex)
  return {
    address: account.address,
    async signTransaction(transaction) {
      const problem = refusalOf(transaction, { ...allowed, own: account.address })
      if (problem !== null) throw new Error('The signer refuses ' + problem + '.')
      return {
        bytes: await account.signTransaction({ type: 'eip1559', value: 0n, ...transaction }),
      }
    },
  }
}

/** A number of the curve's order or beyond is no key; the library's error would show it. */
function accountOf(privateKey: Hex): ReturnType<typeof privateKeyToAccount> {
  try {
    return privateKeyToAccount(privateKey)
  } catch {
    throw new Error('The key of the sponsor is not on the curve.')
  }
}

function refusalOf(
  { chainId, to, data }: SponsorTransaction,
  allowed: { chainId: number; settlement: Hex; own: Hex },
): string | null {
  const same = (one: Hex, other: Hex): boolean => one.toLowerCase() === other.toLowerCase()
  if (chainId !== allowed.chainId) return 'another chain'
  if (same(to, allowed.own)) return data === '0x' ? null : 'data in a cancellation'
  if (!same(to, allowed.settlement)) return 'another recipient'
  if (size(data) < SELECTOR_BYTES || slice(data, 0, SELECTOR_BYTES) !== SETTLE_SELECTOR)
    return 'another call'
  return null
}

/** Nonce and recipient of signed bytes, for the check of bytes that were stored. */
export function readSigned(bytes: Hex): { nonce: number; to: Hex | null; data: Hex } {
  const { nonce = 0, to, data } = parseTransaction(bytes)
  return { nonce, to: to ?? null, data: data ?? '0x' }
}
