// The program must be active: not waiting for KYB, not suspended.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { pass, passingRow, type Rule, recordRow } from './rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.program_active
const ACTIVE = passingRow(RULE_CATALOG.program_active, 'active')

export const programActive: Rule = {
  id: 'program_active',
  judge: ({ program }, trace) =>
    program.status === 'active'
      ? pass(ACTIVE, trace)
      : recordRow(programActive, [NUMBER, VERSION, 0, program.status], trace),
  decide(row) {
    if (row[3] === 'active') return null
    return row[3] === 'suspended' ? 'program_suspended' : 'program_not_active'
  },
}
