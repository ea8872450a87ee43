// The program of a tenant that signed itself up.
import type { EpochMs } from '../../../shared/clock.ts'
import type { TxSql } from '../../database/transaction.ts'
import { recordProgramEvent } from './event.ts'
import { PROGRAM_MOVES } from './states.ts'
import { insertProgram } from './store.ts'

/** Inserts an active program of the sandbox. */
export async function insertFirstProgram(
  sql: TxSql,
  program: { id: string; tenantId: string; now: EpochMs },
): Promise<void> {
  const { id, tenantId, now } = program
  const owner = { tenantId, environment: 'sandbox' as const }
  const made = await insertProgram(sql, owner, {
    id,
    name: 'Sandbox cards',
    currency: null,
    status: 'active',
    createdAt: now,
  })
  await recordProgramEvent(sql, PROGRAM_MOVES.activate.event, made, now)
}
