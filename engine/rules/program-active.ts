// The program must be active: not waiting for KYB, not suspended.
import { type Rule, recordRow, traceRow } from './rule.ts'

export const programActive: Rule = {
  id: 'program_active',
  judge: (judged, trace) =>
    recordRow(programActive, traceRow('program_active', judged.program.status), trace),
  decide(row) {
    if (row[3] === 'active') return null
    return row[3] === 'suspended' ? 'program_suspended' : 'program_not_active'
  },
}
