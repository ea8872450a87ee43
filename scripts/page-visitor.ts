// A browser without a window for the pages of people: it keeps cookies and follows nothing by
// itself.
import { createHash } from 'node:crypto'
import { PAGE_PATIENCE, repeatBusy } from './repeat-busy.ts'

const OWN_SITE = { 'sec-fetch-site': 'same-origin' }

export class PageVisitor {
  readonly #base: string
  readonly #cookies = new Map<string, { pair: string; path: string }>()

  /** `base` is the address of the pages; links that name another host are asked there too. */
  constructor(base: string) {
    this.#base = base
  }

  /** Gets a page, or sends a form. */
  async go(address: string, form: { [name: string]: string } | null = null): Promise<Response> {
    const { pathname, search } = new URL(address, this.#base)
    const cookie = [...this.#cookies.values()]
      .filter(({ path }) => pathname.startsWith(path))
      .map(({ pair }) => pair)
      .join('; ')
    const send = () =>
      fetch(new URL(pathname + search, this.#base), {
        method: form === null ? 'GET' : 'POST',
        redirect: 'manual',
        headers: { accept: 'text/html', cookie, ...(form !== null && OWN_SITE) },
        ...(form !== null && { body: new URLSearchParams(form) }),
      })
    const answer = await repeatBusy(send, PAGE_PATIENCE)
    for (const text of answer.headers.getSetCookie()) this.#keep(text)
    return answer
  }

  #keep(text: string): void {
    const [pair = '', ...traits] = text.split('; ')
    const [name = ''] = pair.split('=', 1)
    const path = traits.find((trait) => /^path=/i.test(trait))?.slice('path='.length) ?? '/'
    this.#cookies.set(name + ' ' + path, { pair, path })
  }
}

/**
 * Signs a person in. Each code counts once: one that was used gives way to the next. Returns false
 * where none is accepted.
 */
export async function signIn(
  visitor: PageVisitor,
  { email, password }: { email: string; password: string },
  codes: Iterator<string, undefined>,
): Promise<boolean> {
  for (let next = codes.next(); next.done !== true; next = codes.next()) {
    const form = { email, password, code: next.value, next: '/account' }
    if ((await visitor.go('/sign-in', form)).status === 303) return true
  }
  return false
}

/**
 * Sends a person who is signed in to the page of consent of a platform, and agrees for a tenant.
 * Returns the status of the page and the address to which the browser is sent back.
 */
export async function agree(
  visitor: PageVisitor,
  asked: { clientId: string; tenant: string; returnUrl: string; verifier: string; state: string },
): Promise<{ shown: number; back: URL }> {
  const { clientId, tenant, returnUrl, verifier, state } = asked
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: returnUrl,
    scope: 'card:read',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    state,
  })
  const begun = await visitor.go('/oauth/authorize?' + query)
  const page = begun.headers.get('location') ?? ''
  const shown = await visitor.go(page)
  const decided = await visitor.go(page, { decision: 'approve', tenant })
  const resumed = await visitor.go(decided.headers.get('location') ?? page)
  return { shown: shown.status, back: new URL(resumed.headers.get('location') ?? returnUrl) }
}
