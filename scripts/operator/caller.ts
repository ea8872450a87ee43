// Calls the API as an operator. A refusal becomes one sentence for the person at the terminal.
import type { ErrorBody } from '../../shared/error-catalog.ts'
import { PAGE_MAX } from '../../shared/limits.ts'

const CALL_MS_MAX = 10_000

export type Document = { readonly [name: string]: unknown }

export interface Call {
  read(path: string): Promise<Document>
  /** Every page of it as one. */
  list(path: string, filters: Document): Promise<Document>
  send(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: Document,
  ): Promise<Document>
}

/** An option: `--legal-name` is the field `legal_name`. A document is read from a file of JSON. */
export interface Field {
  kind: 'text' | 'number' | 'document'
  required: boolean
  about: string
}

export interface Command {
  /** For example `tenants kyb approve`. */
  words: string
  /** The name of the one argument; null for a command without one. */
  names: string | null
  about: string
  fields: { readonly [option: string]: Field }
  /** Returns the answer of the API; a list is read to its end. */
  run(call: Call, id: string, given: Document): Promise<Document>
  /** For people. */
  show(answer: Document): string
}

export interface Access {
  apiUrl: string
  key: string
}

/** Throws an Error with a sentence where the API cannot be reached or refuses. */
export function callerOf(access: Access): Call {
  const read = (path: string): Promise<Document> => answerOf(access, 'GET', path)
  return {
    read,
    async list(path, filters) {
      const items: unknown[] = []
      const query = new URLSearchParams({ limit: String(PAGE_MAX) })
      for (const [name, value] of Object.entries(filters)) query.set(name, String(value))
      for (;;) {
        const page = await read(path + '?' + query)
        items.push(...(page['data'] as unknown[]))
        if (page['has_more'] !== true) return { data: items }
        query.set('starting_after', String(page['next_cursor']))
      }
    },
    send: (method, path, body) => answerOf(access, method, path, body),
  }
}

async function answerOf(
  { apiUrl, key }: Access,
  method: string,
  path: string,
  body?: Document,
): Promise<Document> {
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(apiUrl + path, {
    method,
    headers: {
      authorization: 'Bearer ' + key,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    signal: AbortSignal.timeout(CALL_MS_MAX),
    ...payload,
  }).catch((error: unknown) => {
    throw new Error(apiUrl + ' does not answer: ' + reasonOf(error))
  })
  const answer = (await response.json().catch(() => null)) as Document | null
  if (response.ok && answer !== null) return answer
  throw new Error(refusal(response.status, answer))
}

/** The cause of a failed fetch, which `fetch` hides behind its own error. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const text = cause instanceof Error ? cause.message : String(cause)
  return (text === '' ? code : text) + '.'
}

/** Fields of `error`, beside its sentence, that a person should see. */
const DETAILS = [
  'param',
  'current_status',
  'allowed_from',
  'resource_id',
  'known_versions',
  'challenge_url',
]

function refusal(status: number, answer: Document | null): string {
  const error = (answer as ErrorBody | null)?.error
  if (error === undefined) return 'The API answered ' + status + ' without saying why.'
  // The API hides an operator's route from every other caller.
  if (error.code === 'route_not_found')
    return 'The API does not know this operator: its credential is wrong or was revoked.'
  const details = DETAILS.flatMap((name) => {
    const value = error[name]
    return value === null || value === undefined ? [] : [name + ' ' + wordsOf(value)]
  })
  const told = details.length === 0 ? '' : ' (' + details.join('; ') + ')'
  return error.code + ': ' + error.message + told
}

function wordsOf(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value)
}
