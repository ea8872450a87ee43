// Records events of passes, each with the pass as GET shows it at this moment.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType, Lane } from '../../../shared/event-catalog.ts'
import type { Pass } from '../../../shared/schemas/pass.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvents } from '../../webhooks/events/index.ts'

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
