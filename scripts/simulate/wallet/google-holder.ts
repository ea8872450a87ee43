// A person with Google's wallet: follows the link of the service, saves the pass, looks at it and
// deletes it. Google itself reports this to the service.
import { sleep } from '../../../shared/clock.ts'

const CALL_MS_MAX = 15_000
/** A change is reported within a second, unless the machine is busy. */
const SHOWN_MS_MAX = 20_000
const LOOK_AGAIN_MS = 50

export type Shown = { readonly [field: string]: unknown }

export class GoogleHolder {
  readonly #url: string
  readonly #issuerId: string
  readonly #name: string

  /** `url` is the wallet's; the name is that of this holder in it. */
  constructor({ url, issuerId, name }: { url: string; issuerId: string; name: string }) {
    this.#url = url
    this.#issuerId = issuerId
    this.#name = name
  }

  /**
   * Opens the link of a pass and presses the button. The status of whichever did not go well; 200.
   */
  async save(passLink: string): Promise<number> {
    const answer = await call(passLink, 'GET')
    const link = answer.headers.get('location')
    if (answer.status !== 302 || link === null) return answer.status
    const page = await call(link, 'GET')
    if (page.status !== 200) return page.status
    return (await call(link + '?holder=' + this.#name, 'POST')).status
  }

  /**
   * Returns the pass as the holder sees it, once `until` holds; after the time limit its latest
   * state.
   */
  async look(passId: string, until: (shown: Shown) => boolean): Promise<Shown | null> {
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      const answer = await call(this.#place(passId), 'GET')
      const shown = answer.status === 200 ? ((await answer.json()) as Shown) : null
      if ((shown !== null && until(shown)) || waitedMs > SHOWN_MS_MAX) return shown
      await sleep(LOOK_AGAIN_MS)
    }
  }

  async delete(passId: string): Promise<number> {
    return (await call(this.#place(passId), 'DELETE')).status
  }

  #place(passId: string): string {
    return this.#url + '/holders/' + this.#name + '/' + this.#issuerId + '.' + passId
  }
}

function call(url: string, method: string): Promise<Response> {
  return fetch(url, { method, redirect: 'manual', signal: AbortSignal.timeout(CALL_MS_MAX) })
}
