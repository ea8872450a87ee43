// A platform that an operator registers, that the owner lets act, and whose connection ends.
import { randomBytes } from 'node:crypto'
import { codesAround } from '../../approve-call.ts'
import { agree, PageVisitor, signIn } from '../../page-visitor.ts'
import { PAGE_PATIENCE, repeatBusy } from '../../repeat-busy.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const RETURN_URL = 'http://127.0.0.1/returned'

export const OAUTH: readonly Scenario[] = [
  {
    name: 'oauth',
    story:
      'A platform is registered, connects with the owner’s consent, calls, is refused beyond its scope, refreshes, repeats an old token and is revoked: from then on every token is refused.',
    async play(stage) {
      const { operator_key, owner, auth_url, tenant_id } = stage.surroundings.sandbox
      if (operator_key === undefined || owner === undefined || auth_url === undefined)
        return stage.note('the service has no operator and no owner of the sandbox')
      if (tenant_id === undefined) return stage.note('the service has no tenant of the sandbox')
      const clientId = await register(stage, operator_key)
      const verifier = randomBytes(32).toString('base64url')
      const visitor = new PageVisitor(auth_url)
      const codes = codesAround(owner.totp_secret, stage.clock.nowMs())
      if (!(await signIn(visitor, owner, codes.values())))
        return stage.note('the owner cannot sign in')
      const state = randomBytes(8).toString('hex')
      const returns = { returnUrl: RETURN_URL, verifier, state }
      const { shown, back } = await agree(visitor, { clientId, tenant: tenant_id, ...returns })
      stage.check('the page of consent', 200, shown)
      stage.check('state', state, back.searchParams.get('state'))
      const platform = new Platform(stage, { authUrl: auth_url, clientId })
      await platform.act(back.searchParams.get('code') ?? '', verifier)
    },
  },
]

async function register(stage: Stage, key: string): Promise<string> {
  const path = '/operator/v1/oauth_clients'
  const answer = await call(stage, path, key, {
    environment: 'sandbox',
    name: 'Simulated platform',
    kind: 'public',
    application_type: 'native',
    redirect_uris: [RETURN_URL],
    scopes: ['card:read'],
  })
  stage.check('registration', 201, answer.status)
  const id = String(answer.body['id'])
  stage.afterwards(async () => {
    await call(stage, path + '/' + id + '/disable', key, {})
  })
  return id
}

interface Tokens {
  access: string
  refresh: string
}

class Platform {
  readonly #stage: Stage
  readonly #authUrl: string
  readonly #clientId: string

  constructor(stage: Stage, { authUrl, clientId }: { authUrl: string; clientId: string }) {
    this.#stage = stage
    this.#authUrl = authUrl
    this.#clientId = clientId
  }

  async act(code: string, code_verifier: string): Promise<void> {
    const client_id = this.#clientId
    const first = await this.#tokens('exchange', { code, code_verifier, client_id })
    await this.#calls('a call', '/v1/cards', { token: first.access, status: 200 })
    await this.#calls('beyond its scope', '/v1/events', { token: first.access, status: 403 })
    const refresh = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token })
    const second = await this.#tokens('refresh', refresh(first.refresh))
    await this.#calls('after the refresh', '/v1/cards', { token: second.access, status: 200 })
    const repeated = await this.#post('token', refresh(first.refresh))
    this.#stage.check('the old refresh token', 400, repeated.status)
    await this.#calls('after the repeat', '/v1/cards', { token: second.access, status: 200 })
    const ended = await this.#post('revoke', { token: second.refresh })
    this.#stage.check('revocation', 200, ended.status)
    for (const { access } of [first, second])
      await this.#calls('after the revocation', '/v1/cards', { token: access, status: 401 })
    const late = await this.#post('token', refresh(second.refresh))
    this.#stage.check('a refresh after the revocation', 400, late.status)
  }

  async #tokens(what: string, form: { [name: string]: string }): Promise<Tokens> {
    const answer = await this.#post('token', form)
    this.#stage.check(what, 200, answer.status)
    const body = (await answer.json()) as { [name: string]: unknown }
    return { access: String(body['access_token']), refresh: String(body['refresh_token']) }
  }

  #post(name: 'token' | 'revoke', form: { [name: string]: string }): Promise<Response> {
    const body = new URLSearchParams(form)
    const url = new URL('/oauth/' + name, this.#authUrl)
    return repeatBusy(() => fetch(url, { method: 'POST', body }), PAGE_PATIENCE)
  }

  async #calls(what: string, path: string, expected: { token: string; status: number }) {
    const url = new URL(path, this.#stage.surroundings.sandbox.api_url)
    const headers = { authorization: 'Bearer ' + expected.token }
    const answer = await repeatBusy(() => fetch(url, { headers }), PAGE_PATIENCE)
    this.#stage.check(what, expected.status, answer.status)
  }
}

async function call(stage: Stage, path: string, key: string, body: object) {
  const send = () =>
    fetch(new URL(path, stage.surroundings.sandbox.api_url), {
      method: 'POST',
      headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const answer = await repeatBusy(send, PAGE_PATIENCE)
  return {
    status: answer.status,
    body: (await answer.json()) as { [name: string]: unknown },
  }
}
