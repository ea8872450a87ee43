// Only this module makes a person public. The view never contains proofs of identity.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { OperatorPerson, Person } from '../../../shared/schemas/person.ts'

export interface PersonRow {
  id: string
  tenantId: string
  identityId: string
  email: string
  name: string
  role: Person['role']
  state: Person['status']
  createdAt: EpochMs
}

export function personView(row: PersonRow): Person {
  return {
    id: row.id,
    object: 'person',
    created: unixSeconds(row.createdAt),
    email: row.email,
    name: row.name,
    role: row.role,
    status: row.state,
  }
}

export function operatorPersonView(row: PersonRow): OperatorPerson {
  return { ...personView(row), tenant_id: row.tenantId }
}
