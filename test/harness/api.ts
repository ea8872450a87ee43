// The API on a free port over a test's own database and engine socket. The API's time is constant
// unless a test moves it.
import type { AddressInfo } from 'node:net'
import { type Logger, pino } from 'pino'
import { Credentials } from '../../api/access/credentials/credentials.ts'
import type { CallbackServices } from '../../api/billing/collection/index.ts'
import type { Processors } from '../../api/billing/processor/index.ts'
import type { BilledEnvironments } from '../../api/billing/require-billing.ts'
import { AwaitedMigrations } from '../../api/database/awaited-migrations.ts'
import { DatabaseWatchdog } from '../../api/database/database-watchdog.ts'
import type { Sql } from '../../api/database/pool.ts'
import { breakerReport } from '../../api/engine-link/breaker-report.ts'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import { dryRun } from '../../api/engine-link/dry-run.ts'
import type { NetworkPort } from '../../api/engine-link/network-port.ts'
import { waitForEngine } from '../../api/engine-link/wait-for-engine.ts'
import { createServer } from '../../api/http/server.ts'
import { Feed } from '../../api/issuing/feed/index.ts'
import { openLists, SAMPLE_LISTS } from '../../api/issuing/sanctions/lists.ts'
import type { AppleIssuer } from '../../api/passes/wallets/apple/issuer.ts'
import type { GoogleIssuer } from '../../api/passes/wallets/google/account.ts'
import { openWalletThreads } from '../../api/passes/wallets/threads.ts'
import type { ChainConfigs } from '../../api/payments/chain/chain-config.ts'
import { openSimulatedHolder } from '../../api/payments/simulation/index.ts'
import type { Services } from '../../api/routes.ts'
import { runProbes } from '../../api/webhooks/endpoints/index.ts'
import { parseCidrs } from '../../shared/address.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import {
  type MasterKeys,
  newMasterKeyText,
  parseMasterKeys,
  seal,
  unseal,
} from '../../shared/keyring.ts'
import { createLog } from '../../shared/log.ts'
import { type EngineSocket, openEngineSocket } from './engine-socket.ts'
import { patientClock } from './patient-clock.ts'
import { file, perFile } from './per-file.ts'
import { openTestDatabase } from './postgres.ts'
import { SEEDED_AT_MS, seedTenant, type TestTenant } from './tenant.ts'

export interface Call {
  key?: string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: string | Uint8Array
  headers?: { [name: string]: string }
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  body: any
}

export interface TestApi {
  url: string
  port: number
  /** Address of the test's database, for commands that read it. */
  databaseUrl: string
  sql: Sql
  engine: EngineSocket
  /** The API's time; a test moves it by assignment. */
  clock: { nowMs: number }
  /** Holds the clock of rate limits and deadlines still until the file's next test starts. */
  holdMonotonic(): void
  /** Resolves names of hosts; finds no name until a test replaces it. */
  names: { find: Services['findAddresses'] }
  /** A log that is silent until a test gives it a level. Its lines are not redacted. */
  log: Logger
  /** The lines that the log wrote. */
  lines: string[]
  /** Two tenants of the sandbox, and one of live that shares nothing with them. */
  tenant: TestTenant
  other: TestTenant
  live: TestTenant
  call(method: string, path: string, call?: Call): Promise<Answer>
}

/** The parts of an API that people and platforms of tests need. */
export type BasicApi = Pick<TestApi, 'url' | 'sql' | 'clock' | 'tenant' | 'call'>

/** Wallets that the API issues passes for, and chains that payments are settled on, if any. */
export interface Wallets {
  apple?: AppleIssuer
  google?: GoogleIssuer
  /** Absent: no environment has a chain. */
  chains?: ChainConfigs
  /** Absent: no environment is billed. */
  billed?: BilledEnvironments
  processors?: Processors
  processorSecrets?: CallbackServices['processorSecrets']
  /** Absent: loopback. */
  operatorCidrs?: Services['operatorCidrs']
  /** Absent: none. */
  trustedProxies?: Services['trustedProxies']
  /** Absent: one operator is enough. */
  twoOperators?: boolean
}

/** One API per test file, configured by the first call, with fresh tenants for each test. */
export async function startTestApi(more: Wallets = {}): Promise<TestApi> {
  const server = await openServer(more)
  server.engine.covers = true
  server.engine.breaker = null
  server.engine.asked.length = 0
  server.engine.evaluation = 503
  server.engine.evaluated.length = 0
  server.clock.nowMs = SEEDED_AT_MS + 60_000
  server.releaseMonotonic()
  server.names.find = noAddress
  server.log.level = 'silent'
  server.lines.length = 0
  return {
    ...server,
    tenant: await seedTenant(server.sql, 'sandbox'),
    other: await seedTenant(server.sql, 'sandbox'),
    live: await seedTenant(server.sql, 'live'),
    call: (method, path, call = {}) => {
      server.passSecond()
      return send(server.url + path, method, call)
    },
  }
}

interface RunningServer extends Omit<TestApi, 'tenant' | 'other' | 'live' | 'call'> {
  /**
   * Moves the clock of the rate limits by a second for each call: one address sends the calls of a
   * whole file, and that is no flood.
   */
  passSecond(): void
  releaseMonotonic(): void
}

/** The master keys as a setting of a process. */
export const MASTER_KEY_TEXT = newMasterKeyText()
const madeKeys = parseMasterKeys(MASTER_KEY_TEXT, true)
if (!madeKeys.ok) throw new Error(madeKeys.error)
/** Master keys under which the test must seal its own rows as well. */
export const MASTER_KEYS = madeKeys.value

/** The public URL that the API is configured with. */
export const PUBLIC_URL = 'https://svc.test'

/** The address at which a test reaches a URL that an answer names. */
export function reachable(api: { url: string }, url: string): string {
  return api.url + new URL(url).pathname
}

/** The secret with which the identity provider signs its callbacks. */
export const IDENTITY_SECRET = 'idsec_test'

/**
 * Milliseconds that an endpoint under certification has: a busy machine is no defect of a tenant.
 */
const PROBE_MS = 10_000

/** A page waits this long for its panels: on a busy machine they are late and not wrong. */
const PANEL_MS = 60_000

/** Synthetic sanctions lists: persons of tests match them only on purpose. */
const sample = openLists(SAMPLE_LISTS, () => {})
if (!sample.ok) throw new Error(sample.error)
export const SAMPLE = sample.value

const openServer = perFile(startServer)

async function startServer(more: Wallets): Promise<RunningServer> {
  const { sql, url: databaseUrl } = await openTestDatabase(file)
  const engine = await openEngineSocket()
  const client = createEngineClient({ socketPath: engine.path, clock: patientClock })
  const clock = { nowMs: SEEDED_AT_MS }
  const lines: string[] = []
  const names = { find: noAddress }
  const log = pino({ level: 'silent' }, { write: (line: string) => lines.push(line) })
  let passedNs = 0
  let heldNs: number | null = null
  const server = createServer(
    testServices({
      ...more,
      sql,
      client,
      log,
      masterKeys: MASTER_KEYS,
      findAddresses: (host) => names.find(host),
      clock: {
        ...systemClock,
        nowMs: () => clock.nowMs,
        monotonicNs: () => heldNs ?? systemClock.monotonicNs() + passedNs,
      },
    }),
  )
  file.teardown(async () => {
    server.server.closeAllConnections()
    await server.close()
    client.close()
    await engine.close()
  })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  const passSecond = (): void => {
    passedNs += 1e9
  }
  const holdMonotonic = (): void => {
    heldNs = systemClock.monotonicNs() + passedNs
  }
  const releaseMonotonic = (): void => {
    heldNs = null
  }
  const url = 'http://127.0.0.1:' + port
  const clocks = { clock, passSecond, holdMonotonic, releaseMonotonic }
  return { ...clocks, url, port, databaseUrl, sql, engine, names, log, lines }
}

const noAddress: Services['findAddresses'] = async () => ({ ok: false, problem: 'dns_not_found' })

/** The services that the server of a test gets, over a database and an engine's socket. */
export function testServices(
  parts: Wallets & {
    sql: Sql
    client: EngineClient
    masterKeys: MasterKeys
    clock: Clock
    /** Absent: the sandbox has no simulated holder. */
    holderUrl?: string
    /** Absent: the network port is closed. */
    networkPort?: NetworkPort
    /** Absent: silent. */
    log?: Logger
    /** Absent: no name has an address yet. */
    findAddresses?: Services['findAddresses']
  },
): Services {
  const { sql, client, masterKeys, clock, networkPort } = parts
  const holder = openSimulatedHolder(parts.holderUrl ?? null, clock)
  const log = parts.log ?? createLog({ name: 'api', level: 'silent' })
  const opened = parseCidrs('127.0.0.0/8')
  if (!opened.ok) throw new Error(opened.error)
  return {
    sql,
    migrations: new AwaitedMigrations({ sql, clock, log }),
    watch: { reason: null },
    pulse: new DatabaseWatchdog({ clock: patientClock, ask: () => sql`select 1`.then(() => true) }),
    waitUntilEngineCovers: (xid) => waitForEngine(client, xid),
    decidePayment: (message) => client.decidePayment(message),
    isApproved: async () => null,
    isReleasable: async () => null,
    withdrawalNonce: async () => 0,
    tellHolder: holder.tellHolder,
    holder,
    breakerReport: (endpointId) => breakerReport(client, endpointId),
    evaluate: (request) => dryRun(client, request),
    seal: (context, plaintext) => seal(masterKeys, context, plaintext),
    unseal: (context, sealed) => unseal(masterKeys, context, sealed),
    probe: (candidate) =>
      runProbes(candidate, { clock: systemClock, opened: opened.value, budgetMs: PROBE_MS }),
    sendToNetworkPort: async (message) => (await networkPort?.send(message)) ?? null,
    openedRanges: opened.value,
    findAddresses: parts.findAddresses ?? noAddress,
    identitySecrets: [IDENTITY_SECRET],
    lists: SAMPLE,
    installation: 'live',
    twoOperators: parts.twoOperators ?? false,
    authUrl: null,
    sendsMail: true,
    signUp: true,
    publicUrl: PUBLIC_URL,
    docsUrl: PUBLIC_URL + '/docs',
    panelMs: PANEL_MS,
    apple: parts.apple ?? null,
    google: parts.google ?? null,
    chains: parts.chains ?? { sandbox: null, live: null },
    billed: parts.billed ?? { sandbox: false, live: false },
    processors: parts.processors ?? { sandbox: null, live: null },
    processorSecrets: parts.processorSecrets ?? { sandbox: [], live: [] },
    walletThreads: openWalletThreads({ apple: parts.apple?.certificates ?? null }, log),
    // This cache hears of no changes, therefore it keeps nothing: rows that a test writes by SQL
    // count from the next call on.
    credentials: new Credentials(sql, systemClock),
    feed: new Feed({ sql, clock, log }),
    trustedProxies: parts.trustedProxies ?? [],
    operatorCidrs: parts.operatorCidrs ?? opened.value,
    tls: null,
    clock,
    log,
  }
}

export async function send(url: string, method: string, call: Call): Promise<Answer> {
  const headers: { [name: string]: string } = {}
  if (call.key !== undefined) headers['authorization'] = 'Bearer ' + call.key
  if (call.body !== undefined) headers['content-type'] = 'application/json'
  const payload = call.body === undefined ? call.raw : JSON.stringify(call.body)
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...call.headers },
    redirect: 'manual',
    // Two type libraries declare fetch and disagree about its bytes.
    ...(payload === undefined ? {} : { body: payload as string }),
  })
  const text = await (isStream(response) ? firstEvent(response) : response.text())
  const json = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json ? JSON.parse(text) : null,
  }
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type') === 'text/event-stream'
}

/** A stream has no end of its own. */
async function firstEvent({ body }: Response): Promise<string> {
  for await (const bytes of body ?? []) return Buffer.from(bytes).toString()
  return ''
}

/** The text of an error without the parts that differ in every answer. */
export function withoutRequestId(answer: Answer): string {
  return answer.text.replace(/"request_id":"req_[0-9a-z]{26}"/, '"request_id":"…"')
}
