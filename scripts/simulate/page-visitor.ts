// A browser without a window for the pages of people: it keeps cookies and follows nothing by
// itself.
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
    const answer = await fetch(new URL(pathname + search, this.#base), {
      method: form === null ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html', cookie, ...(form !== null && OWN_SITE) },
      ...(form !== null && { body: new URLSearchParams(form) }),
    })
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
