// Suspends and resumes a payment account. The engine declines payments from the answer on.
import type {
  PaymentAccount,
  PaymentAccountStatus,
} from '../../../shared/schemas/payment-account.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { type Move, requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { lockAccount, saveStatus } from './store.ts'
import { type PaymentAccountRow, paymentAccountView } from './view.ts'

const ACCOUNT_MOVES = {
  suspend: { from: ['active'], to: 'suspended', event: null },
  resume: { from: ['suspended'], to: 'active', event: null },
} as const satisfies Record<string, Move<PaymentAccountStatus>>

/** Refuses with 409 an account whose ledger differs from the chain. */
export function requireTogether({ isApart }: Pick<PaymentAccountRow, 'isApart'>): void {
  if (!isApart) return
  throw new Refusal('invalid_state', {
    message: 'The account differs from the chain: settling or an operator resolves it first.',
    extra: { current_status: 'ledger_apart' },
  })
}

/**
 * Repeating a move changes nothing. Chosen: a suspension leaves captures of what is authorized
 * alone, as with a card.
 */
export async function movePaymentAccount(
  context: Context,
  { id, move, reason }: { id: string; move: keyof typeof ACCOUNT_MOVES; reason: string | null },
): Promise<PaymentAccount> {
  const { principal } = context
  const { from, to } = ACCOUNT_MOVES[move]
  return writeConfirmed(
    context,
    async (sql) => {
      const account = await lockAccount(sql, principal, id)
      if (account === null) throw new Refusal('resource_missing')
      if (account.status === to) return paymentAccountView(account)
      requireState(account.status, from)
      if (move === 'resume') requireTogether(account)
      return paymentAccountView(await saveStatus(sql, principal, { id, status: to, reason }))
    },
    { safeToRepeat: true },
  )
}
