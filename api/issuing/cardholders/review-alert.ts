// An operator reviews a hit: another person, or the person on the list.
import { assert } from '../../../shared/assert.ts'
import type { OperatorSanctionsAlert } from '../../../shared/schemas/sanctions-alert.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import {
  ALERT_MOVES,
  type AlertMove,
  type AlertRow,
  findAnyAlert,
  lockAlert,
  operatorAlertView,
  saveReview,
} from '../screening/index.ts'
import { updateScreeningState } from './screen.ts'
import { findOwner, lockCardholder } from './store.ts'
import { unfreezeAfterReview } from './unfreeze.ts'

/**
 * Dismissing the last open alert lifts its freeze; other freezes stay. Chosen: a confirmed person
 * stays frozen for good, with the status they have. Repeating the decision changes nothing and
 * waits for the engine again. Refuses with 404, and with 409 an alert that was decided otherwise.
 */
export async function reviewAlert(
  context: OperatorContext,
  input: { alertId: string; decision: AlertMove; note: string | null },
): Promise<OperatorSanctionsAlert> {
  const review = async (sql: TxSql) => operatorAlertView(await decide(sql, context, input))
  return writeConfirmed(context, review, { safeToRepeat: true })
}

async function decide(
  sql: TxSql,
  context: OperatorContext,
  { alertId, decision, note }: { alertId: string; decision: AlertMove; note: string | null },
): Promise<AlertRow> {
  const found = await findAnyAlert(sql, alertId)
  if (found === null) throw new Refusal('resource_missing')
  const { cardholderId } = found
  await lockCardholder(sql, found, cardholderId)
  const owner = await findOwner(sql, cardholderId, context.now)
  const alert = await lockAlert(sql, found, alertId)
  const { from, to: status } = ALERT_MOVES[decision]
  assert(owner !== null, 'an alert has its cardholder')
  if (alert.status === status) return alert
  requireState<AlertRow['status']>(alert.status, from)

  const review = { status, reviewedBy: context.operatorId, reviewedAt: owner.now, note }
  const reviewed = await saveReview(sql, owner, { id: alertId, review })
  const { screening } = await updateScreeningState(sql, owner, cardholderId)
  if (screening.status === 'clear') await unfreezeAfterReview(sql, owner, { cardholderId })
  return reviewed
}
