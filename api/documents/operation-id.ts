// The name of an operation, made from its method and its path: it stays the same as long as the
// path does.
import type { RouteMethod } from '../http/route.ts'

/**
 * `GET /v1/cards` is listCards, `GET /v1/cards/{id}` getCard, `POST /v1/cards` createCard, `PATCH`
 * or `PUT /v1/cards/{id}` updateCard, `DELETE` deleteCard, `POST /v1/cards/{id}/suspend`
 * suspendCard, `PUT /v1/cards/{id}/limits` replaceCardLimits.
 */
export function operationIdOf(method: RouteMethod, path: string, isList: boolean): string {
  const [, ...segments] = path.slice(path.indexOf('/v1/')).split('/').slice(1)
  return nameOf(method, segments, isList) + (path.startsWith('/operator/') ? 'AsOperator' : '')
}

function nameOf(method: RouteMethod, segments: readonly string[], isList: boolean): string {
  const last = segments.at(-1) ?? ''
  const one = isParameter(last)
  // A segment before a parameter is one of many.
  const nouns = segments
    .map((segment, index) => ({ segment, one: isParameter(segments[index + 1] ?? '') }))
    .filter(({ segment }) => !isParameter(segment))
    .map((noun) => ({ ...noun, isLast: noun.segment === last }))
  if (!one && isVerb(method, last, segments.length)) {
    const [verb = '', ...rest] = last.split(/[-_]/)
    const about = nouns.slice(0, -1).map(({ segment, one: single }) => named(segment, single))
    return verb + [...rest.map(capital), ...about].join('')
  }
  const made = method === 'POST'
  if (made && SINGLE_NOUNS.has(last)) return nameOf('PUT', segments, isList)
  const names = nouns.map(({ segment, one: single, isLast }) =>
    named(segment, single || (made && isLast)),
  )
  return VERBS[method](one, isList, last) + names.join('')
}

const VERBS: {
  readonly [Method in RouteMethod]: (one: boolean, isList: boolean, last: string) => string
} = {
  GET: (_one, isList) => (isList ? 'list' : 'get'),
  POST: () => 'create',
  PATCH: () => 'update',
  PUT: (one, _isList, last) => (one ? 'update' : isPlural(last) ? 'replace' : 'set'),
  DELETE: () => 'delete',
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':')
}

/** Final words of a path that look like another form. */
const READ_VERBS: ReadonlySet<string> = new Set(['verify'])
const MASS_NOUNS: ReadonlySet<string> = new Set(['evidence'])
const SINGLE_NOUNS: ReadonlySet<string> = new Set(['outcome', 'kyc'])

/** A POST goes to a collection or to an action: the first segment is never a verb. */
function isVerb(method: RouteMethod, last: string, segments: number): boolean {
  if (method === 'GET') return READ_VERBS.has(last)
  return method === 'POST' && segments > 1 && !isPlural(last) && !SINGLE_NOUNS.has(last)
}

function isPlural(word: string): boolean {
  return MASS_NOUNS.has(word) || word === 'people' || (word.endsWith('s') && !word.endsWith('ss'))
}

function named(segment: string, single: boolean): string {
  const words = segment.split(/[-_]/)
  const last = words.pop() ?? ''
  return [...words, single ? singular(last) : last].map(capital).join('')
}

function singular(word: string): string {
  if (word === 'people') return 'person'
  if (word.endsWith('ies')) return word.slice(0, -3) + 'y'
  if (/(ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
