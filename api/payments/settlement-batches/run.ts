// An operator's settlement run: closes a batch of each account of a tenant now. Spec 6.2,
// payment.settlement_manually_triggered.
import type { SettlementRun } from '../../../shared/schemas/settlement-batch.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { auditOperator } from '../../write/audit.ts'
import { write } from '../../write/write.ts'
import { closeBatch } from './close.ts'
import { listAccountsToClose } from './store.ts'
import { batchView } from './view.ts'

/**
 * Refuses with 404 an unknown tenant, and with 409 where nothing waits. Refunds are taken as far as
 * the captures of their batch pay them; the settler draws on the payee's allowance.
 */
export async function runSettlement(
  context: OperatorContext,
  { tenantId, environment }: { tenantId: string; environment: Environment },
): Promise<SettlementRun> {
  const { now } = context
  return write(context, async (sql) => {
    const accounts = await listAccountsToClose(sql, { tenantId, environment })
    if (accounts === null) throw new Refusal('resource_missing')
    const closed = []
    for (const { clockOffsetMs, ...account } of accounts) {
      const tenantNow = now + clockOffsetMs
      const closing = { account, trigger: 'manual', drawableCents: 0, now, tenantNow } as const
      const batch = await closeBatch(sql, closing)
      if (batch !== null) closed.push({ batch: batchView(batch), tenantNow })
    }
    if (closed.length === 0)
      throw new Refusal('invalid_state', { message: 'No capture or refund waits for a batch.' })
    for (const { batch, tenantNow } of closed) {
      const type = 'payment.settlement_manually_triggered'
      const data = { settlement_batch: batch }
      const event = { type, data, resourceId: batch.id, now: tenantNow } as const
      await recordEvent(sql, { tenantId, environment, ...event })
    }
    for (const { batch } of closed)
      await auditOperator(sql, context, { tenantId, environment }, batch.id)
    const [first] = closed
    return {
      id: first?.batch.id ?? '',
      object: 'settlement_run',
      settlement_batches: closed.map(({ batch }) => batch),
    }
  })
}
