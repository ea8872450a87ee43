// Decides who may have a card: a person with an approved identity and without a freeze.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { lockCardholderOf } from './store.ts'
import type { CardholderRow } from './view.ts'

/**
 * Returns the cardholder that `cardholder_id` names, locked until the transaction ends: a rejection
 * or a freeze comes before or after the issuance, never between. Refuses with 404 an unknown
 * cardholder, with 409 one who may have no card: cardholder_not_approved, cardholder_frozen, or
 * invalid_state for an inactive one.
 */
export async function requireIssuable(
  sql: TxSql,
  owner: Owner,
  cardholderId: string,
): Promise<CardholderRow> {
  const cardholder = await lockCardholderOf(sql, owner, cardholderId)
  const param = 'cardholder_id'
  if (cardholder === null) throw new Refusal('resource_missing', { param })
  const { kyc, freezes, status } = cardholder
  if (kyc.status !== 'approved')
    throw new Refusal('cardholder_not_approved', { param, extra: { kyc_status: kyc.status } })
  const [freeze] = freezes
  if (freeze !== undefined)
    throw new Refusal('cardholder_frozen', { param, extra: { frozen_by: freeze.by } })
  requireState(status, ['active'])
  return cardholder
}
