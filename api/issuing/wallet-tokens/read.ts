// All reads of wallet tokens.
import type { Page } from '../../../shared/schemas/list.ts'
import type { WalletToken } from '../../../shared/schemas/wallet-token.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findWalletToken, listWalletTokens, type WalletTokenFilters } from './store.ts'
import { walletTokenView } from './view.ts'

export async function readWalletToken(
  { sql, principal }: Context,
  id: string,
): Promise<WalletToken> {
  const token = await findWalletToken(sql, principal, id)
  if (token === null) throw new Refusal('resource_missing')
  return walletTokenView(token)
}

export async function readWalletTokens(
  { sql, principal }: Context,
  query: PageQuery & WalletTokenFilters,
): Promise<Page<WalletToken>> {
  return mapPage(await listWalletTokens(sql, principal, query), walletTokenView)
}
