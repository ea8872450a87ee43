// The endpoints of webhook endpoints. Spec 4.2 prints the path with an underscore and with a
// hyphen. Chosen: every operation answers under both.
import { Type } from '../../../shared/schema-builders.ts'
import { Certification } from '../../../shared/schemas/certification.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { StandInReport } from '../../../shared/schemas/stand-in-report.ts'
import {
  ExternalId,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from '../../../shared/schemas/tenant-fields.ts'
import {
  DeletedEndpoint,
  ENDPOINT_INPUT,
  SecretEndpoint,
  WebhookEndpoint,
} from '../../../shared/schemas/webhook-endpoint.ts'
import {
  WebhookEndpointHealth,
  WebhookEndpointStatistics,
} from '../../../shared/schemas/webhook-endpoint-statistics.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { certifyEndpoint, type ProbePort } from './certify.ts'
import { createEndpoint } from './create.ts'
import { deleteEndpoint } from './delete.ts'
import { makeRealtime } from './make-realtime.ts'
import {
  type BreakerPort,
  readCertification,
  readCertifications,
  readEndpoint,
  readEndpoints,
} from './read.ts'
import { revokeOldSecret, rotateSecret } from './rotate-secret.ts'
import { readStandInReport } from './stand-in-report.ts'
import { readHealth, readStatistics } from './statistics.ts'
import { updateEndpoint } from './update.ts'
import type { AddressPorts } from './url.ts'

export interface EndpointPorts extends AddressPorts, BreakerPort, ProbePort {}

const LIST_PATHS = ['/v1/webhook_endpoints', '/v1/webhook-endpoints']
const ONE_PATHS = LIST_PATHS.map((path) => path + '/:id')
const CERTIFICATION_PATHS = ONE_PATHS.map((path) => path + '/certifications')

const Url = Type.String({ maxLength: 2048, pattern: '^[\\x21-\\x7e]+$' })

const EXPIRES_IN_MAX = 30 * 86_400
const OLD_SECRET = closed({
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: EXPIRES_IN_MAX,
      description: 'After so many seconds the older secret is revoked by itself.',
    }),
  ),
})

const managed: readonly Route<EndpointPorts>[] = [
  route({
    method: 'POST',
    paths: LIST_PATHS,
    scope: 'write',
    entitled: 'always',
    summary: 'Makes an endpoint that events are sent to; its signing secret is shown this once.',
    body: closed({ url: Url, ...ENDPOINT_INPUT, ...TENANT_FIELDS_INPUT }),
    answer: SecretEndpoint,
    status: 201,
    run: (context, { body }, ports: EndpointPorts) => createEndpoint(context, body, ports),
  }),
  route({
    method: 'DELETE',
    paths: ONE_PATHS,
    scope: 'write',
    entitled: 'always',
    summary: 'Deletes an endpoint; what waits to be delivered to it is given up.',
    params: IdParams,
    answer: DeletedEndpoint,
    run: (context, { params }) => deleteEndpoint(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ONE_PATHS.map((path) => path + '/rotate_secret'),
    scope: 'write',
    entitled: 'always',
    summary:
      'Gives an endpoint a second signing secret, shown this once; both sign until the old one is revoked.',
    params: IdParams,
    body: OLD_SECRET,
    answer: SecretEndpoint,
    run: (context, { params, body }, ports: EndpointPorts) =>
      rotateSecret(context, { ...body, endpointId: params.id }, ports),
  }),
  route({
    method: 'POST',
    paths: ONE_PATHS.map((path) => path + '/revoke_old_secret'),
    scope: 'write',
    entitled: 'always',
    summary: 'Revokes the older of two signing secrets, at once or in a while.',
    params: IdParams,
    body: OLD_SECRET,
    answer: WebhookEndpoint,
    run: (context, { params, body }, ports: EndpointPorts) =>
      revokeOldSecret(context, { ...body, endpointId: params.id }, ports),
  }),
]

export const endpointRoutes: readonly Route<EndpointPorts>[] = [
  ...managed,
  route({
    method: 'GET',
    paths: LIST_PATHS,
    scope: 'read',
    summary: 'Lists webhook endpoints, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(WebhookEndpoint),
    run: (context, { query }, ports: EndpointPorts) => readEndpoints(context, query, ports),
  }),
  route({
    method: 'GET',
    paths: LIST_PATHS.map((path) => path + '/health'),
    scope: 'read',
    summary:
      'Lists endpoints, newest first, with their results of 24 hours and what waits for them.',
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(WebhookEndpointHealth),
    run: (context, { query }) => readHealth(context, query),
  }),
  route({
    method: 'GET',
    paths: ONE_PATHS,
    scope: 'read',
    summary: 'Returns one webhook endpoint.',
    params: IdParams,
    answer: WebhookEndpoint,
    run: (context, { params }, ports: EndpointPorts) => readEndpoint(context, params.id, ports),
  }),
  route({
    method: 'GET',
    paths: ONE_PATHS.map((path) => path + '/statistics'),
    scope: 'read',
    summary: 'Says how an endpoint did in the last 24 hours, and what waits for it.',
    params: IdParams,
    answer: WebhookEndpointStatistics,
    run: (context, { params }) => readStatistics(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ONE_PATHS.map((path) => path + '/make_realtime'),
    scope: 'write',
    entitled: 'realtime',
    summary: 'Makes this endpoint the one that is asked before an authorization is approved.',
    params: IdParams,
    answer: WebhookEndpoint,
    run: (context, { params }, ports: EndpointPorts) => makeRealtime(context, params.id, ports),
  }),
  route({
    method: 'POST',
    paths: ONE_PATHS.map((path) => path + '/certify'),
    scope: 'write',
    entitled: 'always',
    summary: 'Sends an endpoint good and hostile questions and reports what it got wrong.',
    params: IdParams,
    answer: Certification,
    status: 201,
    run: (context, { params }, ports: EndpointPorts) => certifyEndpoint(context, params.id, ports),
  }),
  route({
    method: 'GET',
    paths: CERTIFICATION_PATHS,
    scope: 'read',
    summary: 'Lists certifications of an endpoint, newest first.',
    params: IdParams,
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(Certification),
    run: (context, { params, query }) =>
      readCertifications(context, { ...query, endpointId: params.id }),
  }),
  route({
    method: 'GET',
    paths: CERTIFICATION_PATHS.map((path) => path + '/:certification'),
    scope: 'read',
    summary: 'Returns one certification of an endpoint.',
    params: closed({ ...IdParams.properties, certification: IdParams.properties.id }),
    answer: Certification,
    run: (context, { params }) =>
      readCertification(context, { endpointId: params.id, id: params.certification }),
  }),
  route({
    method: 'GET',
    paths: ['/v1/stand_in/report'],
    scope: 'read',
    summary: 'Compares what stand-in would have answered with what the tenant did.',
    query: closed(CREATED_FILTERS),
    answer: StandInReport,
    run: (context, { query }) => readStandInReport(context, query),
  }),
  route({
    method: 'PATCH',
    paths: ONE_PATHS,
    scope: 'write',
    entitled: 'always',
    summary: 'Changes an endpoint, pauses it, or enables a disabled endpoint again.',
    params: IdParams,
    body: closed(
      {
        url: Type.Optional(Url),
        ...ENDPOINT_INPUT,
        ...TENANT_FIELDS_CHANGE,
        status: described(
          Type.Optional(Type.Enum(['enabled', 'disabled'])),
          'Disabled pauses the endpoint: its open deliveries are held, later events are listed as missed, and stand-in decides the authorizations that would ask it. enabled ends a pause, and brings an endpoint back that five failed attempts disabled: held deliveries are sent at once.',
        ),
      },
      { minProperties: 1 },
    ),
    answer: WebhookEndpoint,
    run: (context, { params, body }, ports: EndpointPorts) =>
      updateEndpoint(context, { endpointId: params.id, asked: body }, ports),
  }),
]
