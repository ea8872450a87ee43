// Endpoints of operators about programs.
import { Type } from '../../../shared/schema-builders.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { OperatorProgram } from '../../../shared/schemas/operator.ts'
import { PROGRAM_STANDINGS } from '../../../shared/schemas/program.ts'
import { OPERATOR_REASON, SUSPENSION_INPUT } from '../../../shared/schemas/tenant.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import { decideProgram } from './move-program.ts'
import { readAllPrograms, readAnyProgram } from './read.ts'

const PATH = '/operator/v1/programs'

export const operatorProgramRoutes: readonly Route[] = [
  operatorRoute({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists programs of all tenants, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      tenant_id: IdFilter,
      environment: Type.Optional(Type.Enum(['sandbox', 'live'])),
      status: Type.Optional(Type.Enum([...PROGRAM_STANDINGS])),
    }),
    answer: PageOf(OperatorProgram),
    run: (context, { query }) => readAllPrograms(context, query),
  }),
  operatorRoute({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Returns one program of whichever tenant.',
    params: IdParams,
    answer: OperatorProgram,
    run: (context, { params }) => readAnyProgram(context, params.id),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/activate'],
    summary: 'Activates a program: cards are issued in it and authorizations approved.',
    params: IdParams,
    answer: OperatorProgram,
    run: (context, { params }) =>
      decideProgram(context, {
        programId: params.id,
        move: 'activate',
        reason: null,
        suspendedBy: null,
      }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/reject'],
    summary: 'Rejects a program that waits for its activation, with a reason.',
    params: IdParams,
    body: closed({ reason: OPERATOR_REASON }),
    answer: OperatorProgram,
    run: (context, { params, body }) =>
      decideProgram(context, {
        programId: params.id,
        move: 'reject',
        reason: body.reason,
        suspendedBy: null,
      }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/suspend'],
    summary: 'Suspends a program: nothing is issued in it, every authorization is declined.',
    params: IdParams,
    body: closed({ ...SUSPENSION_INPUT }),
    answer: OperatorProgram,
    run: (context, { params, body }) =>
      decideProgram(context, {
        programId: params.id,
        move: 'suspend',
        reason: body.reason,
        suspendedBy: body.suspended_by,
      }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/resume'],
    summary: 'Lifts the suspension of a program.',
    params: IdParams,
    answer: OperatorProgram,
    run: (context, { params }) =>
      decideProgram(context, {
        programId: params.id,
        move: 'resume',
        reason: null,
        suspendedBy: null,
      }),
  }),
]
