// The state of one call of the OAuth endpoints. The library finds it through its asynchronous
// context: its adapter gets no parameter of ours.
import { AsyncLocalStorage } from 'node:async_hooks'
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { GrantRow } from './store.ts'

/** Path of the page on which a person decides. */
export const CONSENT_PATH = '/oauth/consent/'

export type Endpoint = 'authorize' | 'resume' | 'token' | 'revoke' | 'par' | 'metadata' | 'consent'

export interface OauthCall {
  endpoint: Endpoint
  /** The transaction of the call: everything the library writes commits with its answer. */
  sql: TxSql
  /** Seals mail at rest. */
  seal: (context: string, plaintext: string) => string
  /** Installation time. */
  now: EpochMs
  requestId: string
  address: string | null
  /** Connections that the call has locked, by id. */
  grants: Map<string, GrantRow>
  /** The connection that a person approves in this call. */
  approval: (Owner & { userId: string; scopes: readonly string[]; redirectUri: string }) | null
  /** Hash of the refresh token that the call has used. */
  rotated: Buffer | null
  /** Text of a new token under the call's Idempotency-Key; null without one. */
  derive: ((kind: 'at' | 'rt') => string) | null
  /** The call repeats a refresh that was answered before: it writes nothing. */
  repeats: boolean
  /** Error that the library turned into an answer of status 500. */
  fault: unknown
  /** Error of an authorization request that cannot be sent to the platform. */
  shownError: ShownError | null
}

export interface ShownError {
  error: string
  description: string
}

const calls = new AsyncLocalStorage<OauthCall>()

export function withinCall<Value>(call: OauthCall, work: () => Promise<Value>): Promise<Value> {
  return calls.run(call, work)
}

export function currentCall(): OauthCall {
  const call = calls.getStore()
  assert(call !== undefined, 'the library runs within a call')
  return call
}
