// All reads of operators: themselves, tenants, people, and programs of all tenants.
import type { Page } from '../../../shared/schemas/list.ts'
import type { Operator, OperatorProgram } from '../../../shared/schemas/operator.ts'
import type { OperatorPerson } from '../../../shared/schemas/person.ts'
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import {
  findPerson,
  listPeople,
  operatorPersonView,
  type PersonFilters,
} from '../../access/people/index.ts'
import type { OperatorContext } from '../../context.ts'
import type { CreatedFilters } from '../../database/created-filter.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  findAnyProgram,
  listAllPrograms,
  type ProgramFilters,
} from '../../issuing/programs/index.ts'
import { findTenant, listTenants, type TenantFilters, tenantView } from '../tenants/index.ts'
import { listOperators } from './store.ts'
import { operatorProgramView, operatorView } from './view.ts'

export async function readTenant({ sql, now }: OperatorContext, id: string): Promise<Tenant> {
  const tenant = await findTenant(sql, id)
  if (tenant === null) throw new Refusal('resource_missing')
  return tenantView(tenant, now)
}

export async function readTenants(
  { sql, now }: OperatorContext,
  query: PageQuery & TenantFilters,
): Promise<Page<Tenant>> {
  return mapPage(await listTenants(sql, query), (row) => tenantView(row, now))
}

/** Refuses with 404 if the tenant does not exist. */
export async function readPeople(
  { sql }: OperatorContext,
  tenantId: string,
  query: PageQuery & PersonFilters,
): Promise<Page<OperatorPerson>> {
  if ((await findTenant(sql, tenantId)) === null) throw new Refusal('resource_missing')
  return mapPage(await listPeople(sql, tenantId, query), operatorPersonView)
}

export async function readPerson({ sql }: OperatorContext, id: string): Promise<OperatorPerson> {
  const person = await findPerson(sql, id)
  if (person === null) throw new Refusal('resource_missing')
  return operatorPersonView(person)
}

export async function readAnyProgram(
  { sql }: OperatorContext,
  id: string,
): Promise<OperatorProgram> {
  const program = await findAnyProgram(sql, id)
  if (program === null) throw new Refusal('resource_missing')
  return operatorProgramView(program)
}

export async function readAllPrograms(
  { sql }: OperatorContext,
  query: PageQuery & ProgramFilters,
): Promise<Page<OperatorProgram>> {
  return mapPage(await listAllPrograms(sql, query), operatorProgramView)
}

export async function readOperators(
  { sql }: OperatorContext,
  query: PageQuery & CreatedFilters,
): Promise<Page<Operator>> {
  return mapPage(await listOperators(sql, query), operatorView)
}
