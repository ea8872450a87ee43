// Parses the bytes of a body into a JSON value. Kept apart from validation because it refuses
// bytes, not fields.
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import { repeatsKey } from './repeated-key.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })
const REPEATED = 'A key stands in an object of the body twice.'
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

/**
 * Empty bytes are no body. A `__proto__` stays an ordinary field, which validation refuses as
 * unknown.
 */
export async function parseJson(request: FastifyRequest, bytes: Buffer): Promise<unknown> {
  request.rawBody = bytes
  // JSON is UTF-8 (RFC 8259 8.1); a body in another charset would be misread.
  const charset = CHARSET.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  if (charset.toLowerCase() !== 'utf-8') {
    throw new Refusal('unsupported_media_type', { message: 'Send JSON in UTF-8.' })
  }
  if (bytes.length === 0) return undefined
  try {
    const text = UTF8.decode(bytes)
    const value: unknown = JSON.parse(text)
    if (repeatsKey(text)) throw new Refusal('invalid_json', { message: REPEATED })
    return value
  } catch (cause) {
    // The parser's own message quotes the body, so it is not passed on.
    if (cause instanceof SyntaxError || cause instanceof TypeError)
      throw new Refusal('invalid_json')
    throw cause
  }
}
