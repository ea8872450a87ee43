// A request that two readers could understand differently, such as a proxy of the caller and we, is not guessed at.
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refuse.ts'

/** Node keeps the first of these where they stand twice. `Idempotency-Key` is refused by its own gate, by name. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'host',
  'svc-factor',
  'svc-version',
])

/** RFC 9112 3.2 asks for it of Host. Stands before the credential: there is no telling which one is meant. */
export function unambiguous({ raw }: FastifyRequest): void {
  // Node's parser takes any number for a version.
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
