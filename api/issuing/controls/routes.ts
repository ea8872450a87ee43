// The endpoints of spending controls.
import { Type } from '../../../shared/schema-builders.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  CONTROL_SCOPES,
  CONTROL_STATES,
  CONTROL_TERMS_INPUT,
  SpendingControl,
} from '../../../shared/schemas/spending-control.ts'
import {
  SpendingControlShadow,
  SpendingControlVersion,
} from '../../../shared/schemas/spending-control-shadow.ts'
import {
  ExternalId,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from '../../../shared/schemas/tenant-fields.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../http/route.ts'
import { createSpendingControl } from './create.ts'
import { readControl, readControls, readShadow, readVersions } from './read.ts'
import { moveSpendingControl } from './states.ts'
import { updateSpendingControl } from './update.ts'

const MOVE_SUMMARIES = {
  activate: 'Activates a draft: from then on it binds.',
  retire: 'Retires a spending control: it binds nothing any more.',
} as const

const LIST = '/v1/spending_controls'
const ONE = LIST + '/:id'

const reads: readonly Route[] = [
  route({
    method: 'GET',
    paths: [LIST],
    scope: 'read',
    summary: 'Lists spending controls, newest first.',
    family: 'card',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      scope: Type.Optional(Type.Enum([...CONTROL_SCOPES])),
      subject_id: IdFilter,
      state: Type.Optional(Type.Enum([...CONTROL_STATES])),
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(SpendingControl),
    run: (context, { query }) => readControls(context, query),
  }),
  route({
    method: 'GET',
    paths: [ONE],
    scope: 'read',
    summary: 'Returns one spending control.',
    family: 'card',
    params: IdParams,
    answer: SpendingControl,
    run: (context, { params }) => readControl(context, params.id),
  }),
  route({
    method: 'GET',
    paths: [ONE + '/versions'],
    scope: 'read',
    summary: 'Lists every version a spending control ever had, newest first.',
    family: 'card',
    params: IdParams,
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(SpendingControlVersion),
    run: (context, { params, query }) => readVersions(context, { ...query, controlId: params.id }),
  }),
  route({
    method: 'GET',
    paths: [ONE + '/shadow'],
    scope: 'read',
    summary:
      'Counts what a spending control’s drafts would have done to the authorizations they judged.',
    family: 'card',
    params: IdParams,
    answer: SpendingControlShadow,
    run: (context, { params }) => readShadow(context, params.id),
  }),
]

const writes: readonly Route[] = [
  route({
    method: 'POST',
    paths: [LIST],
    scope: 'write',
    entitled: 'always',
    summary:
      'Makes a spending control on a program, a cardholder or a card; as a draft it is judged in shadow only.',
    family: 'card',
    body: closed({
      scope: Type.Enum([...CONTROL_SCOPES]),
      subject_id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
      state: Type.Optional(Type.Enum(['draft', 'active'])),
      ...TENANT_FIELDS_INPUT,
      ...CONTROL_TERMS_INPUT,
    }),
    answer: SpendingControl,
    status: 201,
    run: (context, { body }) => {
      const { scope, subject_id: subjectId, state = 'active', ...said } = body
      const { external_id: externalId = null, metadata = {}, ...terms } = said
      const own = { externalId, metadata }
      return createSpendingControl(context, { scope, subjectId, state, terms, own })
    },
  }),
  route({
    method: 'PATCH',
    paths: [ONE],
    scope: 'write',
    entitled: 'always',
    summary: 'Makes a new version of a spending control; what is left out stays as it is.',
    family: 'card',
    params: IdParams,
    body: closed(
      {
        if_version: Type.Optional(Type.Integer({ minimum: 1 })),
        ...TENANT_FIELDS_CHANGE,
        ...CONTROL_TERMS_INPUT,
      },
      { minProperties: 1 },
    ),
    answer: SpendingControl,
    run: (context, { params, body: { if_version: ifVersion = null, ...said } }) => {
      const { external_id, metadata, ...terms } = said
      const own = {
        ...(external_id === undefined ? {} : { external_id }),
        ...(metadata === undefined ? {} : { metadata }),
      }
      return updateSpendingControl(context, { controlId: params.id, ifVersion, terms, own })
    },
  }),
  move('activate'),
  move('retire'),
]

function move(verb: 'activate' | 'retire'): Route {
  return route({
    method: 'POST',
    paths: [ONE + '/' + verb],
    scope: 'write',
    entitled: 'always',
    summary: MOVE_SUMMARIES[verb],
    family: 'card',
    params: IdParams,
    answer: SpendingControl,
    run: (context, { params }) =>
      moveSpendingControl(context, { controlId: params.id, move: verb }),
  })
}

export const spendingControlRoutes: readonly Route[] = [...reads, ...writes]
