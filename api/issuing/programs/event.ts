// Records an event of a program, with the program as GET shows it at this moment.
import type { EpochMs } from '../../../shared/clock.ts'
import type { EventType } from '../../../shared/event-catalog.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { type ProgramRow, programView } from './view.ts'

/**
 * Records the event in the transaction of the change; `now` is the time of the program's tenant.
 */
export async function recordProgramEvent(
  sql: TxSql,
  type: EventType,
  row: ProgramRow,
  now: EpochMs,
): Promise<void> {
  const { tenantId, environment, id: resourceId } = row
  await recordEvent(sql, {
    tenantId,
    environment,
    type,
    resourceId,
    data: { program: programView(row) },
    now,
  })
}
