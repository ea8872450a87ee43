// What a tenant sees of its people. Operators make and change them: from whoever holds a key they could not protect anything.
import { Type } from 'typebox'
import { PageOf } from '../../../shared/schemas/list.ts'
import { PERSON_ROLES, PERSON_STATUSES, Person } from '../../../shared/schemas/person.ts'
import { CREATED_FILTERS } from '../../created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, type Route, route } from '../../route.ts'
import { readOwnPeople } from './read.ts'

/** What both lists of people take, the tenant's and the operators'. */
export const PEOPLE_QUERY = closed({
  ...PAGE_QUERY,
  ...CREATED_FILTERS,
  /** Active or disabled ones only. */
  status: Type.Optional(Type.Enum([...PERSON_STATUSES])),
  /** Those of one role only. */
  role: Type.Optional(Type.Enum([...PERSON_ROLES])),
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
]
