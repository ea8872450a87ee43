// Serves the documents: they need no credential, are made at the first request, and are cached by
// their tag.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { API_VERSION } from '../../shared/event-catalog.ts'
import { Type } from '../../shared/schema-builders.ts'
import type { Refusal } from '../http/refusal.ts'
import { type AnyRoute, closed } from '../http/route.ts'
import { requireKnownVersion } from '../http/versions/answer.ts'
import { clientPackage } from './client-package.ts'
import { openApiDocument } from './openapi.ts'
import { CLIENT_PACKAGE_PATH, PAGE_HEADERS, pageText, STYLE_PATH } from './pages/layout.ts'
import { operatorSite, type Site, tenantSite } from './pages/site.ts'
import { createSearch, searchPage } from './search.ts'

/** Seconds that caches keep a document; after that the tag shows whether it changed. */
const CACHE_SECONDS = 300
const QUERY_CHARACTERS_MAX = 100

const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'
const STYLE = new URL('pages/style.css', import.meta.url)
const NOTHING = { schema: { querystring: closed({}) } }
const SEARCHED = {
  schema: {
    querystring: closed({ q: Type.Optional(Type.String({ maxLength: QUERY_CHARACTERS_MAX })) }),
  },
}
const VERSIONED = {
  schema: { querystring: closed({ version: Type.Optional(Type.String({ maxLength: 40 })) }) },
}

type Lost = (request: FastifyRequest) => Refusal

/**
 * `GET /openapi.json` and `/docs` for tenants, the same below `/operator` for operators. `lost`: no
 * such page.
 */
export function registerDocuments(
  server: FastifyInstance,
  routes: readonly AnyRoute[],
  lost: Lost,
): void {
  const kept = createKept()
  const documentOf = once((version) => openApiDocument(routes, { version }))
  const operators = once(() => openApiDocument(routes, { audience: 'operator' }))
  server.get('/openapi.json', VERSIONED, async (request, reply) => {
    const { version = API_VERSION } = request.query as { version?: string }
    requireKnownVersion(version, 'version')
    return kept([request, reply], {
      type: JSON_TYPE,
      name: 'tenant ' + version,
      write: () => JSON.stringify(documentOf(version)),
    })
  })
  server.get('/operator/openapi.json', NOTHING, async (request, reply) =>
    kept([request, reply], {
      type: JSON_TYPE,
      name: 'operator',
      write: () => JSON.stringify(operators('')),
    }),
  )
  server.get(STYLE_PATH, NOTHING, async (request, reply) =>
    kept([request, reply], {
      type: 'text/css; charset=utf-8',
      name: 'style',
      write: () => readFileSync(STYLE, 'utf8'),
    }),
  )
  const packed = once(clientPackage)
  server.get(CLIENT_PACKAGE_PATH, NOTHING, async (request, reply) => {
    const bytes = await packed('')
    return kept([request, reply], { type: 'application/gzip', name: 'client', write: () => bytes })
  })
  const tenants = once(() => tenantSite(documentOf(API_VERSION)))
  registerTree(server, '/docs', { site: () => tenants(''), kept, lost })
  const operatorPages = once(() => operatorSite(operators('')))
  registerTree(server, '/operator/docs', { site: () => operatorPages(''), kept, lost })
}

function registerTree(
  server: FastifyInstance,
  root: string,
  { site, kept, lost }: { site: () => Site; kept: ReturnType<typeof createKept>; lost: Lost },
): void {
  const search = once(() => createSearch(site()))
  const page = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = request.url.split('?', 1)[0] ?? ''
    const make = site().pages.get(path)
    if (make === undefined) throw lost(request)
    return kept([request, reply], {
      type: HTML,
      name: path,
      write: () => pageText(site().frame, make()),
    })
  }
  server.get(root, NOTHING, page)
  server.get(root + '/*', NOTHING, page)
  server.get(root + '/search', SEARCHED, async (request, reply) => {
    const { q = '' } = request.query as { q?: string }
    const text = pageText(site().frame, searchPage(root, q, search('')(q)), q)
    return reply
      .headers({ ...PAGE_HEADERS, 'Cache-Control': 'no-store' })
      .type(HTML)
      .send(text)
  })
}

/** Makes a value at the first call with a key, and keeps it. */
function once<Value>(make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

/** Texts are written once; they do not change while the process runs. */
function createKept() {
  const answers = new Map<string, { bytes: Buffer; etag: string }>()
  return (
    [request, reply]: [FastifyRequest, FastifyReply],
    { type, name, write }: { type: string; name: string; write: () => string | Buffer },
  ): FastifyReply => {
    const answer = answers.get(name) ?? tagged(write())
    answers.set(name, answer)
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

function tagged(text: string | Buffer): { bytes: Buffer; etag: string } {
  const bytes = Buffer.from(text)
  const digest = createHash('sha256').update(bytes).digest('base64url')
  return { bytes, etag: '"' + digest.slice(0, 22) + '"' }
}

/** RFC 9110 13.1.2: a list of tags, weak ones too, or `*`. */
function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => [etag, 'W/' + etag, '*'].includes(tag.trim()))
}
