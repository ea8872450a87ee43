// Programs that are active from the first moment: that of a tenant that signed itself up, and that
// of an approved application for live.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { PROGRAM_MOVES, recordProgramEvent } from './states.ts'
import { insertProgram } from './store.ts'

/** Inserts an active program and announces it. */
export async function insertActiveProgram(
  sql: TxSql,
  owner: Owner,
  program: { id: string; name: string; currency: string | null; now: EpochMs },
): Promise<void> {
  const { now, ...named } = program
  const made = await insertProgram(sql, owner, { ...named, status: 'active', createdAt: now })
  await recordProgramEvent(sql, PROGRAM_MOVES.activate.event, made, now)
}

/** Inserts the first program of a sandbox. */
export function insertFirstProgram(
  sql: TxSql,
  { id, tenantId, now }: { id: string; tenantId: string; now: EpochMs },
): Promise<void> {
  const owner = { tenantId, environment: 'sandbox' as const }
  return insertActiveProgram(sql, owner, { id, name: 'Sandbox cards', currency: null, now })
}
