// An engine of a story's own, for stories about time: in this process, on a directory that is thrown away, with a clock moved by
// hand. Facts come over its control socket, messages to its port, and what it decided is read from its journal: everything but
// the clock is as it always is.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import { ENGINE_SETTINGS, type EngineConfig } from '../../engine/config.ts'
import { type Engine, openEngine } from '../../engine/engine.ts'
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
import type { FactChange } from '../../shared/wire/facts.ts'
import { decodeEntry, type JournalEntry } from '../../shared/wire/journal-entry.ts'
import { type MessageChange, newMessage } from './message.ts'
import { type Answered, type Network, openNetwork } from './network.ts'
import { type OwnClock, ownClock } from './own-clock.ts'
import { OWN_CARD, ownFacts } from './own-facts.ts'

const ENTRIES_BYTES_MAX = 1_000_000
const BUDGET_MS = 1500
const SEGMENT_BYTES = 4 * 1024 * 1024

export interface OwnEngine {
  readonly clock: OwnClock
  /** Adds facts or replaces them by newer versions. */
  push(...changes: FactChange[]): Promise<void>
  /** An everyday purchase on the engine's card at the clock's time, changed as asked. */
  message(change?: MessageChange): NetworkMessage
  send(message: NetworkMessage): Promise<Answered>
  /** Everything it has written so far. */
  entries(): Promise<JournalEntry[]>
  close(): Promise<void>
}

/** Starts at a moment, with one program, cardholder and card that nothing limits. */
export async function openOwnEngine(startMs: number): Promise<OwnEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-story-'))
  const clock = ownClock(startMs)
  const keys = parseMasterKeys(newMasterKeyText(), true)
  if (!keys.ok) throw new Error(keys.error)
  const engine = await openIn(directory, clock, keys.value)
  const client = createEngineClient({
    socketPath: join(directory, 'engine.sock'),
    clock: systemClock,
  })
  await client.attach({ database_id: 'story', journal: null })
  const secret = 'nsec_' + newId('s', startMs)
  const root = Buffer.alloc(32, 5)
  const facts = ownFacts(deriveKeys(root, encodeId))
  await copyFacts(client, [
    { type: 'root', id: 'root', version: 1, sealed: seal(keys.value, SEAL_CONTEXTS.root, root) },
    {
      type: 'network_key',
      id: 'nkey_story',
      version: 1,
      network: 'simnet',
      environment: 'sandbox',
      sealed_secret: seal(keys.value, SEAL_CONTEXTS.networkSecret, secret),
    },
    ...facts,
  ])
  const network = openNetwork(
    {
      engine_url: 'http://127.0.0.1:' + engine.port,
      network: { key_id: 'nkey_story', secret },
    },
    clock,
    1,
  )
  return ownEngineOf({ directory, clock, engine, client, network })
}

interface Parts {
  directory: string
  clock: OwnClock
  engine: Engine
  client: EngineClient
  network: Network
}

function ownEngineOf({ directory, clock, engine, client, network }: Parts): OwnEngine {
  return {
    clock,
    async push(...changes) {
      const base = (await client.status()).facts_cursor
      const cursor = cursorAfter(base)
      await client.pushFacts({ database_id: 'story', step: 'change', base, changes, cursor })
    },
    message(change = {}) {
      const context = { now: clock.nowMs(), currency: OWN_CARD.currency }
      return newMessage({ token: OWN_CARD.token }, context, change)
    },
    send: (message) => network.send(message),
    async entries() {
      const { synced_seq: last } = await client.status()
      const entries: JournalEntry[] = []
      while (entries.length < last) {
        const page = await client.journal(entries.length + 1, ENTRIES_BYTES_MAX)
        entries.push(...page.entries.map(decodeEntry))
      }
      return entries
    },
    async close() {
      network.close()
      await client.close()
      await engine.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The first copy of the facts. */
async function copyFacts(client: EngineClient, changes: readonly FactChange[]): Promise<void> {
  const resync = { database_id: 'story', base: 'story' }
  await client.pushFacts({ ...resync, step: 'begin', changes: [], cursor: null })
  await client.pushFacts({ ...resync, step: 'part', changes, cursor: null })
  await client.pushFacts({ ...resync, step: 'commit', changes: [], cursor: cursorAfter(null) })
}

/** A `pg_snapshot` one transaction later. */
function cursorAfter(cursor: string | null): string {
  const next = Number(cursor?.split(':')[0] ?? 0) + 1
  return next + ':' + next + ':'
}

async function openIn(directory: string, clock: OwnClock, keys: MasterKeys): Promise<Engine> {
  const opened = await openEngine({
    clock,
    log: createLog({ name: 'engine', level: 'silent' }),
    build: 'story',
    onFatal(reason) {
      throw new Error(reason)
    },
    config: {
      journalDir: join(directory, 'journal'),
      factsDir: join(directory, 'facts'),
      socketPath: join(directory, 'engine.sock'),
      iso: null,
      tls: null,
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
      SVC_AUTH_BUDGET_MS: String(BUDGET_MS),
      SVC_JOURNAL_SEGMENT_BYTES: String(SEGMENT_BYTES),
    },
    ENGINE_SETTINGS,
  )
  if (!read.ok) throw new Error(read.error.join(' '))
  // Any port that is free: a setting always names one.
  return { ...read.value, SVC_ENGINE_PORT: 0 }
}
