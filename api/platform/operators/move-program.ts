// Moves one program by an operator's decision: activate, reject, suspend, resume. Spec 6.2.
import type { OperatorProgram } from '../../../shared/schemas/operator.ts'
import type { SuspendedBy } from '../../../shared/schemas/program.ts'
import type { OperatorContext } from '../../context.ts'
import { moveProgram, type PROGRAM_MOVES } from '../../issuing/programs/index.ts'
import { auditOperator } from '../../write/audit.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { operatorProgramView } from './view.ts'

export interface ProgramMoveInput {
  programId: string
  move: keyof typeof PROGRAM_MOVES
  reason: string | null
  suspendedBy: SuspendedBy | null
}

/**
 * The server never repeats this call: another caller may have moved the program back between two
 * tries.
 */
export async function decideProgram(
  context: OperatorContext,
  input: ProgramMoveInput,
): Promise<OperatorProgram> {
  return writeConfirmed(context, async (sql) => {
    const { program, moved } = await moveProgram(sql, { ...input, now: context.now })
    if (moved) await auditOperator(sql, context, program, program.id)
    return operatorProgramView(program)
  })
}
