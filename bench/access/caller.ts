// Calls of the access bench. Each may come from a loopback address of its own: the endpoints of
// OAuth and the pages of people limit calls by address.
import { Agent, request } from 'undici'

export interface Asked {
  port: number
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  headers?: { readonly [name: string]: string }
  form?: { readonly [name: string]: string }
  json?: object
  /** Number of the source address; absent: the usual one. */
  from?: number
}

export interface Answered {
  status: number
  headers: { readonly [name: string]: string | string[] | undefined }
  text: string
  /** From the call to the last byte of its answer. */
  ms: number
}

const AGENTS_MAX = 500
const OWN_SITE = { 'sec-fetch-site': 'same-origin' }

export class Caller {
  readonly #host: string
  readonly #agents = new Map<number, Agent>()

  /** `host` is the name that pages are asked by. */
  constructor(host: string) {
    this.#host = host
  }

  async call({ port, method, path, headers, form, json, from = 0 }: Asked): Promise<Answered> {
    const body = form === undefined ? json && JSON.stringify(json) : new URLSearchParams(form)
    const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
    const beganAt = performance.now()
    const answer = await request('http://127.0.0.1:' + port + path, {
      method,
      dispatcher: this.#agent(from),
      headers: {
        host: this.#host,
        ...(form !== undefined && OWN_SITE),
        ...(body !== undefined && { 'content-type': type }),
        ...headers,
      },
      ...(body !== undefined && { body: body.toString() }),
    })
    const text = await answer.body.text()
    const ms = performance.now() - beganAt
    return { status: answer.statusCode, headers: answer.headers, text, ms }
  }

  /** Like `call`, and throws unless the answer has this status. */
  async expect(status: number, asked: Asked): Promise<Answered> {
    const answer = await this.call(asked)
    if (answer.status !== status)
      throw new Error(asked.method + ' ' + asked.path + ' was ' + answer.status + answer.text)
    return answer
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.close()))
  }

  #agent(from: number): Agent {
    const known = this.#agents.get(from)
    if (known !== undefined) return known
    const [oldest] = this.#agents.keys()
    if (oldest !== undefined && this.#agents.size >= AGENTS_MAX) {
      void this.#agents.get(oldest)?.close()
      this.#agents.delete(oldest)
    }
    const localAddress = '127.1.' + Math.floor(from / 250) + '.' + (1 + (from % 250))
    const agent = new Agent({ connections: 8, localAddress })
    this.#agents.set(from, agent)
    return agent
  }
}

/** The cookies that an answer sets, as a browser sends them back. */
export function cookiesOf({ headers }: Answered): string[] {
  const set = [headers['set-cookie'] ?? []].flat()
  return set.map((text) => text.split(';', 1)[0] ?? '')
}
