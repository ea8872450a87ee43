// The wallet must be allowed, or not blocked, by every control. Chosen: a payment without a wallet
// has the wallet `none`, a payment with an unnamed provider `unknown`, so an allow list can
// restrict a card to wallets only, or to none.
import { listRule } from './list-rule.ts'
import type { ControlInputs } from './rule.ts'

export const walletAllowed = listRule({
  id: 'wallet_allowed',
  reason: 'wallet_blocked',
  listOf: (control) => control.wallets,
  valueOf: walletOf,
})

function walletOf({ message }: ControlInputs): string {
  return message.walletProvider ?? (message.walletTokenId === null ? 'none' : 'unknown')
}
