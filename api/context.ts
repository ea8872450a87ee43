// The input of a handler: the caller, the moment, the database, and the state of its call for
// write(). Nothing of a domain: a resource that needs a port of the process asks for it in its
// route table (http/route.ts).

import type { EpochMs } from '../shared/clock.ts'
import type { Unseal } from '../shared/keyring.ts'
import type { Environment } from '../shared/wire/config-records.ts'
import type { Wait } from './database/database-watchdog.ts'
import type { Sql } from './database/pool.ts'
import type { ApprovedCall } from './write/approval.ts'
import type { KeyedCall } from './write/idempotency.ts'
import type { SecondOperator } from './write/second-operator.ts'

/**
 * The owner of rows. Both parts appear in every statement: sandbox and live never see each other.
 */
export interface Owner {
  tenantId: string
  environment: Environment
}

/** A key of the tenant, a platform that acts for it, or the session of a person. */
export interface Credential {
  kind: 'api_key' | 'oauth' | 'person'
  id: string
}

/** The caller, according to its credential. */
export interface Principal extends Owner {
  credential: Credential
  /** The member of the tenant who calls, or who connected the platform; null for keys. */
  personId: string | null
  /** Scopes, or `role:` and the role of a person. `permits()` reads them. */
  granted: readonly string[]
  /** The credential is public: it stands in web pages. */
  publishable: boolean
  /** The date-style version the tenant is pinned to. Spec 9. */
  apiVersion: string
  /** Milliseconds the tenant's sandbox clock is ahead; 0 in live. */
  clockOffsetMs: number
}

/** The author of a change: the person who calls, otherwise the credential. */
export function authorOf({ personId, credential }: Principal): string {
  return credential.kind === 'person' && personId !== null ? personId : credential.id
}

/** The state of a call for write(), the audit log and write-confirmed(). */
export interface Call {
  /** The method and path of its route, for example `POST /v1/cards/:id/suspend`. */
  operation: string
  /** Address the request came from; null when unknown. */
  clientAddress: string | null
  /** The call's Idempotency-Key; null without one. */
  keyed: KeyedCall | null
  /** The approval of a call that needs a second factor. */
  factor: ApprovedCall | null
  /** The approval of an operator's call by a second operator, where the call needs one. */
  secondOperator?: SecondOperator | undefined
  /**
   * Resolves to true as soon as the engine decides by that transaction; false when it did not
   * within ENGINE_COVER_MS_MAX.
   */
  waitUntilEngineCovers: (xid: bigint) => Promise<boolean>
}

/** The input of every handler, for tenants and operators alike. */
interface CallContext {
  sql: Sql
  /** Seals secrets at rest, under the installation's master keys. */
  seal: (context: string, plaintext: string) => string
  unseal: Unseal
  requestId: string
  /** The moment the request was admitted: the only time a handler sees. */
  now: EpochMs
  /**
   * Returns a fresh id. Ids are made from the installation's time, so they keep their order
   * whatever a tenant's clock says.
   */
  newId(prefix: string): string
  /** How long the caller waits for the database. */
  wait: Wait
  call: Call
}

/** Context of a tenant's call: `now` is the moment by the tenant's clock. */
export interface Context extends CallContext {
  principal: Principal
}

/**
 * Context of a call by an operator of the installation: `now` is the installation's time, and the
 * call concerns a tenant only if the input names one.
 */
export interface OperatorContext extends CallContext {
  operatorId: string
}

/** Either caller; `'operatorId' in context` tells them apart. */
export type AnyContext = Context | OperatorContext
