// A person of a test's tenant who approves calls: with password and code on the page, or at once.
import { Secret, TOTP } from 'otpauth'
import {
  newRecoveryCodes,
  newTotpSecret,
  passwordHash,
  recoveryHash,
} from '../../api/access/identities/index.ts'
import { insertPerson } from '../../api/access/people/index.ts'
import type { Sql } from '../../api/database/pool.ts'
import { type TxSql, tx } from '../../api/database/transaction.ts'
import { sleep } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { type MasterKeys, SEAL_CONTEXTS, seal } from '../../shared/keyring.ts'
import type { PersonRole } from '../../shared/schemas/person.ts'
import { type Answer, type Call, MASTER_KEYS, reachable, type TestApi } from './api.ts'
import { SEEDED_AT_MS } from './tenant.ts'

/** Refusals of a call that came when too many others were under way. */
export const BUSY: readonly string[] = ['connection_limit', 'tenant_limit', 'overloaded']
const BUSY_MS = 50

export interface Person {
  id: string
  identityId: string
  email: string
  password: string
  recoveryCodes: readonly string[]
  /** The six digits of the code at a moment. */
  codeAt(now: number): string
}

export async function seedPerson(
  sql: Sql,
  tenantId: string,
  role: PersonRole = 'owner',
  masterKeys: MasterKeys = MASTER_KEYS,
): Promise<Person> {
  const secret = newTotpSecret()
  const recoveryCodes = newRecoveryCodes()
  const password = 'correct horse battery'
  const id = newId('user', SEEDED_AT_MS)
  const identityId = newId('idn', SEEDED_AT_MS)
  const user = {
    id,
    tenantId,
    identityId,
    email: role + '.' + id + '@tenant.example',
    name: 'Ada',
    role,
    passwordHash: await passwordHash(password),
    totpSealed: seal(masterKeys, SEAL_CONTEXTS.totpSecret, secret),
    recoveryHashes: recoveryCodes.map((code) => recoveryHash(code) ?? Buffer.alloc(0)),
    verifiedAt: SEEDED_AT_MS,
    createdAt: SEEDED_AT_MS,
  }
  await tx(sql, (inner: TxSql) => insertPerson(inner, user))
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return {
    id,
    identityId,
    email: user.email,
    password,
    recoveryCodes,
    codeAt: (now) => totp.generate({ timestamp: now }),
  }
}

/** An owner with two ways to sign in: password with generator, and a passkey nobody holds. */
export async function seedSafeOwner(sql: Sql, tenantId: string): Promise<Person> {
  const owner = await seedPerson(sql, tenantId)
  const bytes = Buffer.from(owner.id)
  await sql`
    insert into passkeys (id, identity_id, credential_id, user_handle, public_key, counter,
      transports, device_type, backed_up, name, created_at)
    values (${owner.id}, ${owner.identityId}, ${bytes}, ${bytes}, ${bytes}, 0, '{}',
      'multiDevice', true, 'Telephone', 0)`
  return owner
}

/**
 * Makes a call that needs a second factor, has it approved by a person without a page, and makes it
 * again.
 */
export async function callApproved(
  api: Pick<TestApi, 'sql' | 'call'> & { clock: { readonly nowMs: number } },
  method: string,
  path: string,
  call: Call,
): Promise<Answer> {
  const asked = await api.call(method, path, call)
  if (asked.body?.error?.code !== 'factor_required') return asked
  const approval = await approve(api, asked, call)
  return api.call(method, path, { ...call, headers: { ...call.headers, ...approval } })
}

/** A person approves a call that asked for it; returns the header of its repeat. */
export async function approve(
  api: Pick<TestApi, 'sql' | 'call'> & { clock: { readonly nowMs: number } },
  asked: Answer,
  call: Call,
): Promise<{ 'svc-factor': string }> {
  const { id } = asked.body.error.challenge
  const now = api.clock.nowMs
  // Any user of the tenant serves as the approver: the database only requires one.
  const by = newId('user', now)
  await api.sql`
    insert into identities (id, email, name, created_at) values (${by}, ${by}, 'Ada', ${now})`
  await api.sql`
    insert into users (id, tenant_id, identity_id, role, created_at)
    select ${by}, tenant_id, ${by}, 'owner', ${now} from factor_challenges where id = ${id}`
  await api.sql`
    update factor_challenges
    set state = 'approved', decided_at = ${now}, decided_by = ${by}, decided_with = 'totp' where id = ${id}`
  return { 'svc-factor': await approvedToken(api, id, call.key!) }
}

/** The token of an approved challenge. A call that a busy API refuses is repeated. */
async function approvedToken(api: Pick<TestApi, 'call'>, id: string, key: string): Promise<string> {
  for (;;) {
    const { status, body, text } = await api.call('GET', '/v1/factor_challenges/' + id, { key })
    if (status === 200) return body.token
    if (!BUSY.includes(body.error.code)) throw new Error(text)
    await sleep(BUSY_MS)
  }
}

/**
 * Makes a call that needs a second factor, has the person approve it on the page, and makes it
 * again. Returns the first answer where it asked for no approval.
 */
export async function callApprovedBy(
  api: TestApi,
  person: Person,
  { method, path, call }: { method: string; path: string; call: Call },
): Promise<Answer> {
  const asked = await api.call(method, path, call)
  if (asked.body?.error?.code !== 'factor_required') return asked
  const { challenge_url: url, challenge } = asked.body.error
  const { email, password } = person
  const form = { decision: 'approve', email, password, code: person.codeAt(api.clock.nowMs) }
  await api.sql`delete from sign_in_tries`
  await fetch(reachable(api, url), {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  api.clock.nowMs += 30_000
  const token = await approvedToken(api, challenge.id, call.key ?? '')
  return api.call(method, path, { ...call, headers: { ...call.headers, 'svc-factor': token } })
}
