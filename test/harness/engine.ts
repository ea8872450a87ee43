// A whole engine for tests: real port, real journal, real LMDB, config records pushed over its real
// control socket. Runs in the test's process; its tenants are played by test/fakes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import { type Engine, openEngine } from '../../engine/engine.ts'
import type { IsoConfig } from '../../engine/iso-config.ts'
import type { Tls } from '../../engine/listeners/tls.ts'
import { parseCidrs } from '../../shared/address.ts'
import { type Clock, sleep, systemClock } from '../../shared/clock.ts'
import type { Machine } from '../../shared/clock-anchor.ts'
import { encodeId, newId } from '../../shared/id.ts'
import {
  deriveKeys,
  newMasterKeyText,
  parseMasterKeys,
  SEAL_CONTEXTS,
  seal,
} from '../../shared/keyring.ts'
import { createLog } from '../../shared/log.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import { signatureHeader } from '../../shared/signature.ts'
import type {
  CardConfig,
  CardholderConfig,
  ConfigChange,
  EndpointConfig,
  ProgramConfig,
} from '../../shared/wire/config-records.ts'
import { decodeEntry, type JournalEntry } from '../../shared/wire/journal-entry.ts'
import { judgedConfig } from './judged.ts'
import type { Teardown } from './postgres.ts'
import { SEGMENT_BYTES } from './segment-bytes.ts'

export const NETWORK_SECRET = 'nsec_dGVzdA'
export const TENANT_SECRET = 'whsec_dGVzdA=='
export const PAN = '9999990000000000'
const REPEATS_MAX = 50

/** For an engine in a process of its own. */
export const MASTER_KEY_TEXT = newMasterKeyText()
const masterKeys = parseMasterKeys(MASTER_KEY_TEXT, true)
if (!masterKeys.ok) throw new Error(masterKeys.error)
export const ENGINE_KEYS = masterKeys.value
const keys = ENGINE_KEYS
const root = Buffer.alloc(32, 3)
export const derivation = deriveKeys(root, encodeId)

/** A secret sealed as the config records carry it. */
export function sealed(context: string, secret: string): string {
  return seal(keys, context, secret)
}

export interface TestEngine {
  url: string
  isoPort: number
  directory: string
  client: EngineClient
  /** Sends a message as the network does and returns status and body. */
  send(
    message: unknown,
    change?: { headers?: Record<string, string>; secret?: string; nowS?: number },
  ): Promise<{ status: number; text: string }>
  /** Sends a well-formed purchase on the test's card and returns the answer. */
  purchase(change?: Partial<NetworkMessage>): Promise<NetworkAnswer>
  /** Pushes changes; existing config records stay. */
  push(...changes: ConfigChange[]): Promise<void>
  /** Every entry of the journal. */
  entries(): Promise<JournalEntry[]>
  stop(): Promise<void>
  /** Stops and starts on the same directory. */
  restart(): Promise<TestEngine>
}

export interface EngineOptions {
  directory?: string
  clock?: Clock
  budgetMs?: number
  snapshotEntries?: number
  segmentBytes?: number
  /** Settings of the ISO 8583 port, which is open in every test engine. */
  iso?: Partial<IsoConfig>
  tls?: Tls
  /** One of several shards. */
  shard?: string
  /** A real link attaches it to its own database. */
  unattached?: true
  /** Absent: it throws. */
  onFatal?: (reason: string) => void
  /** Absent: one whose running time goes on as the clock does. */
  machine?: Machine
  /**
   * The database's clock at the start; absent: equal to the engine's; null: the engine is never
   * told.
   */
  databaseMs?: (() => number) | null
}

function raise(reason: string): never {
  throw new Error(reason)
}

export async function startEngine(t: Teardown, options: EngineOptions = {}): Promise<TestEngine> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'svc-engine-'))
  const cidrs = parseCidrs('127.0.0.0/8')
  if (!cidrs.ok) throw new Error(cidrs.error)
  const clock = options.clock ?? systemClock
  const opened = await openEngine({
    clock,
    machine: options.machine ?? { bootId: 'test', uptimeMs: () => clock.nowMs() },
    log: createLog({ name: 'engine', level: 'silent' }),
    build: 'test',
    onFatal: options.onFatal ?? raise,
    config: {
      journalDir: join(directory, 'journal'),
      shard: options.shard ?? null,
      shardDir: directory,
      configCacheDir: join(directory, 'facts'),
      socketPath: join(directory, 'engine.sock'),
      iso: { port: 0, networkKeyId: 'nk_1', tls: null, ...options.iso },
      member: null,
      tls: options.tls ?? null,
      misspelt: [],
      traceShare: null,
      loadKeys: () => ({ ok: true, value: keys }),
      reloadKeys: () => ({ ok: true, value: keys }),
      settings: {
        SVC_DATA_DIR: directory,
        SVC_ENGINE_HOST: '127.0.0.1',
        SVC_ENGINE_PORT: 0,
        SVC_ENGINE_SOCKET: null,
        SVC_ENGINE_TLS_CERT: null,
        SVC_ENGINE_TLS_KEY: null,
        SVC_ENGINE_TLS_CLIENT_CA: null,
        SVC_ENGINE_TLS_CLIENTS: [],
        SVC_ENGINE_ALLOW_CIDRS: [],
        SVC_AUTH_BUDGET_MS: options.budgetMs ?? 1500,
        SVC_WEBHOOK_ALLOW_CIDRS: cidrs.value,
        SVC_MASTER_KEY: keys,
        SVC_ENVIRONMENT: 'sandbox',
        SVC_JOURNAL_SEGMENT_BYTES: options.segmentBytes ?? SEGMENT_BYTES,
        SVC_TRACES_URL: null,
        SVC_TRACES_SHARE: 1,
        SVC_SNAPSHOT_ENTRIES: options.snapshotEntries ?? 1_000_000,
        SVC_LOG_LEVEL: 'fatal',
      },
    },
  })
  if (!opened.ok) throw new Error(opened.error)
  const engine = testEngine(t, opened.value, directory, options)
  if (options.unattached) return engine
  await engine.client.attach({ database_id: 'test', journal: null })
  if (options.databaseMs !== null)
    await engine.client.databaseSays(Math.round(options.databaseMs?.() ?? clock.nowMs()))
  return engine
}

function testEngine(
  t: Teardown,
  engine: Engine,
  directory: string,
  options: EngineOptions,
): TestEngine {
  const url = 'http://127.0.0.1:' + engine.port
  const client = createEngineClient({
    socketPath: join(directory, 'engine.sock'),
    clock: systemClock,
  })
  let running = true
  const stop = async (): Promise<void> => {
    if (!running) return
    running = false
    await client.close()
    await engine.stop()
  }
  t.teardown(async () => {
    await stop()
    rmSync(directory, { recursive: true, force: true })
  })
  const send: TestEngine['send'] = async (message, change = {}) => {
    const body = typeof message === 'string' ? message : JSON.stringify(message)
    const signed = signatureHeader(
      [change.secret ?? NETWORK_SECRET],
      change.nowS ?? Math.floor(Date.now() / 1000),
      body,
    )
    const response = await fetch(url + '/v1/network/messages', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'svc-signature': signed, ...change.headers },
      body,
    })
    return { status: response.status, text: await response.text() }
  }
  return {
    url,
    isoPort: engine.isoPort ?? 0,
    directory,
    client,
    send,
    stop,
    async purchase(change = {}) {
      const message = { ...newMessage(), ...change }
      for (let attempt = 1; ; attempt++) {
        const { status, text } = await send(message)
        if (status === 200) return JSON.parse(text)
        // Overload is no decision: a network repeats the message.
        if (status !== 503 || attempt === REPEATS_MAX) throw new Error(status + ' ' + text)
        await sleep(50)
      }
    },
    async push(...changes) {
      const base = (await client.status()).facts_cursor
      const cursor = nextCursor(base)
      await client.pushConfig({ database_id: 'test', step: 'change', base, changes, cursor })
    },
    async entries() {
      const status = await client.status()
      const entries: JournalEntry[] = []
      while (entries.length < status.synced_seq) {
        const page = await client.journal(entries.length + 1, 1_000_000)
        entries.push(...page.entries.map(decodeEntry))
      }
      return entries
    },
    async restart() {
      await stop()
      return startEngine(t, { ...options, directory })
    },
  }
}

/**
 * The first copy of the configuration: root, network key, one program, cardholder and card, changed
 * as told.
 */
export async function pushConfig(
  engine: Pick<TestEngine, 'client'>,
  change: ConfigCacheChange = {},
): Promise<void> {
  const base = judgedConfig()
  const changes: ConfigChange[] = [
    { type: 'root', id: 'root', version: 1, sealed: seal(keys, SEAL_CONTEXTS.root, root) },
    {
      type: 'network_key',
      id: 'nk_1',
      version: 1,
      network: 'simnet',
      environment: 'sandbox',
      sealed_secret: seal(keys, SEAL_CONTEXTS.networkSecret, NETWORK_SECRET),
    },
    { ...base.program, ...change.program },
    { ...base.cardholder, ...change.cardholder },
    cardConfig(change.card),
    ...(change.more ?? []),
  ]
  const { facts_cursor: before } = await engine.client.status()
  const resync = { database_id: 'test', base: newId('resync', Date.now()) }
  await engine.client.pushConfig({ ...resync, step: 'begin', changes: [], cursor: null })
  await engine.client.pushConfig({ ...resync, step: 'part', changes, cursor: null })
  await engine.client.pushConfig({
    ...resync,
    step: 'commit',
    changes: [],
    cursor: nextCursor(before),
  })
}

/** A `pg_snapshot` one transaction later. */
function nextCursor(cursor: string | null): string {
  const next = Number(cursor?.split(':')[0] ?? 0) + 1
  return next + ':' + next + ':'
}

export interface ConfigCacheChange {
  program?: Partial<ProgramConfig>
  cardholder?: Partial<CardholderConfig>
  card?: Partial<CardConfig>
  more?: ConfigChange[]
}

export function cardConfig(change: Partial<CardConfig> = {}): CardConfig {
  const fingerprint = derivation.fingerprint(PAN)
  return {
    ...judgedConfig().card,
    fingerprint,
    cvc_verifier: derivation.cvcVerifier(fingerprint, derivation.cvc(PAN, 12, 2034)),
    ...change,
  }
}

export function endpointConfig(url: string): EndpointConfig {
  return {
    type: 'endpoint',
    id: 'we_1',
    version: 1,
    tenant_id: 'ten_1',
    environment: 'sandbox',
    url,
    status: 'enabled',
    sealed_secrets: [sealedSecret(TENANT_SECRET)],
  }
}

/** A secret as an endpoint's config record carries it. */
export function sealedSecret(secret: string): string {
  return seal(keys, SEAL_CONTEXTS.webhookSecret, secret)
}

export function newMessage(change: Partial<NetworkMessage> = {}): NetworkMessage {
  const id = newId('msg', Date.now())
  return {
    id,
    kind: 'authorization',
    transmitted_at: new Date().toISOString(),
    network_transaction_id: 'n' + id,
    card: { pan: PAN, exp_month: 12, exp_year: 2034, cvc: derivation.cvc(PAN, 12, 2034) },
    amount_cents: 1000,
    currency: 'USD',
    merchant: { id: 'm-1', name: 'Shop', mcc: '5411', city: 'Springfield', country: 'US' },
    entry_method: 'chip',
    partial_approval_capable: false,
    ...change,
  }
}
