// The webhooks of the document: every type of the event catalog, with the data that the resource's
// GET shows, and the authorization request that is sent before an authorization is approved. Spec
// 6.

import { TENANT_REASONS } from '../../shared/decline-reason.ts'
import {
  AUTHORIZATION_REQUEST_TYPE,
  EVENT_TYPE_NAMES,
  EVENT_TYPES,
  type EventType,
} from '../../shared/event-catalog.ts'
import { pascal, type Schema } from './document.ts'
import { EVENT_REFERENCE } from './event-reference.ts'
import { type Components, reference } from './schemas.ts'

const SIGNATURE_HEADERS = [
  'Svc-Signature',
  'Svc-Event-Id',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]
const DELIVERY_HEADERS = ['Svc-Delivery-Id', 'Svc-Attempt', 'Svc-Replay', 'Svc-Test']

const text: Schema = { type: 'string' }

/** Spec 2.8: this event describes the endpoint, and is no endpoint. */
export const ENDPOINT_DISABLED: Schema = {
  type: 'object',
  required: ['endpoint_id', 'disabled_reason', 'attempt_count'],
  properties: {
    endpoint_id: { ...text, description: 'The endpoint that was disabled.' },
    disabled_reason: {
      ...text,
      const: 'retry_exhausted',
      description: 'Always `retry_exhausted`: five attempts of one delivery failed.',
    },
    attempt_count: { type: 'integer', description: 'How many attempts failed: 5.' },
  },
}

export function webhooksOf(components: Components): { [name: string]: unknown } {
  const told = EVENT_TYPE_NAMES.map((type) => [
    type,
    webhook(type, EVENT_REFERENCE[type], dataOf(type, components), {
      '2XX': { description: 'Received. Anything else, and silence, is tried again.' },
    }),
  ])
  const asked = webhook(
    AUTHORIZATION_REQUEST_TYPE,
    'The network asks for an authorization. Answer within 1.5 seconds; otherwise stand-in decides.',
    transactionData(components),
    {
      '200': {
        description: 'Your decision.',
        content: { 'application/json': { schema: components.add('AuthorizationReply', REPLY) } },
      },
    },
  )
  return Object.fromEntries([...told, [AUTHORIZATION_REQUEST_TYPE, asked]])
}

const REPLY: Schema = {
  type: 'object',
  required: ['approve'],
  properties: {
    approve: {
      type: 'boolean',
      description:
        'Whether you approve. Only a JSON boolean counts; false declines whatever else the body holds.',
    },
    decline_reason: {
      anyOf: [
        { ...text, enum: [...TENANT_REASONS] },
        { ...text, maxLength: 64 },
      ],
      description:
        'Why you decline: one of the values, or your own words of up to 64 characters, which become `tenant_declined` and stay readable in `webhook.decline_reason`. Left out: `tenant_declined`.',
    },
    approved_amount_cents: {
      type: 'integer',
      minimum: 1,
      description:
        'Less than was asked: a partial approval where the terminal can take one (`partial_approval_capable`), else a decline. Left out: the whole amount.',
    },
    metadata: {
      type: 'object',
      maxProperties: 20,
      additionalProperties: text,
      description:
        'Up to 20 texts of 2 KB together that are kept with the transaction. Left out: none.',
    },
    request_id: {
      ...text,
      description: 'An echo of `authorization_request.id`: compared where it is sent.',
    },
  },
}

function webhook(type: string, fires: string, data: Schema, responses: object): unknown {
  const synchronous = type === AUTHORIZATION_REQUEST_TYPE
  return {
    post: {
      operationId: pascal(type.replaceAll('.', '_')) + 'Webhook',
      tags: ['Webhooks'],
      summary: type,
      description: fires,
      security: [],
      parameters: [
        ...SIGNATURE_HEADERS,
        ...(synchronous ? ['Svc-Deadline-Ms'] : DELIVERY_HEADERS),
      ].map((name) => ({ $ref: '#/components/parameters/' + name })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: envelope(type, data) } },
      },
      responses,
    },
  }
}

/** Spec 2.7, for one type. */
function envelope(type: string, data: Schema): Schema {
  return {
    allOf: [
      reference('Event'),
      { type: 'object', properties: { type: { ...text, const: type }, data } },
    ],
  }
}

/** The resource under its name, as its GET shows it. */
function dataOf(type: EventType, components: Components): Schema {
  const { resource } = EVENT_TYPES[type]
  if (type === 'webhook_endpoint.disabled') return ENDPOINT_DISABLED
  if (resource === 'transaction') return transactionData(components)
  const name = resource === 'scan' ? 'PassScan' : pascal(resource)
  return {
    type: 'object',
    required: [resource],
    properties: { [resource]: known(name, components) },
  }
}

function transactionData(components: Components): Schema {
  return {
    type: 'object',
    required: ['transaction'],
    properties: { transaction: known('CardTransaction', components) },
  }
}

function known(name: string, { schemas }: Components): Schema {
  return name in schemas ? reference(name) : { type: 'object' }
}
