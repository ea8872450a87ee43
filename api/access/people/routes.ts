// The tenant's view of its people. Operators create and change them: if any key could change
// people, they would protect nothing.
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import { PERSON_ROLES, PERSON_STATUSES, Person } from '../../../shared/schemas/person.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { findPerson, listPeople, type PersonFilters } from './store.ts'
import { personView } from './view.ts'

/** Query fields of both lists of people, the tenant's and the operators'. */
export const PEOPLE_QUERY = closed({
  ...PAGE_QUERY,
  ...CREATED_FILTERS,
  status: described(
    Type.Optional(Type.Enum([...PERSON_STATUSES])),
    'Filters active or disabled people.',
  ),
  role: described(Type.Optional(Type.Enum([...PERSON_ROLES])), 'Filters people by role.'),
})

export const userRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/people'],
    summary: 'Lists the people who approve what keys may not do, in sandbox and live alike.',
    scope: 'admin',
    query: PEOPLE_QUERY,
    answer: PageOf(Person),
    run: (context, { query }) => readOwnPeople(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/people/:id'],
    summary: 'Shows a person of the account.',
    scope: 'admin',
    params: IdParams,
    answer: Person,
    run: (context, { params }) => readOwnPerson(context, params.id),
  }),
]

/** Lists the people of the calling tenant. */
async function readOwnPeople(
  { sql, principal }: Context,
  query: PageQuery & PersonFilters,
): Promise<Page<Person>> {
  return mapPage(await listPeople(sql, principal.tenantId, query), personView)
}

/** Shows a person of the calling tenant; refuses with 404 any other id. */
async function readOwnPerson({ sql, principal }: Context, id: string): Promise<Person> {
  const row = await findPerson(sql, id)
  if (row?.tenantId !== principal.tenantId) throw new Refusal('resource_missing')
  return personView(row)
}
