// The endpoints of undelivered events: an endpoint's missed events, and recoveries.

import { EVENT_TYPE_NAMES } from '../../../shared/event-catalog.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { Event } from '../../../shared/schemas/event-shape.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { TENANT_FIELDS_INPUT } from '../../../shared/schemas/tenant-fields.ts'
import {
  RECOVERED,
  WebhookRecovery,
  WebhookRecoveryCount,
} from '../../../shared/schemas/webhook-recovery.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { readMissedEvents } from './missed.ts'
import { cancelRecovery } from './recoveries/cancel.ts'
import { createRecovery } from './recoveries/create.ts'
import { readRecoveries, readRecovery } from './recoveries/read.ts'

const ENDPOINT_PATHS = ['/v1/webhook_endpoints/:id', '/v1/webhook-endpoints/:id']
const LIST_PATHS = ENDPOINT_PATHS.map((path) => path + '/recoveries')
const ONE_PATHS = LIST_PATHS.map((path) => path + '/:recovery')

const RecoveryParams = closed({ ...IdParams.properties, recovery: IdParams.properties.id })

function moment(description: string) {
  return Type.String({ format: 'date-time', maxLength: 40, description })
}

const RECOVERY_INPUT = {
  since: moment('Events created at or after it: an ISO 8601 date, or date and time with a zone.'),
  until: Type.Optional(
    moment('Events created at or before it, in the same form; now when it is left out.'),
  ),
  which: Type.Enum([...RECOVERED], {
    description:
      'failed: whose delivery failed or was canceled. missed: which came while the endpoint was disabled. all: all it takes.',
  }),
  event_types: Type.Optional(
    Type.Array(Type.Enum(EVENT_TYPE_NAMES), {
      minItems: 1,
      maxItems: EVENT_TYPE_NAMES.length,
      uniqueItems: true,
      description: 'Only these types.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      description: 'True: nothing is sent, the answer says how many events it would be.',
    }),
  ),
  ...TENANT_FIELDS_INPUT,
}

export const recoveryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ENDPOINT_PATHS.map((path) => path + '/missed_events'),
    scope: 'read',
    summary: 'Lists events that an endpoint missed while it was disabled, newest first.',
    params: IdParams,
    query: closed({ ...PAGE_QUERY }),
    answer: null,
    shape: PageOf(Event),
    run: (context, { params, query }) =>
      readMissedEvents(context, { ...query, endpointId: params.id }),
  }),
  route({
    method: 'POST',
    paths: LIST_PATHS,
    scope: 'write',
    entitled: 'always',
    summary: 'Begins to send a range of events to an endpoint again, or counts them.',
    params: IdParams,
    body: closed(RECOVERY_INPUT),
    answer: Type.Union([WebhookRecovery, WebhookRecoveryCount]),
    status: 201,
    makes: ({ dry_run: counts }) => counts !== true,
    run: (context, { params, body }) => createRecovery(context, { ...body, endpointId: params.id }),
  }),
  route({
    method: 'GET',
    paths: LIST_PATHS,
    scope: 'read',
    summary: 'Lists the recoveries of an endpoint, newest first.',
    params: IdParams,
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(WebhookRecovery),
    run: (context, { params, query }) =>
      readRecoveries(context, { ...query, endpointId: params.id }),
  }),
  route({
    method: 'GET',
    paths: ONE_PATHS,
    scope: 'read',
    summary: 'Returns one recovery of an endpoint.',
    params: RecoveryParams,
    answer: WebhookRecovery,
    run: (context, { params }) =>
      readRecovery(context, { endpointId: params.id, id: params.recovery }),
  }),
  route({
    method: 'POST',
    paths: ONE_PATHS.map((path) => path + '/cancel'),
    scope: 'write',
    entitled: 'always',
    summary: 'Ends a recovery; what it handed out already is sent.',
    params: RecoveryParams,
    answer: WebhookRecovery,
    run: (context, { params }) =>
      cancelRecovery(context, { endpointId: params.id, id: params.recovery }),
  }),
]
