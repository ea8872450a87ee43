// The wallet must be allowed, or not blocked, by every control. Chosen: a payment without a wallet has the wallet `none`, one
// whose provider is not said `unknown`, so that a list of what is allowed can make a card of wallets only, or of none.
import { listRule } from './list-rule.ts'
import type { Judged } from './rule.ts'

export const walletAllowed = listRule({
  id: 'wallet_allowed',
  reason: 'wallet_blocked',
  listOf: (control) => control.wallets,
  valueOf: walletOf,
})

function walletOf({ message }: Judged): string {
  return message.walletProvider ?? (message.walletTokenId === null ? 'none' : 'unknown')
}
