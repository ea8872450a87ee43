// The input of a handler: the data of its request, and the parts of the process it may use. Built
// once per request.
import type { FastifyRequest } from 'fastify'
import type { Cidr } from '../shared/address.ts'
import type { AddressBook } from '../shared/address-book.ts'
import type { KeyRole, KeyScope } from '../shared/api-key.ts'
import { assert } from '../shared/assert.ts'
import type { Clock, EpochMs } from '../shared/clock.ts'
import type { SlotLimits } from '../shared/connection-slots.ts'
import { newId } from '../shared/id.ts'
import type { Unseal } from '../shared/keyring.ts'
import type { Logger } from '../shared/log.ts'
import type { Environment } from '../shared/wire/config-records.ts'
import type { BreakerReport, EvaluateAnswer, EvaluateRequest } from '../shared/wire/control.ts'
import type { Credentials } from './access/credentials/credentials.ts'
import type { ApprovedCall } from './access/factors/index.ts'
import type { AwaitedMigrations } from './database/awaited-migrations.ts'
import type { ClockWatch } from './database/clock-watch.ts'
import type { DatabaseWatchdog, Wait } from './database/database-watchdog.ts'
import type { Sql } from './database/pool.ts'
import type { NetworkPort } from './engine-link/network-port.ts'
import type { Lists } from './issuing/sanctions/lists.ts'
import type { AppleIssuer } from './passes/wallets/apple/issuer.ts'
import type { GoogleIssuer } from './passes/wallets/google/account.ts'
import type { WalletThreads } from './passes/wallets/threads.ts'
import type { Candidate, Found } from './webhooks/endpoints/index.ts'
import type { KeyedCall } from './write/idempotency.ts'

/**
 * The owner of rows. Both parts appear in every statement: sandbox and live never see each other.
 */
export interface Owner {
  tenantId: string
  environment: Environment
}

/** The caller, according to its key. */
export interface Principal extends Owner {
  keyId: string
  role: KeyRole
  scope: KeyScope
  /** The date-style version the tenant is pinned to. Spec 9. */
  apiVersion: string
  /** Milliseconds the tenant's sandbox clock is ahead; 0 in live. */
  clockOffsetMs: number
}

/** The parts of the process a request may use. `main.ts` builds them, tests build their own. */
export interface Services {
  sql: Sql
  /** No statement goes to the database before all migrations are there. */
  migrations: AwaitedMigrations
  /** Whether the clock may be believed; every call waits while it may not. */
  watch: Pick<ClockWatch, 'reason'>
  /** Ends the waits of callers when the database is silent. */
  pulse: DatabaseWatchdog
  /**
   * Resolves to true as soon as the engine decides by that transaction; false when it did not
   * within ENGINE_COVER_MS_MAX.
   */
  waitUntilEngineCovers: (xid: bigint) => Promise<boolean>
  /** The decision the engine would make now; null when the engine does not answer. */
  evaluate: (request: EvaluateRequest) => Promise<EvaluateAnswer | null>
  /** Seals secrets at rest, under the installation's master keys. */
  seal: (context: string, plaintext: string) => string
  unseal: Unseal
  /** The circuit breaker of an endpoint; null when the engine does not answer at once. */
  breakerReport: (endpointId: string) => Promise<BreakerReport | null>
  /** Sends the probes of a certification. */
  probe: (candidate: Candidate) => Promise<Found>
  /** Sends a message as the sandbox's card network does. */
  sendToNetworkPort: NetworkPort['send']
  /** Private ranges tenant endpoints may use. */
  openedRanges: readonly Cidr[]
  /**
   * Returns the addresses of a host that tenant endpoints may use, or the reason for having none.
   */
  findAddresses: AddressBook['find']
  /**
   * Secrets with which the identity provider signs its callbacks; empty: its callbacks are refused.
   */
  identitySecrets: readonly string[]
  /** Lists of people who must not become cardholders. */
  lists: Lists
  /** Base URL of the pages that people open; null: `publicUrl`. */
  authUrl: string | null
  /**
   * Base URL of our reference pages, without a slash at its end; a path from the root when our
   * address is unknown.
   */
  docsUrl: string
  /** Base URL for pass holders and their devices, without a slash at its end. */
  publicUrl: string
  /** Threads that draw barcodes, read images and sign passes. */
  walletThreads: WalletThreads
  /** The issuer that signs passes for Apple's wallet; null: no Apple passes. */
  apple: AppleIssuer | null
  /** The issuer for Google's wallet; null: no passes go to Google. */
  google: GoogleIssuer | null
  /** A sandbox installation refuses live keys; a live one serves both. */
  installation: Environment
  /** Cached knowledge of the credentials in use. */
  credentials: Credentials
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly Cidr[]
  /** Fewer connections than the process could hold, for tests. */
  connectionLimits?: SlotLimits
  /** PEM texts of the server's certificate and key; null: the server speaks without TLS. */
  tls: { cert: string; key: string } | null
  clock: Clock
  log: Logger
}

/** The input of every handler, for tenants and operators alike. */
/** Services that only the server itself needs. */
type ServerServices =
  | 'log'
  | 'clock'
  | 'authUrl'
  | 'docsUrl'
  | 'identitySecrets'
  | 'credentials'
  | 'migrations'
  | 'watch'
  | 'pulse'
  | 'trustedProxies'
  | 'connectionLimits'
  | 'tls'

interface CallContext extends Omit<Services, ServerServices> {
  requestId: string
  /** The method and path of its route, for example `POST /v1/cards/:id/suspend`. */
  operation: string
  /** Address the request came from; null when unknown. */
  clientAddress: string | null
  /** The moment the request was admitted: the only time a handler sees. */
  now: EpochMs
  /**
   * Returns a fresh id. Ids are made from the installation's time, so they keep their order
   * whatever a tenant's clock says.
   */
  newId(prefix: string): string
  /** For write(): the call's Idempotency-Key. */
  keyed: KeyedCall | null
  /** For write() and for audit records: the approval of a call that needs a second factor. */
  factor: ApprovedCall | null
  /** For write(): how long the caller waits for the database. */
  wait: Wait
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

/** For a tenant's request that passed the gates. */
export function createContext(services: Services, request: FastifyRequest, wait: Wait): Context {
  const { principal } = request
  assert(principal !== null, 'a handler runs behind the gates')
  return {
    ...callContext(services, request, wait),
    principal,
    now: request.admittedAtMs + principal.clockOffsetMs,
  }
}

/** For an operator's request that passed the gates. */
export function createOperatorContext(
  services: Services,
  request: FastifyRequest,
  wait: Wait,
): OperatorContext {
  const { operatorId } = request
  assert(operatorId !== null, 'a handler runs behind the gates')
  return { ...callContext(services, request, wait), operatorId }
}

function callContext(services: Services, request: FastifyRequest, wait: Wait): CallContext {
  const { sql, waitUntilEngineCovers, breakerReport, probe, evaluate, seal, unseal, openedRanges } =
    services
  const { lists, sendToNetworkPort, installation, findAddresses } = services
  const { publicUrl, walletThreads, apple, google } = services
  return {
    sql,
    waitUntilEngineCovers,
    breakerReport,
    probe,
    evaluate,
    seal,
    unseal,
    openedRanges,
    findAddresses,
    lists,
    sendToNetworkPort,
    installation,
    publicUrl,
    walletThreads,
    apple,
    google,
    requestId: request.id,
    operation: operationOf(request),
    clientAddress: request.clientAddress,
    now: request.admittedAtMs,
    newId: (prefix) => newId(prefix, request.admittedAtMs),
    keyed: request.keyed,
    factor: request.factor,
    wait,
  }
}

/** Every spelling of the path yields the same name. */
function operationOf({ routeOptions }: FastifyRequest): string {
  const { route } = routeOptions.config
  assert(route !== undefined, 'only our own routes have handlers')
  return route.method + ' ' + route.paths[0]
}
