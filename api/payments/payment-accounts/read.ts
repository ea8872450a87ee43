// All reads of payment accounts.
import type { Page } from '../../../shared/schemas/list.ts'
import type { PaymentAccount } from '../../../shared/schemas/payment-account.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findAccount, listAccounts, type PaymentAccountFilters } from './store.ts'
import { paymentAccountView } from './view.ts'

export async function readPaymentAccount(
  { sql, principal }: Context,
  id: string,
): Promise<PaymentAccount> {
  const account = await findAccount(sql, principal, id)
  if (account === null) throw new Refusal('resource_missing')
  return paymentAccountView(account)
}

export async function readPaymentAccounts(
  { sql, principal }: Context,
  query: PageQuery & PaymentAccountFilters,
): Promise<Page<PaymentAccount>> {
  const page = await listAccounts(sql, principal, query)
  return mapPage(page, (row) => paymentAccountView(row))
}
