// The fee agreement of a settlement account, recorded by an operator.
import type { SettlementAccount } from '../../../shared/schemas/settlement-account.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { auditOperator } from '../../write/audit.ts'
import { write } from '../../write/write.ts'
import { saveFee } from './store.ts'
import { settlementAccountView } from './view.ts'

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
