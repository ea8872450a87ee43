// The sponsor's key in a KMS or HSM, behind a service that signs digests. The service learns no
// more than the digest, and its answer counts only where the signature is that of our address.
import type { Hex, TransactionSerializableEIP1559 } from 'viem'
import type { OutsideCaller } from '../../http/outside-caller.ts'
import { readDer } from './der.ts'
import { isRecord } from './json-rpc.ts'
import { refusalOf, type Signer, SignerFailure } from './signer.ts'
import { viem } from './viem.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const NUMBER_BYTES = 32
const PARITIES = [0, 1] as const

export interface RemoteSignerOptions {
  url: string
  address: Hex
  caller: OutsideCaller
  allowed: { chainId: number; settlement: Hex }
}

/**
 * Posts `{address, digest}` in hex and takes `{signature}`, base64 of DER. `signTransaction`
 * throws SignerFailure where the service is away, or answers with another key's signature.
 */
export function remoteSigner({ url, address, caller, allowed }: RemoteSignerOptions): Signer {
  return {
    address,
    async signTransaction(transaction) {
      const problem = refusalOf(transaction, { ...allowed, own: address })
      if (problem !== null) throw new SignerFailure('The signer refuses ' + problem + '.')
      const unsigned: TransactionSerializableEIP1559 = {
        type: 'eip1559',
        value: 0n,
        ...transaction,
      }
      const digest = viem().keccak256(viem().serializeTransaction(unsigned))
      const compact = await askSignature({ url, address, caller }, digest)
      for (const parity of PARITIES) {
        const signature = {
          r: viem().slice(compact, 0, NUMBER_BYTES),
          s: viem().slice(compact, NUMBER_BYTES),
          yParity: parity,
        }
        const signedBy = await viem()
          .recoverAddress({ hash: digest, signature })
          .catch(() => null)
        if (signedBy?.toLowerCase() === address.toLowerCase())
          return { bytes: viem().serializeTransaction(unsigned, signature) }
      }
      throw new SignerFailure('The remote signer answers with the signature of another key.')
    },
  }
}

async function askSignature(
  { url, address, caller }: Pick<RemoteSignerOptions, 'url' | 'address' | 'caller'>,
  digest: Hex,
): Promise<Hex> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ address, digest })
  const answer = await caller.call({ method: 'POST', url, headers, body })
  if (!answer.ok) throw new SignerFailure('The remote signer does not answer: ' + answer.error)
  const { status, body: said } = answer.value
  if (status !== 200) throw new SignerFailure('The remote signer answers ' + status + '.')
  const text = isRecord(said) ? said['signature'] : undefined
  const raw = typeof text === 'string' ? readDer(Buffer.from(text, 'base64')) : null
  if (raw === null) throw new SignerFailure('The remote signer answers without a signature in DER.')
  const s = BigInt(viem().toHex(raw.subarray(NUMBER_BYTES)))
  // Nodes refuse an s in the upper half of the order; its counterpart signs the same digest.
  const low = viem().toHex(s > ORDER / 2n ? ORDER - s : s, { size: NUMBER_BYTES })
  return `${viem().toHex(raw.subarray(0, NUMBER_BYTES))}${low.slice(2)}`
}
