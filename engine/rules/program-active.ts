// The program must be active: not waiting for KYB, not suspended, and not closed by its tenant's
// status of billing. To the outside a closed one is a suspended one.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import type { ProgramConfig } from '../../shared/wire/config-records.ts'
import { pass, passingRow, type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.program_active
const ACTIVE = passingRow(RULE_CATALOG.program_active, 'active')

export const programActive: Rule = {
  id: 'program_active',
  judge: ({ program }, trace) =>
    program.status === 'active' && !program.authorizations_closed
      ? pass(ACTIVE, trace)
      : recordRow(programActive, [NUMBER, VERSION, 0, statusOf(program)], trace),
  decide(row) {
    if (row[3] === 'active') return null
    return row[3] === 'pending' ? 'program_not_active' : 'program_suspended'
  },
}

function statusOf({ status }: ProgramConfig): string {
  return status === 'active' ? 'billing_suspended' : status
}
