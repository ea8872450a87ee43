// The documents of the last release, without their words, in released/: the document of operators,
// and that of tenants in each version.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyRoute } from '../http/route.ts'
import { API_VERSIONS } from '../http/versions/chain.ts'
import { additionsTo, breaksBetween, type Documents } from './breaks.ts'
import type { OpenApiDocument } from './document.ts'
import { openApiDocument } from './openapi.ts'

const FOLDER = join(import.meta.dirname, 'released')
const ACCEPTED = join(FOLDER, 'accepted.json')
/** Keywords for people: they may change at any time. */
const WORDS: ReadonlySet<string> = new Set([
  ...['description', 'summary', 'title', 'example', 'examples', 'tags', 'servers', 'contact'],
  ...['license', 'x-svc-bucket', 'securitySchemes', 'deprecated'],
])
/** Keywords whose keys are names, which words may be as well. */
const OF_NAMES: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'schemas', 'headers', 'responses', 'paths', 'webhooks'],
  ...['content', 'parameters'],
])
/** Operations, and named schemas, stand in a line of their own each. */
const DEPTH = 3

export interface Change {
  /** File below released/, without its ending. */
  document: string
  /** Sentences about differences that break a client of the release. */
  breaks: string[]
  /** Operations and webhooks that the release does not have. */
  additions: string[]
}

/** The present documents by their names, without words. */
function presentDocuments(routes: readonly AnyRoute[]): Map<string, OpenApiDocument> {
  const tenants = API_VERSIONS.map((version): [string, OpenApiDocument] => [
    'tenant-' + version,
    bare(openApiDocument(routes, { version })),
  ])
  return new Map([
    ['operator', bare(openApiDocument(routes, { audience: 'operator' }))],
    ...tenants,
  ])
}

/** The differences of each released document from the present one. */
export function changesSinceRelease(routes: readonly AnyRoute[]): Change[] {
  return [...presentDocuments(routes)].map(([document, present]) => {
    const released = readReleased(document)
    // A version that is announced with the next release breaks nobody.
    if (released === null) return { document, breaks: [], additions: [] }
    const documents: Documents = { released, present }
    return { document, breaks: breaksBetween(documents), additions: additionsTo(documents) }
  })
}

/** Breaks that a release announces, with the reason of each, by the sentence of the break. */
export function acceptedBreaks(): { readonly [sentence: string]: string } {
  return JSON.parse(readFileSync(ACCEPTED, 'utf8')) as { [sentence: string]: string }
}

/** Makes the present documents those of the release, in which no break is left to accept. */
export function writeRelease(routes: readonly AnyRoute[]): void {
  for (const [document, present] of presentDocuments(routes))
    writeFileSync(fileOf(document), written(present, DEPTH) + '\n')
  writeFileSync(ACCEPTED, '{}\n')
}

function readReleased(document: string): OpenApiDocument | null {
  try {
    return JSON.parse(readFileSync(fileOf(document), 'utf8')) as OpenApiDocument
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function fileOf(document: string): string {
  return join(FOLDER, document + '.json')
}

function bare(document: OpenApiDocument): OpenApiDocument {
  return withoutWords(document, false) as OpenApiDocument
}

function withoutWords(value: unknown, keysAreNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutWords(item, false))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => keysAreNames || !WORDS.has(key))
      .map(([key, part]) => [key, withoutWords(part, !keysAreNames && OF_NAMES.has(key))]),
  )
}

function written(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value)
  const parts = Object.entries(value).map(
    ([key, part]) => JSON.stringify(key) + ':' + written(part, depth - 1),
  )
  return '{\n' + parts.join(',\n') + '\n}'
}
