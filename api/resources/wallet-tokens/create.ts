// Puts a card into a wallet: from the answer on, the engine takes the token.
import { newId } from '../../../shared/id.ts'
import type { WalletToken } from '../../../shared/schemas/wallet-token.ts'
import { changeConfiguration } from '../../configuration.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refuse.ts'
import { insertWalletToken } from './store.ts'
import { walletTokenView } from './view.ts'

export async function createWalletToken(
  context: Context,
  input: { cardId: string; provider: string },
): Promise<WalletToken> {
  const { principal, now } = context
  return changeConfiguration(context, async (sql) => {
    const token = { id: newId('wtok', now), ...input, createdAt: now }
    const row = await insertWalletToken(sql, principal, token)
    if (row === null) throw new Refusal('resource_missing', { param: 'card_id' })
    return walletTokenView(row)
  })
}
