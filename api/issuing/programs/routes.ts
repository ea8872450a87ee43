// The endpoints of programs. Only the tenant's administrator changes a program.
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import {
  NEW_PROGRAM_INPUT,
  PROGRAM_CHANGE_INPUT,
  Program,
} from '../../../shared/schemas/program.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS, type CreatedFilters } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { createProgram } from './create.ts'
import { findProgram, listPrograms } from './store.ts'
import { updateProgram } from './update.ts'
import { programView } from './view.ts'

export const programRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/programs'],
    scope: 'read',
    summary: 'Lists programs, newest first.',
    query: closed({ ...PAGE_QUERY, ...CREATED_FILTERS }),
    answer: PageOf(Program),
    run: (context, { query }) => readPrograms(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/programs/:id'],
    scope: 'read',
    summary: 'Returns one program.',
    params: IdParams,
    answer: Program,
    run: (context, { params }) => readProgram(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/programs'],
    scope: 'admin',
    entitled: 'issuing',
    summary: 'Makes a program: active at once in the sandbox, in live as soon as it is approved.',
    status: 201,
    body: closed({ ...NEW_PROGRAM_INPUT }),
    answer: Program,
    run: (context, { body }) => createProgram(context, body),
  }),
  route({
    method: 'PATCH',
    paths: ['/v1/programs/:id'],
    scope: 'admin',
    entitledBy: ({ realtime }) => (realtime === true ? 'realtime' : 'always'),
    summary:
      'Changes how a program’s cards are decided, and its name; what is left out stays as it is.',
    params: IdParams,
    body: closed({ ...PROGRAM_CHANGE_INPUT }, { minProperties: 1 }),
    answer: Program,
    run: (context, { params, body }) =>
      updateProgram(context, { programId: params.id, change: body }),
  }),
]

async function readProgram({ sql, principal }: Context, id: string): Promise<Program> {
  const program = await findProgram(sql, principal, id)
  if (program === null) throw new Refusal('resource_missing')
  return programView(program)
}

async function readPrograms(
  { sql, principal }: Context,
  query: PageQuery & CreatedFilters,
): Promise<Page<Program>> {
  return mapPage(await listPrograms(sql, principal, query), programView)
}
