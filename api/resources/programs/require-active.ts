// What is issued in a program is issued while it is active. Spec 6.2: program.activated allows issuance, program.suspended
// ends it.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../refuse.ts'
import { holdProgram } from './store.ts'
import { type ProgramRow, standingOf } from './view.ts'

/**
 * The program that `program_id` names, held until the transaction ends: whoever suspends it comes before or after what is
 * issued in it, never between. Refuses with 404 where the owner has no such program, with 403 where it is not active.
 */
export async function requireActiveProgram(
  sql: TxSql,
  owner: Owner,
  programId: string,
): Promise<ProgramRow> {
  const program = await holdProgram(sql, owner, programId)
  if (program === null) throw new Refusal('resource_missing', { param: 'program_id' })
  const standing = standingOf(program)
  if (standing === 'active') return program
  throw new Refusal('program_not_active', {
    param: 'program_id',
    extra: { current_status: standing },
  })
}
