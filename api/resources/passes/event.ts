// Records what happened to passes, each as GET shows it at this moment.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType, Lane } from '../../../shared/event-catalog.ts'
import type { Pass } from '../../../shared/schemas/pass.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvents } from '../events/index.ts'

/** Whose passes they are, and their time. */
export interface PassWorld {
  principal: Owner
  now: EpochMs
}

/** What a call makes one of leaves before what comes by the hundred. */
export const ALONE: Lane = 0
export const IN_BULK: Lane = 1

/** In the transaction that made it happen. */
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

/** pass.updated, which tells what the changed fields were before. */
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
