// Reading the API of a running service, as the commands that explain do.
import type { Result } from '../../shared/result.ts'
import type { Page } from '../../shared/schemas/list.ts'

const ANSWER_MS_MAX = 10_000
const PAGE_ITEMS = 100
/** Most pages of a list; longer lists are cut there. */
const PAGES_MAX = 10

interface ApiAccess {
  apiUrl: string
  /** An API key with permission to read. */
  key: string
}

/** All items of a list, page after page. */
export async function readPages<Item>(
  { apiUrl, key }: ApiAccess,
  path: string,
): Promise<Result<Item[], string>> {
  const items: Item[] = []
  let after = ''
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await read(apiUrl + path + '&limit=' + PAGE_ITEMS + after, key)
    if (!answer.ok) return answer
    const { status, body } = answer.value
    if (status !== 200 || !isPage<Item>(body))
      return { ok: false, error: 'The API answers ' + status + ': ' + complaintIn(body) }
    items.push(...body.data)
    if (body.next_cursor === null) break
    after = '&starting_after=' + body.next_cursor
  }
  return { ok: true, value: items }
}

export interface Answer {
  status: number
  body: unknown
}

/** The answer, or a sentence where the API is away. */
export async function read(url: string, key: string): Promise<Result<Answer, string>> {
  try {
    const response = await fetch(url, {
      headers: { authorization: 'Bearer ' + key },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    return { ok: true, value: { status: response.status, body: await response.json() } }
  } catch {
    return {
      ok: false,
      error: 'The API does not answer at ' + new URL(url).origin + ': is npm start running?',
    }
  }
}

/** True for a page of a list. */
export function isPage<Item>(body: unknown): body is Page<Item> {
  return typeof body === 'object' && body !== null && 'data' in body && Array.isArray(body.data)
}

/** The message of an error's answer. */
export function complaintIn(body: unknown): string {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
  if (typeof error !== 'object' || error === null || !('message' in error)) return 'no reason given'
  return String(error.message)
}
