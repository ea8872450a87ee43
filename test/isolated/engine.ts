// An engine of a story's own, for stories about time: in this process, on a temporary directory,
// with a clock moved by hand. Config records come over its control socket, messages to its port,
// and its decisions are read from its journal: everything but the clock is as usual.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import type { EngineConfig } from '../../engine/config.ts'
import { type Engine, openEngine } from '../../engine/engine.ts'
import { ENGINE_SETTINGS } from '../../engine/setting-names.ts'
import { type MessageChange, type NetworkCard, newMessage } from '../../scripts/simulate/message.ts'
import { type Answered, type Network, openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { encodeId, newId } from '../../shared/id.ts'
import {
  deriveKeys,
  type MasterKeys,
  newMasterKeyText,
  parseMasterKeys,
  SEAL_CONTEXTS,
  seal,
} from '../../shared/keyring.ts'
import { createLog } from '../../shared/log.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { readSettings } from '../../shared/settings.ts'
import type { CardConfig, ConfigChange } from '../../shared/wire/config-records.ts'
import { type OwnClock, ownClock } from './clock.ts'
import { isolatedConfig, OWN_CARD, ownPrinted, type PrintedCard } from './config.ts'
import { OwnHistory } from './history.ts'

const ENTRIES_BYTES_MAX = 1_000_000
/** Messages that are on their way at once, at most. */
const CONNECTIONS = 8
/** By then whatever a story left open is over. */
const LEFT_OPEN_MS_MAX = 10_000
const BUDGET_MS = 1500
const NETWORK_KEY = 'nkey_story'
const DATABASE = 'story'
const ROOT = Buffer.alloc(32, 5)
const SEGMENT_BYTES = 1024 * 1024

export interface OwnEngine {
  readonly clock: OwnClock
  /** The first config record of the card, with the details that the network reads from it. */
  readonly card: CardConfig
  readonly printed: PrintedCard
  /** Returns the PIN verifier for the config record of a card. */
  pinVerifier(pin: string): string
  /** Returns a secret as an endpoint's config record carries it. */
  sealedSecret(secret: string): string
  /** Adds config records or replaces them by newer versions. */
  push(...changes: ConfigChange[]): Promise<void>
  /** An everyday purchase on the engine's card at the clock's time, changed as asked. */
  message(change?: OwnChange): NetworkMessage
  send(message: NetworkMessage): Promise<Answered>
  /** Moves the clock, and waits until the entries that came due on the way are written. */
  pass(moment: number): Promise<void>
  /** Everything it has written so far. */
  history(): Promise<OwnHistory>
  /** Stops, and starts again at a later moment on its own files. */
  away(moment: number): Promise<void>
  close(): Promise<void>
}

/** An everyday purchase changed; `card` replaces the engine's own. */
export type OwnChange = MessageChange & { card?: NetworkCard }

/** Starts at a moment, with one program, cardholder and card that nothing limits. */
export async function openOwnEngine(startMs: number): Promise<OwnEngine> {
  const keys = parseMasterKeys(newMasterKeyText(), true)
  if (!keys.ok) throw new Error(keys.error)
  const place: Place = {
    directory: mkdtempSync(join(tmpdir(), 'svc-story-')),
    clock: ownClock(startMs),
    keys: keys.value,
    secret: 'nsec_' + newId('s', startMs),
  }
  const derivation = deriveKeys(ROOT, encodeId)
  const configCache = isolatedConfig(derivation)
  const [, , card] = configCache
  const listeners = await openListeners(place)
  await copyConfig(listeners.client, [...keyConfig(place), ...configCache])
  return {
    clock: place.clock,
    card,
    printed: ownPrinted(derivation),
    pinVerifier: (pin) => derivation.pinVerifier(card.fingerprint, pin),
    sealedSecret: (text) => seal(place.keys, SEAL_CONTEXTS.webhookSecret, text),
    ...throughListeners(place.clock, listeners),
    async away(moment) {
      await shut(place.clock, listeners)
      place.clock.moveTo(moment)
      Object.assign(listeners, await openListeners(place))
    },
    async close() {
      await shut(place.clock, listeners)
      rmSync(place.directory, { recursive: true, force: true })
    },
  }
}

interface Place {
  directory: string
  clock: OwnClock
  keys: MasterKeys
  /** With which the network signs. */
  secret: string
}

interface Listeners {
  engine: Engine
  client: EngineClient
  network: Network
}

async function openListeners({ directory, clock, keys, secret }: Place): Promise<Listeners> {
  const engine = await openIn(directory, clock, keys)
  const client = createEngineClient({
    socketPath: join(directory, 'engine.sock'),
    clock: systemClock,
  })
  await client.attach({ database_id: DATABASE, journal: null })
  await client.databaseSays(Math.round(clock.nowMs()))
  const sandbox = {
    engine_url: 'http://127.0.0.1:' + engine.port,
    network: { key_id: NETWORK_KEY, secret },
  }
  return { engine, client, network: openNetwork(sandbox, clock, CONNECTIONS) }
}

async function shut(clock: OwnClock, { engine, client, network }: Listeners): Promise<void> {
  network.close()
  client.close()
  const stopped = engine.stop()
  // Messages that a story left open would otherwise wait for a clock that nobody moves any more.
  clock.moveTo(clock.nowMs() + LEFT_OPEN_MS_MAX)
  await stopped
}

/** `listeners` are other ones after a restart. */
function throughListeners(
  clock: OwnClock,
  listeners: Listeners,
): Pick<OwnEngine, 'push' | 'message' | 'send' | 'pass' | 'history'> {
  const message = (change: OwnChange = {}): NetworkMessage => {
    const context = { now: clock.nowMs(), currency: OWN_CARD.currency }
    return newMessage(change.card ?? { token: OWN_CARD.token }, context, change)
  }
  return {
    message,
    async push(...changes) {
      const base = (await listeners.client.status()).facts_cursor
      const cursor = cursorAfter(base)
      const push = { database_id: DATABASE, step: 'change', base, changes, cursor } as const
      await listeners.client.pushConfig(push)
    },
    send: (sent) => listeners.network.send(sent),
    async pass(moment) {
      clock.moveTo(moment)
      // An answer leaves when everything before it is on disk. This one concerns an unknown card.
      await listeners.network.send(message({ card: { token: 'ctok_nobody' } }))
    },
    async history() {
      const { synced_seq: last } = await listeners.client.status()
      const entries: Buffer[] = []
      while (entries.length < last) {
        const page = await listeners.client.journal(entries.length + 1, ENTRIES_BYTES_MAX)
        entries.push(...page.entries)
      }
      return new OwnHistory(entries)
    },
  }
}

/** The keys behind signatures and fingerprints. */
function keyConfig({ keys, secret }: Place): ConfigChange[] {
  return [
    { type: 'root', id: 'root', version: 1, sealed: seal(keys, SEAL_CONTEXTS.root, ROOT) },
    {
      type: 'network_key',
      id: NETWORK_KEY,
      version: 1,
      network: 'simnet',
      environment: 'sandbox',
      sealed_secret: seal(keys, SEAL_CONTEXTS.networkSecret, secret),
    },
  ]
}

/** The first copy of the config records. */
async function copyConfig(client: EngineClient, changes: readonly ConfigChange[]): Promise<void> {
  const resync = { database_id: DATABASE, base: 'story' }
  await client.pushConfig({ ...resync, step: 'begin', changes: [], cursor: null })
  await client.pushConfig({ ...resync, step: 'part', changes, cursor: null })
  await client.pushConfig({ ...resync, step: 'commit', changes: [], cursor: cursorAfter(null) })
}

/** A `pg_snapshot` one transaction later. */
function cursorAfter(cursor: string | null): string {
  const next = Number(cursor?.split(':')[0] ?? 0) + 1
  return next + ':' + next + ':'
}

async function openIn(directory: string, clock: OwnClock, keys: MasterKeys): Promise<Engine> {
  const opened = await openEngine({
    clock,
    machine: { bootId: 'story', uptimeMs: () => clock.monotonicNs() / 1e6 },
    log: createLog({ name: 'engine', level: 'silent' }),
    build: 'story',
    onFatal(reason) {
      throw new Error(reason)
    },
    config: {
      journalDir: join(directory, 'journal'),
      shard: null,
      shardDir: directory,
      configCacheDir: join(directory, 'facts'),
      socketPath: join(directory, 'engine.sock'),
      iso: null,
      tls: null,
      member: null,
      misspelt: [],
      traceShare: null,
      loadKeys: () => ({ ok: true, value: keys }),
      reloadKeys: () => ({ ok: true, value: keys }),
      settings: settingsOf(directory),
    },
  })
  if (!opened.ok) throw new Error(opened.error)
  return opened.value
}

function settingsOf(directory: string): EngineConfig['settings'] {
  const read = readSettings(
    {
      SVC_DATA_DIR: directory,
      SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      SVC_AUTH_BUDGET_MS: String(BUDGET_MS),
      SVC_JOURNAL_SEGMENT_BYTES: String(SEGMENT_BYTES),
    },
    ENGINE_SETTINGS,
  )
  if (!read.ok) throw new Error(read.error.join(' '))
  // Any port that is free: a setting always names one.
  return { ...read.value, SVC_ENGINE_PORT: 0 }
}
