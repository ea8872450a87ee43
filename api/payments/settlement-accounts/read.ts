// All reads of settlement accounts.
import type { Page } from '../../../shared/schemas/list.ts'
import type { SettlementAccount } from '../../../shared/schemas/settlement-account.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  findSettlementAccount,
  listSettlementAccounts,
  type SettlementAccountFilters,
} from './store.ts'
import { settlementAccountView } from './view.ts'

export async function readSettlementAccount(
  { sql, principal, now }: Context,
  id: string,
): Promise<SettlementAccount> {
  const account = await findSettlementAccount(sql, principal, id)
  if (account === null) throw new Refusal('resource_missing')
  return settlementAccountView(account, now)
}

export async function readSettlementAccounts(
  { sql, principal, now }: Context,
  query: PageQuery & SettlementAccountFilters,
): Promise<Page<SettlementAccount>> {
  const page = await listSettlementAccounts(sql, principal, query)
  return mapPage(page, (row) => settlementAccountView(row, now))
}
