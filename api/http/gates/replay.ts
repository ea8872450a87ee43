// Recognizes a call with an Idempotency-Key; write() claims the key, in the transaction of the
// effect. A repeated call gets the same bytes as the first.
//
// Chosen: the header is accepted on every write and means nothing on a GET. The kept text is the
// answer in the newest version, before its conversion to a tenant's pinned version: that conversion
// is a pure function of this text, for the first answer and for a repeat.
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findPan } from '../../../shared/pan-search.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { KeyedCall, StoredAnswer } from '../../write/idempotency.ts'
import { Refusal } from '../refusal.ts'
import { cardNumberIn } from './card-numbers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as received; null without one. */
    rawBody: Buffer | null
    /** Null without an Idempotency-Key. */
    keyed: KeyedCall | null
  }
}

const KEY = /^[\x20-\x7e]{1,255}$/

/** Names the call for write(), if it has a key. */
export function replay({ installation }: { installation: Environment }) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    const owner = ownerOf(request, installation)
    const values = keysOf(request.raw.rawHeaders)
    if (owner === null || values.length === 0) return
    request.keyed = {
      owner,
      key: keyIn(values),
      fingerprint: fingerprintOf(request),
      render: (result) => ({
        status: reply.statusCode,
        body: reply.serialize(result as object) as string,
      }),
      answer: null,
      unrepeated: null,
    }
  }
}

/** An operator's keys belong to no tenant: the operator's id takes the place of a tenant's. */
function ownerOf(
  { principal, operatorId }: FastifyRequest,
  installation: Environment,
): KeyedCall['owner'] | null {
  if (principal !== null)
    return { tenantId: principal.tenantId, environment: principal.environment }
  return operatorId === null ? null : { tenantId: operatorId, environment: installation }
}

/** Every value of the header: a call inside the process has no other list of repeated ones. */
function keysOf(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter(
    (_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'idempotency-key',
  )
}

function keyIn(values: readonly string[]): string {
  const [key = ''] = values
  if (values.length > 1 || !KEY.test(key)) {
    throw new Refusal('parameter_invalid', {
      param: 'Idempotency-Key',
      message: 'Send one Idempotency-Key of 1 to 255 printable ASCII characters.',
    })
  }
  if (findPan(key) !== null) throw cardNumberIn('Idempotency-Key')
  return key
}

/**
 * 64 hex digits: equal for two calls exactly when their content is equal. The order of a query's
 * parameters does not matter. A call that needs a person's approval is bound to one credential:
 * another one would get its answer, and a secret in it, without approval.
 */
export function fingerprintOf(request: FastifyRequest): string {
  const [path = '', ...query] = request.url.split('?')
  const parameters = new URLSearchParams(query.join('?'))
  parameters.sort()
  const credential = isGuarded(request) ? (request.principal?.credential.id ?? '') : ''
  const head = [request.method, path, parameters.toString(), credential, ''].join('\n')
  return hash('sha256', Buffer.concat([Buffer.from(head), request.rawBody ?? Buffer.alloc(0)]))
}

/** Whether this caller needs a person's approval for the call. */
function isGuarded({ routeOptions, principal }: FastifyRequest): boolean {
  const { route } = routeOptions.config
  if (route === undefined) return false
  const isPerson = principal?.credential.kind === 'person'
  return route.factor !== null || (isPerson && route.personFactor !== null)
}

/**
 * Returns the text to send instead of the handler's result, with the headers of a repeat; null for
 * a call without a key.
 */
export function keptText(request: FastifyRequest, reply: FastifyReply): string | null {
  const answer = request.keyed?.answer ?? null
  if (answer === null) return null
  if (answer.requestId !== request.id) announceReplay(reply, answer)
  reply.code(answer.status).type('application/json; charset=utf-8')
  return answer.body
}

function announceReplay(reply: FastifyReply, { requestId }: StoredAnswer): void {
  reply.header('Idempotent-Replayed', 'true')
  reply.header('Svc-Original-Request', requestId)
}
