// All reads of people.
import type { Page } from '../../../shared/schemas/list.ts'
import type { Person } from '../../../shared/schemas/person.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { listPeople, type PersonFilters } from './store.ts'
import { personView } from './view.ts'

/** Lists the people of the calling tenant. */
export async function readOwnPeople(
  { sql, principal }: Context,
  query: PageQuery & PersonFilters,
): Promise<Page<Person>> {
  return mapPage(await listPeople(sql, principal.tenantId, query), personView)
}
