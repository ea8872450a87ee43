// Requests the verification of a cardholder. The request waits in the database; a timer sends it,
// outside of any transaction.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { Context, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { hasAddon, takeFromCap } from '../../platform/tenants/index.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { mayMove, moveKyc } from './kyc.ts'
import { missingOf } from './person.ts'
import { KYC_MOVES, requireUnerased } from './states.ts'
import { lockCardholder } from './store.ts'
import { closeVerification, insertVerification } from './verifications.ts'
import { type CardholderRow, cardholderView } from './view.ts'

/**
 * Refuses with 409 while a verification is open and for approved cardholders, with 400 naming a
 * field that the provider needs.
 */
export async function verifyCardholder(
  context: Context,
  { cardholderId }: { cardholderId: string },
): Promise<Cardholder> {
  const { principal, now } = context
  return write(context, async (sql) => {
    const cardholder = await lockCardholder(sql, principal, cardholderId)
    if (cardholder === null) throw new Refusal('resource_missing')
    requireUnerased(cardholder)
    requireState(cardholder.kyc.status, KYC_MOVES.request.from)
    const missing = missingOf(cardholder.details)
    if (missing !== null) {
      throw new Refusal('parameter_missing', {
        param: missing,
        message: 'The cardholder has no ' + missing + ' yet. Say it with a PATCH first.',
      })
    }
    const asked = { verificationId: context.newId('idv'), now }
    return cardholderView(await requestVerification(sql, principal, cardholder, asked))
  })
}

interface Asked {
  /** Id of the new verification. */
  verificationId: string
  /** By the tenant's clock. */
  now: EpochMs
}

/**
 * Begins the first verification of a cardholder, if the provider's data is complete and the plan
 * allows identity checks.
 */
export async function verifyIfKnown(
  sql: TxSql,
  owner: Owner,
  cardholder: CardholderRow,
  asked: Asked,
): Promise<CardholderRow> {
  const { kyc, details } = cardholder
  if (kyc.status !== 'not_started' || missingOf(details) !== null) return cardholder
  if (!(await hasAddon(sql, owner, 'identity_checks'))) return cardholder
  return requestVerification(sql, owner, cardholder, asked)
}

async function requestVerification(
  sql: TxSql,
  owner: Owner,
  cardholder: CardholderRow,
  { verificationId, now }: Asked,
): Promise<CardholderRow> {
  const { id: cardholderId } = cardholder
  await takeFromCap(sql, owner, { cap: 'identity_checks', units: 1 })
  await closeVerification(sql, owner, { cardholderId, state: 'superseded' })
  await insertVerification(sql, owner, { id: verificationId, cardholderId, now })
  const change = { move: 'request', reasons: [], verificationId, now } as const
  return moveKyc(sql, owner, cardholder, change)
}

/** Drops a verification that concerned another person. A rejected cardholder stays rejected. */
export async function purgeVerification(
  sql: TxSql,
  owner: Owner,
  cardholder: CardholderRow,
  now: EpochMs,
): Promise<CardholderRow> {
  if (!mayMove(cardholder.kyc.status, 'forget')) return cardholder
  await closeVerification(sql, owner, { cardholderId: cardholder.id, state: 'superseded' })
  const change = { move: 'forget', reasons: [], verificationId: null, now } as const
  return moveKyc(sql, owner, cardholder, change)
}
