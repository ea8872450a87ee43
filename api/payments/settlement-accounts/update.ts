// Changes name, schedule and tenant fields of a settlement account, disables it for ever, or
// records the fee that an operator agreed.
import type { SettlementAccount } from '../../../shared/schemas/settlement-account.ts'
import type { TenantFieldsChange } from '../../../shared/schemas/tenant-fields.ts'
import type { Context, OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditOperator } from '../../write/audit.ts'
import { changedTenantFields, requireFreeExternalId } from '../../write/tenant-fields.ts'
import { write } from '../../write/write.ts'
import { lockSettlementAccount, saveAccountChange, saveDisabled, saveFee } from './store.ts'
import { settlementAccountView } from './view.ts'

interface AccountUpdate extends TenantFieldsChange {
  name?: string
  schedule?: SettlementAccount['schedule']
}

export async function updateSettlementAccount(
  context: Context,
  { id, change }: { id: string; change: AccountUpdate },
): Promise<SettlementAccount> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const externalId = change.external_id
    await requireFreeExternalId(sql, principal, { table: 'settlement_accounts', externalId, id })
    const held = await lockSettlementAccount(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    const { name = held.name, schedule = held.schedule } = change
    const changed = { ...changedTenantFields(held, change), name, schedule }
    return settlementAccountView(
      await saveAccountChange(sql, principal, { id, change: changed }),
      now,
    )
  })
}

/** Approved payments are still paid to the address; new ones cannot name it. */
export async function disableSettlementAccount(
  context: Context,
  id: string,
): Promise<SettlementAccount> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const held = await lockSettlementAccount(sql, principal, id)
    if (held === null) throw new Refusal('resource_missing')
    return settlementAccountView(await saveDisabled(sql, principal, id), now)
  })
}

/** Batches that are closed from now on take this share; the contract takes 5 % at most. */
export async function agreeFee(
  context: OperatorContext,
  { id, feeBps }: { id: string; feeBps: number },
): Promise<SettlementAccount> {
  return write(context, async (sql) => {
    const account = await saveFee(sql, id, feeBps)
    if (account === null) throw new Refusal('resource_missing')
    await auditOperator(sql, context, account, id)
    return settlementAccountView(account, context.now + account.clockOffsetMs)
  })
}
