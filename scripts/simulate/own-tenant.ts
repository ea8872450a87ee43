// A tenant of a story's own: an operator makes it, with an admin's key and a person who approves
// calls. Its sandbox clock can be moved without moving that of the service's tenant.
import { randomBytes } from 'node:crypto'
import { approveChallenge } from '../approve-call.ts'
import { type Api, type ApiAnswer, type Document, openApi, valueAt } from './api.ts'
import type { Sandbox } from './sandbox.ts'

const KEYS = ['read', 'write', 'admin'] as const
/** The override of the rate limits while the story plays; it ends by itself. */
const LIFTED = { factor: 10, seconds: 600 }

type Method = Parameters<Api['call']>[0]

export class OwnTenant {
  readonly id: string
  readonly api: Api
  readonly #operator: Api
  readonly #authUrl: string
  #person: { email: string; password: string; codes: string[] } | null = null

  private constructor(made: { id: string; api: Api; operator: Api; authUrl: string }) {
    this.id = made.id
    this.api = made.api
    this.#operator = made.operator
    this.#authUrl = made.authUrl
  }

  /** Throws where the service has no operator or no pages of people. */
  static async open(sandbox: Sandbox, name: string): Promise<OwnTenant> {
    const { auth_url: authUrl, operator_key } = sandbox
    if (authUrl === undefined || operator_key === undefined)
      throw new Error('the service has no operator of the sandbox')
    const operator = openApi(sandbox)
    const named = { name, legal_name: name + ' Ltd', country: 'US' }
    const { id } = done(await operator.operate('POST', '/operator/v1/tenants', named))
    const path = '/operator/v1/tenants/' + id
    done(await operator.operate('PUT', path + '/rate_limit', LIFTED))
    const asked = { environment: 'sandbox', scope: 'admin' }
    const { secret } = done(await operator.operate('POST', path + '/api_keys', asked))
    const keys = Object.fromEntries(KEYS.map((key) => [key, String(secret)])) as Sandbox['keys']
    const api = openApi({ ...sandbox, keys })
    return new OwnTenant({ id: String(id), api, operator, authUrl })
  }

  /** A call with the admin's key; throws with the answer's text where it is refused. */
  async call(method: Method, path: string, body?: Document): Promise<Document> {
    return done(await this.api.call(method, path, body))
  }

  /** A call of an operator; the path is below `/operator/v1`. */
  async operate(method: Method, path: string, body?: Document): Promise<Document> {
    return done(await this.#operator.operate(method, '/operator/v1' + path, body))
  }

  /** A call that the tenant's person approves on the page before it is repeated. */
  async approved(method: Method, path: string, body?: Document): Promise<Document> {
    const asked = await this.api.call(method, path, body)
    if (valueAt(asked.document, 'error', 'code') !== 'factor_required') return done(asked)
    const url = String(valueAt(asked.document, 'error', 'challenge_url'))
    const id = String(valueAt(asked.document, 'error', 'challenge', 'id'))
    if (!(await approveChallenge(this.#authUrl, url, await this.#proof())))
      throw new Error('the page accepts no person of ' + this.id)
    const { token } = await this.call('GET', '/v1/factor_challenges/' + id)
    return done(await this.api.call(method, path, body, { 'svc-factor': String(token) }))
  }

  async close(): Promise<void> {
    await this.api.close()
    await this.#operator.close()
  }

  /** Recovery codes count once each at any time; a person without one gives way to another. */
  async #proof(): Promise<{ email: string; password: string; code: string }> {
    const code = this.#person?.codes.pop()
    if (this.#person !== null && code !== undefined) return { ...this.#person, code }
    const email = randomBytes(8).toString('hex') + '@story.example'
    const asked = { email, name: 'Story Owner' }
    const made = await this.operate('POST', '/tenants/' + this.id + '/people', asked)
    const codes = [...(made['recovery_codes'] as string[])]
    this.#person = { email, password: String(made['password']), codes }
    return this.#proof()
  }
}

/** The body of an answer; throws with the status and text of a refusal. */
export function done({ status, document, text }: ApiAnswer): Document {
  if (status < 300 && document !== null) return document
  throw new Error('answered ' + status + ': ' + text.slice(0, 300))
}
