// The public form of operators, and of programs for operators.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { Operator, OperatorProgram, OperatorScope } from '../../../shared/schemas/operator.ts'
import { type ProgramRow, programView } from '../../issuing/programs/index.ts'

export interface OperatorRow {
  id: string
  name: string
  last4: string
  state: 'active' | 'revoked'
  scope: OperatorScope
  /** The address of the operator's person; null: none is linked. */
  email: string | null
  /** When the credential stops working, installation time; null: never. */
  expiresAt: EpochMs | null
  /** Address ranges from which the credential works; empty: every address. */
  cidrs: readonly string[]
  createdAt: EpochMs
}

export function operatorView(row: OperatorRow): Operator {
  return {
    id: row.id,
    object: 'operator',
    created: unixSeconds(row.createdAt),
    name: row.name,
    last4: row.last4,
    status: row.state,
    scope: row.scope,
    email: row.email,
    expires_at: row.expiresAt === null ? null : unixSeconds(row.expiresAt),
    cidrs: [...row.cidrs],
  }
}

export function operatorProgramView(row: ProgramRow): OperatorProgram {
  return { ...programView(row), tenant_id: row.tenantId }
}
