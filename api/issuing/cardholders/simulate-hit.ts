// A hit without a list entry: it shows tenants of the sandbox what happens to a listed person.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { personKey, subjectOf } from '../screening/index.ts'
import { recordAlert } from './event.ts'
import { raiseAlert } from './screen.ts'
import { lockCardholder } from './store.ts'
import { cardholderView } from './view.ts'

/**
 * Raises an alert, freezes and announces like a real hit; each call invents another entry. Runs in
 * the caller's transaction; `now` is the tenant's time. Refuses with 404.
 */
export async function simulateHit(
  sql: TxSql,
  owner: Owner,
  { cardholderId, alertId, now }: { cardholderId: string; alertId: string; now: EpochMs },
): Promise<Cardholder> {
  const cardholder = await lockCardholder(sql, owner, cardholderId)
  if (cardholder === null) throw new Refusal('resource_missing')
  const hit = {
    listed_id: 'simulated:' + alertId,
    kind: 'sanctions' as const,
    name: 'SIMULATED, Hit',
    program: 'SIMULATED',
    score: 100,
    reasons: ['simulated in the sandbox'],
  }
  const person = personKey(subjectOf(cardholder.name, cardholder.details))
  const found = { alertId, cardholderId, person, hits: [hit], listVersion: 'simulated', now }
  const alerted = cardholderView(await raiseAlert(sql, owner, found))
  await recordAlert(sql, owner, alerted, now)
  return alerted
}
