// The wallet of a chain and its signer: a sealed key of this installation, or a remote one.
import { SEAL_CONTEXTS, type Unseal } from '../../../shared/keyring.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { OutsideCaller } from '../../http/outside-caller.ts'
import type { ChainConfig } from '../chain/chain-config.ts'
import type { Hex } from '../chain/hex.ts'
import { remoteSigner } from '../chain/remote-signer.ts'
import { localSigner, newSponsorKey, type Signer } from '../chain/signer.ts'
import { insertWallet, readWallet, type Wallet } from './wallet-store.ts'

export interface WalletKeys {
  seal: (context: string, plaintext: string) => string
  unseal: Unseal
}

/**
 * The wallet's row, made where there is none: with a fresh sealed key, or with the address of the
 * remote signer. The key leaves this function sealed only.
 */
export async function ensureWallet(
  sql: SqlTag,
  { chainId, signer }: Pick<ChainConfig, 'chainId' | 'signer'>,
  { seal }: Pick<WalletKeys, 'seal'>,
): Promise<Wallet> {
  const known = await readWallet(sql, chainId)
  if (known !== null) return known
  if (signer.kind === 'remote')
    await insertWallet(sql, { chainId, address: signer.address, sealedKey: null })
  else {
    const { key, address } = newSponsorKey()
    await insertWallet(sql, { chainId, address, sealedKey: seal(SEAL_CONTEXTS.sponsorKey, key) })
  }
  const made = await readWallet(sql, chainId)
  if (made === null) throw new Error('chain ' + chainId + ' has no wallet')
  return made
}

/**
 * The signer of a wallet. Throws, without the key's text, where the row and the configuration name
 * different signers or the key cannot be opened.
 */
export function openSigner(
  wallet: Wallet,
  config: ChainConfig,
  { unseal, caller }: Pick<WalletKeys, 'unseal'> & { caller: OutsideCaller },
): Signer {
  const allowed = { chainId: config.chainId, settlement: config.settlement }
  const { signer } = config
  const same = (address: Hex): boolean => address.toLowerCase() === wallet.address.toLowerCase()
  if (signer.kind === 'remote') {
    if (!same(signer.address))
      throw new Error('The wallet of chain ' + config.chainId + ' has another signer.')
    return remoteSigner({ url: signer.url, address: signer.address, caller, allowed })
  }
  if (wallet.sealedKey === null)
    throw new Error('The wallet of chain ' + config.chainId + ' has a remote signer.')
  const opened = unseal(SEAL_CONTEXTS.sponsorKey, wallet.sealedKey)
  if (!opened.ok) throw new Error('The key of the sponsor cannot be opened: ' + opened.error)
  const local = localSigner(opened.value.toString('utf8'), allowed)
  if (!same(local.address)) throw new Error('The key of the sponsor is not that of its wallet.')
  return local
}
