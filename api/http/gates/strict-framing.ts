// Refuses a request that two readers, such as the caller's proxy and the API, could understand
// differently.
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'

/**
 * Node keeps the first of these headers when they are repeated. The gate of `Idempotency-Key`
 * refuses that header by name.
 */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'host',
  'svc-factor',
  'svc-version',
])

/**
 * RFC 9112 3.2 requires it for Host. Stands before the credential: the intended value is unknown.
 */
export function requireStrictFraming({ raw }: FastifyRequest): void {
  // Node's parser accepts any number as a version.
  if (raw.httpVersionMajor !== 1) throw new Refusal('malformed_request')
  const { rawHeaders } = raw
  const seen: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    if (!SINGLE_HEADERS.has(name)) continue
    if (seen.includes(name)) throw new Refusal('header_duplicated', { param: name })
    seen.push(name)
  }
}
