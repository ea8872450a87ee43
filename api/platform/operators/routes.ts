// Endpoints of operators: about operators here, about tenants and programs in the tables beside
// this one. For all other callers these endpoints do not exist.
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  NEW_OPERATOR_INPUT,
  NewOperator,
  OPERATOR_CHANGE,
  OPERATOR_LINK,
  Operator,
} from '../../../shared/schemas/operator.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import { boundOperator, createOperator } from './create-operator.ts'
import type { InstallationPort } from './issue-key.ts'
import { LAST_PERSON_CONFIRMED } from './last-person.ts'
import { linkOperator, requireLinkProof } from './link-operator.ts'
import { personRoutes } from './person-routes.ts'
import { operatorProgramRoutes } from './program-routes.ts'
import { readOperators } from './read.ts'
import type { ResetPorts } from './reset-factor.ts'
import { revokeOperator } from './revoke-operator.ts'
import { tenantRoutes } from './tenant-routes.ts'

const PATH = '/operator/v1/operators'

/** Parts of the process that the calls of operators need. */
export type OperatorPorts = InstallationPort & ResetPorts

export const operatorRoutes: readonly Route<OperatorPorts>[] = [
  ...tenantRoutes,
  ...personRoutes,
  ...operatorProgramRoutes,
  operatorRoute({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists the operators, newest first.',
    query: closed({ ...PAGE_QUERY, ...CREATED_FILTERS }),
    answer: PageOf(Operator),
    run: (context, { query }) => readOperators(context, query),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH],
    summary: 'Makes an operator; its credential is shown this once.',
    status: 201,
    secondOperator: 'Make an operator.',
    body: closed({ ...NEW_OPERATOR_INPUT }),
    answer: NewOperator,
    run: (context, { body }) => createOperator(context, body),
  }),
  operatorRoute({
    method: 'PATCH',
    paths: [PATH + '/:id'],
    summary: 'Changes the end of the credential of an operator, and the addresses it works from.',
    secondOperator: 'Change the end or the addresses of the credential of an operator.',
    params: IdParams,
    body: closed({ ...OPERATOR_CHANGE, ...LAST_PERSON_CONFIRMED }, { minProperties: 1 }),
    answer: Operator,
    run: (context, { params, body }) => boundOperator(context, { ...body, id: params.id }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/revoke'],
    summary: 'Revokes the credential of another operator.',
    params: IdParams,
    body: closed({ ...LAST_PERSON_CONFIRMED }),
    answer: Operator,
    run: (context, { params, body }) =>
      revokeOperator(context, {
        operatorId: params.id,
        isConfirmed: body.confirm_last_person === true,
      }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/link'],
    summary: 'Names the person of an operator, who works on pages with a passkey.',
    secondOperator: 'Name the person of an operator.',
    requireProof: (sql, _input, pagesUrl) => requireLinkProof(sql, pagesUrl),
    params: IdParams,
    body: closed({ ...OPERATOR_LINK, ...LAST_PERSON_CONFIRMED }),
    answer: Operator,
    run: (context, { params, body }, ports) =>
      linkOperator(
        context,
        { id: params.id, email: body.email, isConfirmed: body.confirm_last_person === true },
        ports,
      ),
  }),
]
