// A platform of a test, and a person who lets it act: the calls that browsers and platforms make,
// over HTTP.
import { createHash, randomBytes } from 'node:crypto'
import type { OauthClientWithSecret, OauthScope } from '../../shared/schemas/oauth.ts'
import { type BasicApi, PUBLIC_URL } from './api.ts'
import { seedOperator } from './operator.ts'
import { type Person, seedPerson } from './person.ts'

/** The address to which the platform of a test has people sent back. */
export const RETURN_URL = 'https://platform.example/return?from=svc'
const OWN_SITE = { 'sec-fetch-site': 'same-origin' }

export interface Registration {
  kind?: 'public' | 'confidential'
  application_type?: 'web' | 'native'
  environment?: 'sandbox' | 'live'
  name?: string
  redirect_uris?: readonly string[]
  scopes?: readonly OauthScope[]
}

/** Registers a platform by an operator's call. */
export async function registerClient(
  api: BasicApi,
  { kind = 'public', environment = 'sandbox', scopes = ['card:read'], ...more }: Registration = {},
): Promise<OauthClientWithSecret> {
  const key = await seedOperator(api.sql)
  const redirect_uris = more.redirect_uris ?? [RETURN_URL]
  const body = { kind, environment, scopes, name: 'Ledger Co', ...more, redirect_uris }
  const answer = await api.call('POST', '/operator/v1/oauth_clients', { key, body })
  if (answer.status !== 201) throw new Error('no client: ' + answer.text)
  return answer.body
}

export interface Challenge {
  verifier: string
  challenge: string
}

export function newChallenge(): Challenge {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** A browser without a window: it keeps cookies by name and path, and follows nothing. */
export class Visitor {
  readonly #api: BasicApi
  readonly #cookies = new Map<string, { pair: string; path: string }>()

  constructor(api: BasicApi) {
    this.#api = api
  }

  async go(
    address: string,
    { form, headers = {} }: { form?: { [name: string]: string }; headers?: object } = {},
  ): Promise<Response> {
    const url = new URL(address, this.#api.url)
    const sent = [...this.#cookies.values()]
      .filter(({ path }) => url.pathname.startsWith(path))
      .map(({ pair }) => pair)
    const answer = await fetch(this.#api.url + url.pathname + url.search, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...(sent.length > 0 && { cookie: sent.join('; ') }),
        ...(form !== undefined && OWN_SITE),
        ...headers,
      },
      ...(form !== undefined && { body: new URLSearchParams(form) }),
    })
    for (const cookie of answer.headers.getSetCookie()) this.#keep(cookie)
    return answer
  }

  #keep(cookie: string): void {
    const [pair = '', ...traits] = cookie.split('; ')
    const [name = ''] = pair.split('=', 1)
    const path = traits.find((trait) => /^path=/i.test(trait))?.slice('path='.length) ?? '/'
    this.#cookies.set(name + ' ' + path, { pair, path })
  }
}

/** Signs a person in; the next code belongs to the next step of thirty seconds. */
export async function signIn(api: BasicApi, visitor: Visitor, person: Person): Promise<void> {
  const { email, password } = person
  const form = { email, password, code: person.codeAt(api.clock.nowMs), next: '/account' }
  const answer = await visitor.go('/sign-in', { form })
  if (answer.status !== 303) throw new Error('sign-in answered ' + answer.status)
  api.clock.nowMs += 30_000
}

export function authorizeUrl(
  client: OauthClientWithSecret,
  { challenge, more = {} }: { challenge: string; more?: { [name: string]: string } },
): string {
  const query = {
    client_id: client.id,
    redirect_uri: RETURN_URL,
    scope: client.scopes.join(' '),
    code_challenge: challenge,
    state: 'st-1',
    ...more,
  }
  return '/oauth/authorize?' + new URLSearchParams(query)
}

/** A browser’s cookies of an authorization request that waits for its person. */
export async function cookiesOfConsent(api: BasicApi) {
  const client = await registerClient(api, {
    name: 'Ledger Co',
    scopes: ['card:read', 'card:write', 'pass:read', 'settlement:read'],
  })
  const cookies: { name: string; value: string; path: string }[] = []
  const visitor = new Visitor(api)
  const { challenge } = newChallenge()
  const begun = await visitor.go(authorizeUrl(client, { challenge }))
  for (const text of begun.headers.getSetCookie()) {
    const [pair = '', ...traits] = text.split('; ')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = traits.find((trait) => /^path=/i.test(trait))?.slice('path='.length) ?? '/'
    cookies.push({ name, value, path })
  }
  return { path: begun.headers.get('location') ?? '', cookies }
}

/** Begins an authorization request and returns the path of its page of consent. */
export async function openConsent(visitor: Visitor, url: string): Promise<string> {
  const answer = await visitor.go(url)
  const location = answer.headers.get('location') ?? ''
  if (answer.status !== 303 || !location.startsWith('/oauth/consent/'))
    throw new Error('no consent: ' + answer.status + ' ' + location + (await answer.text()))
  return location
}

/** Decides, and returns the address at the platform to which the person is sent. */
export async function decide(
  visitor: Visitor,
  path: string,
  form: { [name: string]: string },
): Promise<URL> {
  const decided = await visitor.go(path, { form })
  if (decided.status !== 303) throw new Error('consent answered ' + decided.status)
  const resumed = await visitor.go(decided.headers.get('location') ?? '')
  return new URL(resumed.headers.get('location') ?? '')
}

export interface Tokens {
  access_token: string
  refresh_token: string
  expires_in: number
  token_type: string
  scope: string
}

export interface Connected {
  client: OauthClientWithSecret
  person: Person
  visitor: Visitor
  code: string
  verifier: string
}

/** A code of a connection that a person agreed to. */
export async function approvedCode(
  api: BasicApi,
  given: { client?: OauthClientWithSecret; tenantId?: string } = {},
): Promise<Connected> {
  const client = given.client ?? (await registerClient(api))
  const tenantId = given.tenantId ?? api.tenant.tenantId
  await api.sql`delete from sign_in_tries`
  const person = await seedPerson(api.sql, tenantId)
  const visitor = new Visitor(api)
  await signIn(api, visitor, person)
  const { verifier, challenge } = newChallenge()
  const path = await openConsent(visitor, authorizeUrl(client, { challenge }))
  const back = await decide(visitor, path, { decision: 'approve', tenant: tenantId })
  const code = back.searchParams.get('code')
  if (code === null) throw new Error('no code: ' + back)
  return { client, person, visitor, code, verifier }
}

/** Posts a form to an endpoint of OAuth. */
export async function postForm(
  api: BasicApi,
  path: string,
  form: { [name: string]: string } | URLSearchParams,
  headers: { [name: string]: string } = {},
) {
  const body = new URLSearchParams(form)
  const answer = await api.call('POST', path, {
    raw: body.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
  return answer
}

export function basic({ id, secret }: OauthClientWithSecret): { [name: string]: string } {
  return { authorization: 'Basic ' + Buffer.from(id + ':' + secret).toString('base64') }
}

/** Tokens of a new connection, by the literal call of the specification. */
export async function connect(
  api: BasicApi,
  given: { client?: OauthClientWithSecret; tenantId?: string } = {},
): Promise<Connected & Tokens> {
  const connected = await approvedCode(api, given)
  const { code, verifier, client } = connected
  const form = { code, code_verifier: verifier, client_id: client.id }
  const headers = client.secret === null ? {} : basic(client)
  const answer = await postForm(api, '/oauth/token', form, headers)
  if (answer.status !== 200) throw new Error('no tokens: ' + answer.text)
  return { ...connected, ...answer.body }
}

/** A fetch for clients that know the server by its public address. */
export function fetchFor(api: BasicApi) {
  return (input: string | URL, init?: object): Promise<Response> => {
    const url = new URL(input)
    const { pathname, search } = url
    const address = url.origin === PUBLIC_URL ? api.url + pathname + search : url
    return fetch(address, init as RequestInit)
  }
}
