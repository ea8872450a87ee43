// All reads of people.
import type { Page } from '../../../shared/schemas/list.ts'
import type { Person } from '../../../shared/schemas/person.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findPerson, listPeople, type PersonFilters } from './store.ts'
import { personView } from './view.ts'

/** Lists the people of the calling tenant. */
export async function readOwnPeople(
  { sql, principal }: Context,
  query: PageQuery & PersonFilters,
): Promise<Page<Person>> {
  return mapPage(await listPeople(sql, principal.tenantId, query), personView)
}

/** Shows a person of the calling tenant; refuses with 404 any other id. */
export async function readOwnPerson({ sql, principal }: Context, id: string): Promise<Person> {
  const row = await findPerson(sql, id)
  if (row?.tenantId !== principal.tenantId) throw new Refusal('resource_missing')
  return personView(row)
}
