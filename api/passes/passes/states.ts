// States of a pass, and the event of each change.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType, Lane } from '../../../shared/event-catalog.ts'
import type { Pass, PassStatus } from '../../../shared/schemas/pass.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvents } from '../../webhooks/events/index.ts'
import type { Move } from '../../write/move.ts'

/**
 * Chosen: a change with its own event causes no pass.updated: an install, a removal, a revocation,
 * and a scan of a one-time pass. A pass put back into a wallet is installed again, with another
 * pass.installed.
 */
export const PASS_MOVES = {
  install: { from: ['active', 'removed'], to: 'installed', event: 'pass.installed' },
  remove: { from: ['installed'], to: 'removed', event: 'pass.removed' },
  revoke: { from: ['active', 'installed', 'removed'], to: 'revoked', event: 'pass.revoked' },
} as const satisfies Record<string, Move<PassStatus>>

/** States in which the shown content of a pass may change. */
export const CHANGEABLE_IN = [
  'active',
  'installed',
  'removed',
] as const satisfies readonly PassStatus[]

/** The passes' owner, and the owner's time. */
export interface PassWorld {
  principal: Owner
  now: EpochMs
}

/** An event of a single-pass call leaves before bulk events. */
export const ALONE: Lane = 0
export const IN_BULK: Lane = 1

/** Records the events in the transaction of the change. */
export async function recordPassEvents(
  sql: TxSql,
  { principal, now }: PassWorld,
  { type, lane, passes }: { type: EventType; lane: Lane; passes: readonly Pass[] },
): Promise<void> {
  const { tenantId, environment } = principal
  const events = passes.map((pass) => ({ resourceId: pass.id, data: { pass } }))
  await recordEvents(sql, { tenantId, environment, type, now, lane, events })
}

export interface ChangedPass {
  before: Pass
  after: Pass
}

/** Records pass.updated, which contains the earlier values of the changed fields. */
export async function recordPassChanges(
  sql: TxSql,
  { principal, now }: PassWorld,
  { lane, changes }: { lane: Lane; changes: readonly ChangedPass[] },
): Promise<void> {
  const { tenantId, environment } = principal
  const events = changes.map(({ before, after }) => ({
    resourceId: after.id,
    data: { pass: after },
    before: { pass: before },
  }))
  await recordEvents(sql, { tenantId, environment, type: 'pass.updated', now, lane, events })
}
