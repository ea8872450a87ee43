// Endpoints of operators about people of tenants.
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  NEW_PERSON_INPUT,
  NewPerson,
  OperatorPerson,
  PERSON_CHANGE,
  PersonFactor,
} from '../../../shared/schemas/person.ts'
import { PEOPLE_QUERY } from '../../access/people/index.ts'
import { closed, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import { addPerson } from './add-person.ts'
import { disablePerson, enablePerson } from './disable-person.ts'
import { requirePersonProof } from './operator-person.ts'
import { readPeople, readPerson } from './read.ts'
import { type ResetPorts, resetFactor } from './reset-factor.ts'
import { updatePerson } from './update-person.ts'

const OF_TENANT = '/operator/v1/tenants/:id/people'
const PATH = '/operator/v1/people/:id'

export const personRoutes: readonly Route<ResetPorts>[] = [
  operatorRoute({
    method: 'GET',
    paths: [OF_TENANT],
    summary: 'Lists the people of a tenant, newest first.',
    params: IdParams,
    query: PEOPLE_QUERY,
    answer: PageOf(OperatorPerson),
    run: (context, { params, query }) => readPeople(context, params.id, query),
  }),
  operatorRoute({
    method: 'POST',
    paths: [OF_TENANT],
    summary:
      'Gives a tenant a person who approves what keys may not do; how they sign in is shown this once.',
    status: 201,
    secondOperator: 'Give a tenant a person who approves calls.',
    params: IdParams,
    body: closed({ ...NEW_PERSON_INPUT }),
    answer: NewPerson,
    run: (context, { params, body }) =>
      addPerson(context, { ...body, tenantId: params.id, role: body.role ?? 'owner' }),
  }),
  operatorRoute({
    method: 'GET',
    paths: [PATH],
    summary: 'Returns one person.',
    params: IdParams,
    answer: OperatorPerson,
    run: (context, { params }) => readPerson(context, params.id),
  }),
  operatorRoute({
    method: 'PATCH',
    paths: [PATH],
    summary: 'Changes the name of a person and the address they sign in with.',
    secondOperatorBy: ({ email }) =>
      email === undefined ? null : 'Give a person another address to sign in with.',
    requireProof: (sql, { params }) => requirePersonProof(sql, params.id),
    params: IdParams,
    body: closed({ ...PERSON_CHANGE }, { minProperties: 1 }),
    answer: OperatorPerson,
    run: (context, { params, body }) => updatePerson(context, { ...body, personId: params.id }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/disable'],
    summary: 'Disables a person: they approve nothing any more. The last owner stays.',
    params: IdParams,
    answer: OperatorPerson,
    run: (context, { params }) => disablePerson(context, { personId: params.id }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/enable'],
    summary: 'Lets a disabled person approve again, with what they had.',
    secondOperator: 'Let a disabled person approve calls again.',
    params: IdParams,
    answer: OperatorPerson,
    run: (context, { params }) => enablePerson(context, { personId: params.id }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/reset_factor'],
    summary: 'Gives a person another second factor, shown this once; the one of before ends.',
    secondOperator: 'Give a person another second factor.',
    requireProof: (sql, { params }) => requirePersonProof(sql, params.id),
    params: IdParams,
    answer: PersonFactor,
    run: (context, { params }, ports: ResetPorts) =>
      resetFactor(context, { personId: params.id }, ports),
  }),
]
