// The endpoints of deliveries, and of sending one. Chosen: every operation answers under both
// spellings, as those of webhook endpoints do.

import { EVENT_TYPE_NAMES } from '../../../shared/event-catalog.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  DELIVERY_CAUSES,
  DELIVERY_STATES,
  WebhookDelivery,
  WebhookDeliveryAttempt,
  WebhookDeliveryRequest,
} from '../../../shared/schemas/webhook-delivery.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../http/route.ts'
import { readAttempts, readDeliveries, readDelivery, readRequest } from './read.ts'
import { replayEvent } from './replay.ts'
import { sendTest } from './send-test.ts'

const LIST_PATHS = ['/v1/webhook_deliveries', '/v1/webhook-deliveries']
const ONE_PATHS = LIST_PATHS.map((path) => path + '/:id')
const ENDPOINT_PATHS = ['/v1/webhook_endpoints/:id', '/v1/webhook-endpoints/:id']

export const deliveryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: LIST_PATHS,
    scope: 'read',
    summary: 'Lists deliveries of events to your endpoints, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      endpoint_id: IdFilter,
      event_id: IdFilter,
      state: Type.Optional(Type.Enum([...DELIVERY_STATES])),
      type: described(Type.Optional(Type.Enum(EVENT_TYPE_NAMES)), 'The type of the event.'),
      cause: Type.Optional(Type.Enum([...DELIVERY_CAUSES])),
    }),
    answer: PageOf(WebhookDelivery),
    run: (context, { query }) => readDeliveries(context, query),
  }),
  route({
    method: 'GET',
    paths: ONE_PATHS,
    scope: 'read',
    summary: 'Returns one delivery.',
    params: IdParams,
    answer: WebhookDelivery,
    run: (context, { params }) => readDelivery(context, params.id),
  }),
  route({
    method: 'GET',
    paths: ONE_PATHS.map((path) => path + '/attempts'),
    scope: 'read',
    summary: 'Lists the attempts of a delivery, newest first: what was answered, and how fast.',
    params: IdParams,
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(WebhookDeliveryAttempt),
    run: (context, { params, query }) => readAttempts(context, { ...query, deliveryId: params.id }),
  }),
  route({
    method: 'GET',
    paths: ONE_PATHS.map((path) => path + '/request'),
    scope: 'read',
    summary:
      'Returns the request of a delivery: its headers without signatures, and its exact body.',
    params: IdParams,
    answer: WebhookDeliveryRequest,
    run: (context, { params }) => readRequest(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ENDPOINT_PATHS.map((path) => path + '/replay'),
    scope: 'write',
    entitled: 'always',
    summary: 'Sends one event to an endpoint again, now.',
    params: IdParams,
    body: closed({ event_id: IdParams.properties.id }),
    answer: WebhookDelivery,
    run: (context, { params, body }) =>
      replayEvent(context, { endpointId: params.id, eventId: body.event_id }),
  }),
  route({
    method: 'POST',
    paths: ENDPOINT_PATHS.map((path) => path + '/test'),
    scope: 'write',
    entitled: 'always',
    summary: 'Sends an endpoint a sample event, once; its attempt is read from the delivery.',
    params: IdParams,
    body: closed({
      event_type: Type.Optional(
        Type.Enum(EVENT_TYPE_NAMES, {
          description: 'Of which type; the first that the endpoint takes when it is left out.',
        }),
      ),
    }),
    answer: WebhookDelivery,
    status: 201,
    run: (context, { params, body }) =>
      sendTest(context, {
        endpointId: params.id,
        ...(body.event_type === undefined ? {} : { type: body.event_type }),
      }),
  }),
]
