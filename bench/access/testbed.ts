// The testbed of the access bench: two processes of the API over one PostgreSQL, a tenant with an
// owner, and a platform that the owner lets in.
import { createHash, randomBytes } from 'node:crypto'
import { insertIdentity } from '../../api/access/identities/index.ts'
import { insertMember } from '../../api/access/people/index.ts'
import { openSession } from '../../api/access/sessions/index.ts'
import { tx } from '../../api/database/transaction.ts'
import { ensureDerivationRoot } from '../../scripts/start/seed/derivation-root.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { newMasterKeyText, parseMasterKeys } from '../../shared/keyring.ts'
import { seedOperator } from '../../test/harness/operator.ts'
import { seedTenant, type TestTenant } from '../../test/harness/tenant.ts'
import { type ApiTestbed, openApiTestbed } from '../api-stand.ts'
import { freePort, type Server } from '../server-process.ts'
import { Caller, cookiesOf } from './caller.ts'

const RETURN_URL = 'https://platform.example/return'
/** The most that an operator grants: no limit of the tenant is the limit of a measurement. */
const LIMIT_FACTOR = 1000
const NEVER_MS = 4_000_000_000_000

export interface AccessTestbed extends ApiTestbed {
  apis: readonly [first: Server, second: Server]
  tenant: TestTenant
  caller: Caller
  /** Base URL of the pages, whose host is the relying party of passkeys. */
  pagesUrl: string
  identityId: string
  /** A connection of its own that the owner agreed to. */
  connect(): Promise<Tokens>
  /** Number of a source address that no call came from. */
  newAddress(): number
}

export interface Tokens {
  access_token: string
  refresh_token: string
}

export async function openAccessTestbed(): Promise<AccessTestbed> {
  const stand = await openApiTestbed()
  try {
    return await furnish(stand)
  } catch (error) {
    await stand.close()
    throw error
  }
}

async function furnish(stand: ApiTestbed): Promise<AccessTestbed> {
  const { sql } = stand
  const masterKey = newMasterKeyText()
  const masterKeys = parseMasterKeys(masterKey, true)
  if (!masterKeys.ok) throw new Error(masterKeys.error)
  await tx(sql, (inner) => ensureDerivationRoot(inner, masterKeys.value))
  const tenant = await seedTenant(sql, 'sandbox')
  await sql`
    insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
    values (${tenant.tenantId}, 'sandbox', ${LIMIT_FACTOR}, ${NEVER_MS})`
  const { identityId, session } = await seedOwner(stand, tenant)
  const operator = await seedOperator(sql)
  const host = 'localhost:' + (await freePort())
  const pagesUrl = 'http://' + host
  const environment = { SVC_MASTER_KEY: masterKey, SVC_AUTH_URL: pagesUrl }
  const apis = [await stand.startApi(environment), await stand.startApi(environment)] as const
  const caller = new Caller(host)
  stand.ends(() => caller.close())
  const [{ port }] = apis
  const { text } = await caller.expect(201, {
    ...{ port, method: 'POST', path: '/operator/v1/oauth_clients' },
    headers: { authorization: 'Bearer ' + operator },
    json: {
      ...{ kind: 'public', environment: 'sandbox', name: 'Ledger Co' },
      ...{ scopes: ['card:read'], redirect_uris: [RETURN_URL] },
    },
  })
  const { id: clientId } = JSON.parse(text) as { id: string }
  let addresses = 0
  const newAddress = (): number => ++addresses
  const { tenantId } = tenant
  const connect = () =>
    connection(caller, { port, clientId, tenantId, from: newAddress(), cookie: 'svc=' + session })
  return { ...stand, apis, tenant, caller, pagesUrl, identityId, connect, newAddress }
}

/** An owner of the tenant, with the token of a session. */
export async function seedOwner(
  { sql }: Pick<ApiTestbed, 'sql'>,
  { tenantId }: Pick<TestTenant, 'tenantId'>,
  email = 'ada@bench.example',
): Promise<{ identityId: string; session: string }> {
  const now = systemClock.nowMs()
  const identityId = newId('idn', now)
  const session = await tx(sql, async (inner) => {
    await insertIdentity(inner, {
      ...{ id: identityId, email, name: 'Ada', verifiedAt: now },
      ...{ passwordHash: null, totpSealed: null, recoveryHashes: [], createdAt: now },
    })
    const member = { id: newId('user', now), tenantId, identityId }
    await insertMember(inner, { ...member, role: 'owner', createdAt: now })
    const browser = { identityId, factor: 'passkey', address: null, agent: 'bench', now } as const
    return openSession(inner, browser)
  })
  return { identityId, session }
}

/** The whole flow: authorization, consent, code, tokens. */
async function connection(
  caller: Caller,
  given: { port: number; clientId: string; tenantId: string; from: number; cookie: string },
): Promise<Tokens> {
  const { port, clientId, tenantId, from } = given
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: RETURN_URL, scope: 'card:read', state: 'st' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    prompt: 'consent',
  })
  const begun = await caller.expect(303, {
    ...{ port, from, method: 'GET', path: '/oauth/authorize?' + query },
    headers: { cookie: given.cookie },
  })
  const headers = { cookie: [given.cookie, ...cookiesOf(begun)].join('; ') }
  const decided = await caller.expect(303, {
    ...{ port, from, method: 'POST', path: pathIn(begun.headers), headers },
    form: { decision: 'approve', tenant: tenantId },
  })
  const resumed = await caller.expect(303, {
    ...{ port, from, method: 'GET', path: pathIn(decided.headers), headers },
  })
  const code = new URL(String(resumed.headers['location'])).searchParams.get('code') ?? ''
  const { text } = await caller.expect(200, {
    ...{ port, from, method: 'POST', path: '/oauth/token' },
    form: { code, code_verifier: verifier, client_id: clientId },
  })
  return JSON.parse(text) as Tokens
}

function pathIn(headers: { readonly [name: string]: unknown }): string {
  const url = new URL(String(headers['location']), 'http://localhost')
  return url.pathname + url.search
}
