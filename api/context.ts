// What a handler is given: the request's own facts, and the parts of the process it may use. Built once per request.
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
import type { BreakerReport, EvaluateAnswer, EvaluateRequest } from '../shared/wire/control.ts'
import type { Environment } from '../shared/wire/facts.ts'
import type { ClockWatch } from './clock-watch.ts'
import type { Credentials } from './credentials/credentials.ts'
import type { AwaitedMigrations } from './database/awaited-migrations.ts'
import type { Sql } from './database/pool.ts'
import type { Pulse, Wait } from './database/pulse.ts'
import type { NetworkPort } from './engine-link/network-port.ts'
import type { KeyedCall } from './kept-answer.ts'
import type { Lists } from './partners/sanctions/lists.ts'
import type { ApprovedCall } from './resources/factors/index.ts'
import type { Candidate, Found } from './resources/webhook-endpoints/index.ts'
import type { AppleIssuer } from './wallets/apple/issuer.ts'
import type { GoogleIssuer } from './wallets/google/account.ts'
import type { WalletThreads } from './wallets/threads.ts'

/** Whose rows. Both parts stand in every statement: sandbox and live never see each other. */
export interface Owner {
  tenantId: string
  environment: Environment
}

/** Who is calling, as the key says. */
export interface Principal extends Owner {
  keyId: string
  role: KeyRole
  scope: KeyScope
  /** The date-style version the tenant is pinned to. Spec 9. */
  apiVersion: string
  /** How far the tenant's sandbox clock is ahead, in milliseconds; 0 in live. */
  clockOffsetMs: number
}

/** The parts of the process a request may use. `main.ts` builds them, tests build their own. */
export interface Services {
  sql: Sql
  /** Nothing is asked of the database before it has them all. */
  migrations: AwaitedMigrations
  /** Whether the clock may be believed; every call waits while it may not. */
  watch: Pick<ClockWatch, 'reason'>
  /** Nobody waits longer for a database that says nothing. */
  pulse: Pulse
  /** True as soon as the engine decides by that transaction; false when it did not within ENGINE_COVER_MS_MAX. */
  engineCovers: (xid: bigint) => Promise<boolean>
  /** What the engine would decide now, or null while it does not say. */
  evaluate: (request: EvaluateRequest) => Promise<EvaluateAnswer | null>
  /** Secrets at rest, under the installation's master keys. */
  seal: (context: string, plaintext: string) => string
  unseal: Unseal
  /** The circuit breaker of an endpoint; null when the engine does not answer at once. */
  breakerReport: (endpointId: string) => Promise<BreakerReport | null>
  /** Sends the probes of a certification. */
  probe: (candidate: Candidate) => Promise<Found>
  /** Sends a message as the card network of the sandbox does. */
  sendToNetworkPort: NetworkPort['send']
  /** Private ranges tenant endpoints may use. */
  openedRanges: readonly Cidr[]
  /** The addresses of a host that tenant endpoints may use, or why it has none. */
  findAddresses: AddressBook['find']
  /** With which the identity provider signs its callbacks; none: it is not listened to. */
  identitySecrets: readonly string[]
  /** Whom cardholders may not be. */
  lists: Lists
  /** Base URL of the pages that people open; null: `publicUrl`. */
  authUrl: string | null
  /** Where our pages of reference are, without a slash at its end; from its root on where our address is not known. */
  docsUrl: string
  /** Where holders of passes and their devices reach us, without a slash at its end. */
  publicUrl: string
  /** Who draws barcodes, reads images and signs passes. */
  walletThreads: WalletThreads
  /** As whom passes are signed for Apple's wallet; null: there are none. */
  apple: AppleIssuer | null
  /** As whom we speak with Google's wallet; null: no passes go there. */
  google: GoogleIssuer | null
  /** A sandbox installation opens to no live key; a live one serves both. */
  installation: Environment
  /** What is known of the credentials in use. */
  credentials: Credentials
  /** Whose X-Forwarded-For is believed. */
  trustedProxies: readonly Cidr[]
  /** Fewer connections than the process could hold, for tests. */
  connectionLimits?: SlotLimits
  /** PEM texts of the server's certificate and key; null: it speaks without TLS. */
  tls: { cert: string; key: string } | null
  clock: Clock
  log: Logger
}

/** What every handler is given, whoever calls. */
/** What only the server itself needs. */
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
  /** Where the request came from; null where that cannot be told. */
  clientAddress: string | null
  /** The moment the request was admitted: the only time a handler knows. */
  now: EpochMs
  /** A fresh id. It is made from the installation's time: ids keep their order whatever a tenant's clock says. */
  newId(prefix: string): string
  /** For write(): the Idempotency-Key the call came with. */
  keyed: KeyedCall | null
  /** For write(), and for whoever writes down what happened: the approval of a call that needs a second factor. */
  factor: ApprovedCall | null
  /** For write(): how long the caller waits for the database. */
  wait: Wait
}

/** A tenant calls: `now` is the moment by the tenant's clock. */
export interface Context extends CallContext {
  principal: Principal
}

/** An operator of the installation calls: `now` is the installation's time, and no tenant is meant unless the input names it. */
export interface OperatorContext extends CallContext {
  operatorId: string
}

/** Whoever calls; `'operatorId' in context` tells them apart. */
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
  const { sql, engineCovers, breakerReport, probe, evaluate, seal, unseal, openedRanges } = services
  const { lists, sendToNetworkPort, installation, findAddresses } = services
  const { publicUrl, walletThreads, apple, google } = services
  return {
    sql,
    engineCovers,
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

/** One name whichever spelling of the path was called. */
function operationOf({ routeOptions }: FastifyRequest): string {
  const { route } = routeOptions.config
  assert(route !== undefined, 'only our own routes have handlers')
  return route.method + ' ' + route.paths[0]
}
