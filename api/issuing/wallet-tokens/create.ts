// Adds a card to a wallet: from the answer on, the engine accepts the token.
import type { WalletToken } from '../../../shared/schemas/wallet-token.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { requireFreeExternalId, type TenantFields } from '../../write/tenant-fields.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { HOLDABLE_IN } from './states.ts'
import { insertWalletToken, lockCardOf } from './store.ts'
import { walletTokenView } from './view.ts'

/** Repeating the call would create another token. */
const ADVICE = 'Resume resource_id to wait for it; this call would make another.'

/** The server never repeats this call, because each run creates another token. */
export async function createWalletToken(
  context: Context,
  input: { cardId: string; provider: string } & TenantFields,
): Promise<WalletToken> {
  const { principal, now } = context
  const change = async (sql: TxSql) => {
    const id = context.newId('wtok')
    const { externalId } = input
    await requireFreeExternalId(sql, principal, { table: 'wallet_tokens', externalId, id })
    const status = await lockCardOf(sql, principal, input.cardId)
    if (status === null) throw new Refusal('resource_missing', { param: 'card_id' })
    requireState(status, HOLDABLE_IN)
    const token = { id, ...input, createdAt: now }
    return walletTokenView(await insertWalletToken(sql, principal, token))
  }
  return writeConfirmed(context, change, { advice: ADVICE })
}
