// Suspends, resumes or deactivates a wallet token; the answer comes once the engine has the new
// state.
import type { WalletToken } from '../../../shared/schemas/wallet-token.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { WALLET_TOKEN_MOVES, type WalletTokenMove } from './states.ts'
import { lockWalletToken, saveWalletTokenStatus } from './store.ts'
import { walletTokenView } from './view.ts'

/**
 * Chosen: a token already in the target state stays as it is, and the call waits for the engine
 * again.
 */
export async function moveWalletToken(
  context: Context,
  input: { id: string; move: WalletTokenMove },
): Promise<WalletToken> {
  const { principal } = context
  const { from, to } = WALLET_TOKEN_MOVES[input.move]
  return writeConfirmed(
    context,
    async (sql) => {
      const token = await lockWalletToken(sql, principal, input.id)
      if (token === null) throw new Refusal('resource_missing')
      if (token.status === to) return walletTokenView(token)
      requireState(token.status, from)
      return walletTokenView(
        await saveWalletTokenStatus(sql, principal, { id: token.id, status: to }),
      )
    },
    { safeToRepeat: true },
  )
}
