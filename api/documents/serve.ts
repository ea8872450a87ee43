// Serves the documents: they need no credential, are made once at start, and are cached by their tag.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { closed, type Route } from '../route.ts'
import { openApiDocument } from './openapi.ts'

/** For a few minutes nobody has to ask; after that the tag says whether anything changed. */
const CACHE_SECONDS = 300

/** `GET /openapi.json`, and the pages that are made of it. */
export function registerDocuments(server: FastifyInstance, routes: readonly Route[]): void {
  const document = openApiDocument(routes)
  const serve = (path: string, type: string, text: string, headers: Headers = {}): void => {
    const answer = stored(type, text, headers)
    server.get(path, { schema: { querystring: closed({}) } }, answer)
  }
  serve('/openapi.json', 'application/json; charset=utf-8', JSON.stringify(document))
}

type Headers = { readonly [name: string]: string }

function stored(type: string, text: string, headers: Headers) {
  const bytes = Buffer.from(text)
  const etag = '"' + createHash('sha256').update(bytes).digest('base64url').slice(0, 22) + '"'
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.headers({ ...headers, ETag: etag, 'Cache-Control': 'public, max-age=' + CACHE_SECONDS })
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type(type).send(bytes)
  }
}

/** RFC 9110 13.1.2: a list of tags, weak ones too, or any. */
function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => [etag, 'W/' + etag, '*'].includes(tag.trim()))
}
