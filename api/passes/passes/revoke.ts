// Revokes passes permanently: from then on no scan of them is valid. Spec 6.2, pass.revoked.
import type { Lane } from '../../../shared/event-catalog.ts'
import type { Pass } from '../../../shared/schemas/pass.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { momentsOf, nextVersion } from './change.ts'
import { type Outcome, soleOutcome } from './outcome.ts'
import { ALONE, PASS_MOVES, recordPassEvents } from './states.ts'
import { lockPasses, lockPassesOfCard } from './store.ts'
import { type PassContext, passView } from './view.ts'
import { pushToWallets, savePasses } from './write-store.ts'

/** Spec 2.2: a revoked pass has a reason. */
export const REVOKE_REASON_DEFAULT = 'requested'
export const CARD_ENDED = 'card_terminated'

export interface Revocation {
  ids: readonly string[]
  reason: string
  lane: Lane
}

/** Chosen: revoking a revoked pass changes nothing and keeps the first reason. */
export async function revokePass(
  context: PassContext,
  { id, reason }: { id: string; reason: string },
): Promise<Pass> {
  const revocation = { ids: [id], reason, lane: ALONE }
  return write(context, async (sql) => soleOutcome(await revokePasses(sql, context, revocation)), {
    safeToRepeat: true,
  })
}

export type Revoking = Pick<PassContext, 'principal' | 'now' | 'publicUrl'>

/** Revokes passes in the caller's transaction. */
export async function revokePasses(
  sql: TxSql,
  context: Revoking,
  { ids, reason, lane }: Revocation,
): Promise<Outcome[]> {
  const { principal, publicUrl } = context
  const { to, event } = PASS_MOVES.revoke
  const held = await lockPasses(sql, principal, ids)
  const moments = { ...momentsOf(context), seen: true }
  const revoked = [...held.values()]
    .filter(({ status }) => status !== to)
    .map((row) => nextVersion(row, { status: to, revokeReason: reason }, moments))
  await savePasses(sql, principal, revoked)
  await pushToWallets(sql, revoked, moments.installationNow)
  const passes = revoked.map((row) => passView(row, publicUrl))
  await recordPassEvents(sql, context, { type: event, lane, passes })
  const ended = new Map([...held.values(), ...revoked].map((row) => [row.id, row]))
  return ids.map((id) => {
    const row = ended.get(id)
    return row === undefined
      ? { refusal: new Refusal('resource_missing') }
      : { pass: passView(row, publicUrl) }
  })
}

/**
 * The end of a card revokes the passes that represent it. The caller locks the card, and the passes
 * end in the caller's transaction.
 */
export async function revokePassesOfCard(
  sql: TxSql,
  context: Revoking,
  cardId: string,
): Promise<void> {
  const ids = await lockPassesOfCard(sql, context.principal, cardId)
  if (ids.length > 0) await revokePasses(sql, context, { ids, reason: CARD_ENDED, lane: ALONE })
}
