// The storage of the library on our tables. Only hashes of codes and tokens are stored. Expiry goes
// by the tenant's clock: the library knows the clock of the system alone, so it gets the remaining
// lifetime as a moment of that clock.
import { hash as digest } from 'node:crypto'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { apiKeyHash } from '../../../shared/api-key.ts'
import { assert } from '../../../shared/assert.ts'
import { type EpochMs, systemClock } from '../../../shared/clock.ts'
import { currentCall, type OauthCall } from './call.ts'
import { clientMetadata } from './client-metadata.ts'
import { findActiveClient } from './client-store.ts'
import { endConnection } from './end-connection.ts'
import { recordGrant } from './record-grant.ts'
import {
  deleteState,
  findToken,
  insertToken,
  isWithinLeeway,
  lockGrant,
  lockState,
  type Payload,
  type StateKind,
  saveState,
  type TokenKind,
  type TokenRow,
  useState,
  useToken,
} from './store.ts'

/** A connection ends by being ended, never by time. */
export const GRANT_S = 10 * 365 * 86_400

/** One adapter for each kind of the library's models. Sessions are ours: none is stored. */
export function adapterOf(model: string): Adapter {
  if (model === 'Client') return { ...NOTHING, find: findClient }
  if (model === 'Grant') return GRANTS
  const token = TOKENS[model]
  if (token !== undefined) return tokenAdapter(token)
  const state = STATES[model]
  return state === undefined ? NOTHING : stateAdapter(state)
}

const TOKENS: { readonly [model: string]: TokenKind } = {
  AuthorizationCode: 'code',
  AccessToken: 'access',
  RefreshToken: 'refresh',
}
const STATES: { readonly [model: string]: StateKind } = {
  Interaction: 'interaction',
  PushedAuthorizationRequest: 'request',
  ReplayDetection: 'proof',
}

const NOTHING: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}

async function findClient(id: string): Promise<AdapterPayload | undefined> {
  const { sql, now } = currentCall()
  const client = await findActiveClient(sql, { id, now })
  return client === null ? undefined : clientMetadata(client)
}

const GRANTS: Adapter = {
  ...NOTHING,
  async upsert(id, payload) {
    await recordGrant(currentCall(), id, withoutOwnFields(payload))
  },
  async find(id) {
    const { sql, grants } = currentCall()
    const grant = await lockGrant(sql, id)
    if (grant === null) return undefined
    grants.set(id, grant)
    return { ...grant.payload, jti: id, exp: systemSeconds() + GRANT_S }
  },
  /** Tokens need no end of their own: each call reads the connection beside the token. */
  async destroy(id) {
    const call = currentCall()
    await endConnection(call, id, call.endpoint === 'revoke' ? 'platform' : 'token_reused')
  },
}

function tokenAdapter(kind: TokenKind): Adapter {
  return {
    ...NOTHING,
    async upsert(text, payload, expiresIn = 0) {
      const call = currentCall()
      if (call.repeats) return
      const grant = call.grants.get(String(payload.grantId))
      assert(grant !== undefined, 'a token belongs to a locked connection')
      await insertToken(call.sql, {
        hash: apiKeyHash(text),
        kind,
        grant,
        scopes: (payload.scope ?? '').split(' ').filter((scope) => scope !== ''),
        jkt: (payload['jkt'] as string | undefined) ?? null,
        payload: withoutOwnFields(payload),
        expiresAt: call.now + grant.clockOffsetMs + expiresIn * 1000,
        parent: kind === 'refresh' ? call.rotated : null,
      })
    },
    async find(text) {
      const call = currentCall()
      const row = await findToken(call.sql, { hash: apiKeyHash(text), kind })
      if (row === null) return undefined
      const exp = systemExpiry(row.expiresAt, call.now)
      const known = { ...row.payload, jti: text, exp }
      return row.usedAt === null || repeatsLately(call, row)
        ? known
        : { ...known, consumed: Math.floor(row.usedAt / 1000) }
    },
    async consume(text) {
      const call = currentCall()
      if (call.repeats) return
      const hash = apiKeyHash(text)
      if (!(await useToken(call.sql, { hash, now: call.now })))
        throw new errors.InvalidGrant('this code or token was used already')
      if (kind === 'refresh') call.rotated = hash
    },
  }
}

/**
 * Returns true for a repeat under the Idempotency-Key of the first call, which gets the same tokens
 * again. Throws for any other use of a refresh token whose successor is new and unused: a client
 * that sent one refresh twice has not leaked its token. A false result means reuse.
 */
function repeatsLately(call: OauthCall, row: TokenRow): boolean {
  const { successorHash } = row
  if (call.endpoint !== 'token' || successorHash === null || !isWithinLeeway(row, call.now))
    return false
  const derived = call.derive?.('rt')
  if (derived === undefined || !apiKeyHash(derived).equals(successorHash))
    throw new errors.InvalidGrant('refresh token already used')
  call.repeats = true
  return true
}

function stateAdapter(kind: StateKind): Adapter {
  return {
    ...NOTHING,
    async upsert(id, payload, expiresIn = 0) {
      const { sql, now } = currentCall()
      const endsAt = now + expiresIn * 1000
      const state = { hash: stateHash(id), kind, payload: withoutOwnFields(payload), endsAt }
      if (!(await saveState(sql, state)))
        throw new errors.InvalidGrant('DPoP proof JWT Replay detected')
    },
    async find(id) {
      const { sql, now } = currentCall()
      const row = await lockState(sql, { hash: stateHash(id), kind })
      if (row === null) return undefined
      const known = { ...row.payload, jti: id, exp: systemExpiry(row.endsAt, now) }
      return row.usedAt === null ? known : { ...known, consumed: Math.floor(row.usedAt / 1000) }
    },
    async consume(id) {
      const { sql, now } = currentCall()
      if (!(await useState(sql, { hash: stateHash(id), now })))
        throw new errors.InvalidRequestUri('request_uri was already used')
    },
    async destroy(id) {
      await deleteState(currentCall().sql, stateHash(id))
    },
  }
}

function stateHash(id: string): Buffer {
  return digest('sha256', id, 'buffer')
}

/** The id is a secret, and the expiry has a column. */
function withoutOwnFields(payload: AdapterPayload): Payload {
  const { jti: _id, exp: _expiry, consumed: _use, ...kept } = payload
  return kept
}

function systemSeconds(): number {
  return Math.floor(systemClock.nowMs() / 1000)
}

function systemExpiry(expiresAt: EpochMs, now: EpochMs): number {
  return systemSeconds() + Math.ceil((expiresAt - now) / 1000)
}
