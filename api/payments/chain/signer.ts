// The sponsor's signature. Each signer refuses everything but a batch or a withdrawal of our
// contract and an empty transaction to itself, which cancels one: a stolen session with the signer
// moves nothing else.
import type { Hex, PrivateKeyAccount } from 'viem'
import { settleSelector } from './terms.ts'
import { viem, viemAccounts } from './viem.ts'
import { releaseSelector } from './withdrawal-terms.ts'

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

/** The reason that a transaction was not signed, without any part of a key. */
export class SignerFailure extends Error {
  override readonly name = 'SignerFailure'
}

export interface Signer {
  readonly address: Hex
  /** Throws SignerFailure where the transaction is none of ours, or the signer is away. */
  signTransaction(transaction: SponsorTransaction): Promise<Signed>
}

const SELECTOR_BYTES = 4
const KEY = /^0x[0-9a-f]{64}$/

/** A sponsor's key made by chance; its address is told to whoever deploys Settlement. */
export function newSponsorKey(): { key: Hex; address: Hex } {
  const key = viemAccounts().generatePrivateKey()
  return { key, address: viemAccounts().privateKeyToAccount(key).address }
}

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
      if (problem !== null) throw new SignerFailure('The signer refuses ' + problem + '.')
      return {
        bytes: await account.signTransaction({ type: 'eip1559', value: 0n, ...transaction }),
      }
    },
  }
}

/** A number of the curve's order or beyond is no key; the library's error would show it. */
function accountOf(privateKey: Hex): PrivateKeyAccount {
  try {
    return viemAccounts().privateKeyToAccount(privateKey)
  } catch {
    throw new Error('The key of the sponsor is not on the curve.')
  }
}

/** The reason not to sign, in words that follow “refuses”; null: none. */
export function refusalOf(
  { chainId, to, data }: SponsorTransaction,
  allowed: { chainId: number; settlement: Hex; own: Hex },
): string | null {
  const same = (one: Hex, other: Hex): boolean => one.toLowerCase() === other.toLowerCase()
  if (chainId !== allowed.chainId) return 'another chain'
  if (same(to, allowed.own)) return data === '0x' ? null : 'data in a cancellation'
  if (!same(to, allowed.settlement)) return 'another recipient'
  const selector = viem().size(data) < SELECTOR_BYTES ? null : viem().slice(data, 0, SELECTOR_BYTES)
  return selector === settleSelector() || selector === releaseSelector() ? null : 'another call'
}

/** The parts of signed bytes that a new attempt keeps. Throws for bytes that are none of ours. */
export function readTransaction(
  bytes: Hex,
): Pick<SponsorTransaction, 'nonce' | 'to' | 'data' | 'gas'> {
  const { nonce = 0, to, data = '0x', gas } = viem().parseTransaction(bytes)
  if (to === null || to === undefined || gas === undefined)
    throw new Error('Stored bytes are no transaction of the sponsor.')
  return { nonce, to, data, gas }
}
