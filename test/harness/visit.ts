// Pages of people without a browser: forms as our own page sends them, and the cookie of a session.
import type { BasicApi } from './api.ts'
import type { Person } from './person.ts'

export const OWN_SITE = { 'sec-fetch-site': 'same-origin' }

export interface Visit {
  cookie?: string
  headers?: { [name: string]: string }
  form?: { [name: string]: string }
}

/** The answer of a page, or of a form if there is one; no redirect is followed. */
export function visit(
  api: Pick<BasicApi, 'url'>,
  path: string,
  { cookie, headers, form }: Visit = {},
): Promise<Response> {
  return fetch(api.url + path, {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(headers ?? (form ? OWN_SITE : {})),
    },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    redirect: 'manual',
  })
}

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Pick<Response, 'headers'>): string {
  return headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

/** The fields of the sign-in form. */
export function claim(
  api: Pick<BasicApi, 'url' | 'clock'>,
  person: Person,
  change: { [name: string]: string } = {},
) {
  const { email, password } = person
  return { email, password, code: person.codeAt(api.clock.nowMs), ...change }
}

/** Signs a person in, and moves the clock to the next code. */
export async function enter(
  api: Pick<BasicApi, 'url' | 'clock'>,
  person: Person,
  change = {},
): Promise<string> {
  const answer = await visit(api, '/sign-in', { form: claim(api, person, change) })
  if (answer.status !== 303) throw new Error('sign-in answered ' + answer.status)
  api.clock.nowMs += 30_000
  return cookieOf(answer)
}

export async function isSignedIn(api: Pick<BasicApi, 'url'>, cookie: string): Promise<boolean> {
  return (await visit(api, '/account', { cookie })).status === 200
}
