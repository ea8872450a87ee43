// Issuance in a program requires an active program. Spec 6.2: program.activated allows issuance,
// program.suspended ends it.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { lockProgramOf } from './store.ts'
import { type ProgramRow, stateOf } from './view.ts'

/**
 * Returns the program of `program_id`, locked until the transaction ends: a suspension comes before
 * or after the issuance, never between. Refuses with 404 for an unknown program, with 403 for an
 * inactive one.
 */
export async function requireActiveProgram(
  sql: TxSql,
  owner: Owner,
  programId: string,
): Promise<ProgramRow> {
  const program = await lockProgramOf(sql, owner, programId)
  if (program === null) throw new Refusal('resource_missing', { param: 'program_id' })
  const state = stateOf(program)
  if (state === 'active') return program
  throw new Refusal('program_not_active', {
    param: 'program_id',
    extra: { current_status: state },
  })
}
