// The webhooks of the document: every type of the event catalog, with the data that the resource's GET shows, and the question
// that is asked before an authorization is approved. Spec 6.
import {
  AUTHORIZATION_REQUEST_TYPE,
  EVENT_TYPE_NAMES,
  EVENT_TYPES,
  type EventType,
} from '../../shared/event-catalog.ts'
import { EVENT_REFERENCE } from './event-reference.ts'
import { type Components, pascal, reference, type Schema } from './schemas.ts'

const SIGNATURE_HEADERS = ['Svc-Signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature']

const text: Schema = { type: 'string' }

/** Spec 2.8: this one tells of the endpoint, and is no endpoint. */
export const ENDPOINT_DISABLED: Schema = {
  type: 'object',
  required: ['endpoint_id', 'disabled_reason', 'attempt_count'],
  properties: {
    endpoint_id: { ...text, description: 'The endpoint that was disabled.' },
    disabled_reason: { ...text, const: 'retry_exhausted' },
    attempt_count: { type: 'integer', description: 'How many attempts failed.' },
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
    approve: { type: 'boolean', description: 'Whether you let it pass.' },
    decline_reason: { ...text, description: 'Why not, where approve is false.' },
    approved_amount_cents: {
      type: 'integer',
      description: 'Less than was asked, where the terminal can take a partial approval.',
    },
    metadata: {
      type: 'object',
      additionalProperties: text,
      description: 'Kept with the transaction.',
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
      parameters: [...SIGNATURE_HEADERS, ...(synchronous ? ['Svc-Deadline-Ms'] : [])].map(
        (name) => ({ $ref: '#/components/parameters/' + name }),
      ),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: envelope(type, data) } },
      },
      responses,
    },
  }
}

/** Spec 2.7, of one type. */
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
