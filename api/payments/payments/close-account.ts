// Closes a payment account for ever, once nothing of it is open: its holder may be erased then, or
// open another one. The specification lists no event.
import type { PaymentAccount } from '../../../shared/schemas/payment-account.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { readFreeUnits } from '../ledger/index.ts'
import {
  lockAccount,
  type PaymentAccountRow,
  paymentAccountView,
  requireTogether,
  saveClosed,
} from '../payment-accounts/index.ts'
import { revokeMandatesOf } from '../payment-mandates/index.ts'
import { findOpenWithdrawal } from '../payment-withdrawals/index.ts'
import { findOpenPayment } from './store.ts'

/** The least that counts as money: what is below a cent stays unspendable. */
const CENT_UNITS = unitsOfCents(1)

/**
 * Repeating the call changes nothing. Refuses with 409 an account with money, an open payment or
 * withdrawal, or an account whose ledger differs from the chain. Mandates of it are revoked.
 * Chosen: its passkey opens no other account, and money that arrives later stays the holder's, who
 * withdraws it.
 */
export async function closePaymentAccount(context: Context, id: string): Promise<PaymentAccount> {
  const { principal, now } = context
  return writeConfirmed(
    context,
    async (sql) => {
      const account = await lockAccount(sql, principal, id)
      if (account === null) throw new Refusal('resource_missing')
      if (account.status === 'closed') return paymentAccountView(account)
      await requireEmpty(sql, account)
      await requireIdle(sql, account, now)
      await revokeMandatesOf(sql, id)
      return paymentAccountView(await saveClosed(sql, principal, id))
    },
    { safeToRepeat: true },
  )
}

/** The ledger knows a refund that has landed before the balance of a later block shows it. */
async function requireEmpty(sql: TxSql, account: PaymentAccountRow): Promise<void> {
  requireTogether(account)
  const free = await readFreeUnits(sql, account, account.id)
  if (account.balanceCents === 0 && account.leavingCents === 0 && free < CENT_UNITS) return
  throw new Refusal('invalid_state', {
    message: 'The account has money: the holder withdraws it first.',
    extra: { current_status: 'funded' },
  })
}

/** Without money the engine approves nothing, so no payment begins behind this look. */
async function requireIdle(sql: TxSql, { id }: PaymentAccountRow, now: number): Promise<void> {
  const open = (await findOpenPayment(sql, id)) ?? (await findOpenWithdrawal(sql, id, now))
  if (open === null) return
  throw new Refusal('invalid_state', {
    message: 'A payment, refund or withdrawal of the account has not ended.',
    extra: { current_status: 'in_use', resource_id: open },
  })
}
