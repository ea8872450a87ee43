// Serves the documents: they need no credential, are made once at start, and are cached by their tag.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { closed, type Route } from '../route.ts'
import { type OpenApiDocument, openApiDocument } from './openapi.ts'
import { errorsPage, eventsPage, overviewPage } from './pages/guides.ts'
import { ISO_8583_PATH, isoPage } from './pages/iso8583.ts'
import { PAGE_HEADERS, type Page, pageText, pathOfTag, STYLE_PATH } from './pages/layout.ts'
import { resourcePage } from './pages/resource-page.ts'

/** For a few minutes nobody has to ask; after that the tag says whether anything changed. */
const CACHE_SECONDS = 300

/** `GET /openapi.json`, and the pages that are made of it. */
export function registerDocuments(server: FastifyInstance, routes: readonly Route[]): void {
  const document = openApiDocument(routes)
  const serve = (path: string, type: string, write: () => string): void => {
    server.get(path, { schema: { querystring: closed({}) } }, kept(type, write))
  }
  serve('/openapi.json', 'application/json; charset=utf-8', () => JSON.stringify(document))
  serve(STYLE_PATH, 'text/css; charset=utf-8', () => readFileSync(STYLE, 'utf8'))
  for (const [path, make] of pagesOf(document)) {
    serve(path, 'text/html; charset=utf-8', () => pageText(document, make()))
  }
}

const STYLE = new URL('pages/style.css', import.meta.url)

/** Written when somebody first looks: most processes are never asked. */
function pagesOf(document: OpenApiDocument): [path: string, make: () => Page][] {
  const tags = document.tags.filter(({ name }) => name !== 'Webhooks')
  return [
    ['/docs', () => overviewPage(document)],
    ['/docs/webhooks', () => eventsPage(document)],
    ['/docs/errors', () => errorsPage()],
    [ISO_8583_PATH, () => isoPage()],
    ...tags.map(({ name }): [string, () => Page] => [
      pathOfTag(name),
      () => resourcePage(document, name),
    ]),
  ]
}

/** Written once; what it is does not change while the process runs. */
function kept(type: string, write: () => string) {
  let answer: { bytes: Buffer; etag: string } | null = null
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    answer ??= tagged(write())
    const { bytes, etag } = answer
    reply.headers({
      ...PAGE_HEADERS,
      ETag: etag,
      'Cache-Control': 'public, max-age=' + CACHE_SECONDS,
    })
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type(type).send(bytes)
  }
}

function tagged(text: string): { bytes: Buffer; etag: string } {
  const bytes = Buffer.from(text)
  const digest = createHash('sha256').update(bytes).digest('base64url')
  return { bytes, etag: '"' + digest.slice(0, 22) + '"' }
}

/** RFC 9110 13.1.2: a list of tags, weak ones too, or any. */
function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => [etag, 'W/' + etag, '*'].includes(tag.trim()))
}
