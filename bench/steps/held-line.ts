// The authorization line in one process, without sockets and without a disk: the real config cache
// in LMDB, the real state, and the real entries laid out and summed as batches of the journal. The
// HTTP server and the device are missing.
import { type AuthorizationLine, openAuthorizationLine } from '../../engine/authorize.ts'
import { type ConfigCache, openConfigCache } from '../../engine/config-cache/config-cache.ts'
import { BATCH_BYTES_MAX } from '../../engine/journal/batch.ts'
import { BatchQueue } from '../../engine/journal/batch-queue.ts'
import type { DecisionLog } from '../../engine/journal/decision-log.ts'
import type { Page } from '../../engine/journal/read-page.ts'
import type { Line, NetworkKey } from '../../engine/line/line.ts'
import type { SignedMessage } from '../../engine/line/receive.ts'
import { forwardClock } from '../../engine/line-clock.ts'
import { Metrics } from '../../engine/metrics.ts'
import { emptyState } from '../../engine/state/decision-state.ts'
import { Breakers } from '../../engine/tenant/breaker.ts'
import { type Clock, systemClock, unixSeconds } from '../../shared/clock.ts'
import { encodeId, newIdBytes } from '../../shared/id.ts'
import { type Derivation, deriveKeys } from '../../shared/keyring.ts'
import { createLog } from '../../shared/log.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { type HeldCard, heldCard, type Population, populate } from './population.ts'

const KEY: NetworkKey = {
  id: 'nkey_bench',
  network: 'simnet',
  environment: 'sandbox',
  secret: 'nsec_YmVuY2g',
}
/** Messages whose entries share a sync, as under load. */
const SYNC_EVERY = 64
const log = createLog({ name: 'bench', level: 'silent' })
const forward = forwardClock(systemClock, 0)
const NOW_MS = forward.nowMs()
/**
 * The line reads this clock as often as the real one, but its time stands still: on a busy machine
 * no decision may become late.
 */
const clock: Clock = {
  ...forward,
  nowMs: () => Math.min(forward.nowMs(), NOW_MS),
}

export interface HeldLine {
  readonly line: Line
  /** Decides these messages and answers every one of them. */
  decide(messages: readonly SignedMessage[]): void
  /** Answers by status. */
  readonly answers: { [status: string]: number }
  /** Answers that approve. */
  readonly approved: number
  /** The bytes of the entry that was journaled last. */
  readonly latestEntry: Buffer
  /** Signed messages that were not sent before; the cards take turns, by token or by number. */
  messages(count: number, by: 'token' | 'pan'): SignedMessage[]
  close(): Promise<void>
}

/**
 * Opens an authorization line over the config records of such a population, in an empty directory.
 */
export async function openHeldLine(directory: string, population: Population): Promise<HeldLine> {
  const configCache = openConfigCache({ directory, clock: systemClock, log, onFailed: raise })
  const derivation = deriveKeys(Buffer.alloc(32, 1), encodeId)
  await populate(configCache, population, { derivation })
  const journal = new MemoryLog((seq) => authorization.synced(seq))
  const line = lineOf(configCache, derivation, journal)
  const authorization = openAuthorizationLine(line)
  return new Held({ line, authorization, journal, configCache, derivation, population })
}

interface HeldParts {
  line: Line
  authorization: AuthorizationLine
  journal: MemoryLog
  configCache: ConfigCache
  derivation: Derivation
  population: Population
}

class Held implements HeldLine {
  readonly line: Line
  readonly answers: { [status: string]: number } = {}
  approved = 0
  readonly #parts: HeldParts
  readonly #reply = {
    send: (status: number, body: string): void => {
      this.answers[status] = (this.answers[status] ?? 0) + 1
      if (body.includes('"approved":true')) this.approved += 1
    },
  }
  #sent = 0

  constructor(parts: HeldParts) {
    this.line = parts.line
    this.#parts = parts
  }

  get latestEntry(): Buffer {
    return Buffer.from(this.#parts.journal.latest)
  }

  decide(messages: readonly SignedMessage[]): void {
    const { authorization, journal } = this.#parts
    let waiting = 0
    for (const message of messages) {
      authorization.authorize(message)
      waiting += 1
      if (waiting === SYNC_EVERY) {
        journal.sync()
        waiting = 0
      }
    }
    journal.sync()
  }

  messages(count: number, by: 'token' | 'pan'): SignedMessage[] {
    const { population, derivation } = this.#parts
    const receivedAtMs = NOW_MS
    const receivedNs = systemClock.monotonicNs()
    return Array.from({ length: count }, () => {
      const number = this.#sent++
      // The cards take turns in an order that no cache predicts.
      const held = heldCard((number * STRIDE) % population.cards, derivation)
      const body = Buffer.from(bodyOf(number, held, by, receivedAtMs))
      const signature = signatureHeader([KEY.secret], unixSeconds(receivedAtMs), body)
      return { signature, keyId: KEY.id, body, receivedAtMs, receivedNs, reply: this.#reply }
    })
  }

  close(): Promise<void> {
    return this.#parts.configCache.close()
  }
}

/** A prime divides no number of cards. */
const STRIDE = 7_368_787

function bodyOf(number: number, held: HeldCard, by: 'token' | 'pan', now: number): string {
  const { token, ...printed } = held
  return JSON.stringify({
    id: 'msg_bench_' + number,
    kind: 'authorization',
    transmitted_at: new Date(now).toISOString(),
    network_transaction_id: 'ntx_bench_' + number,
    card: by === 'token' ? { token } : printed,
    amount_cents: 100 + (number % 900),
    currency: 'USD',
    entry_method: 'contactless',
    partial_approval_capable: false,
    merchant: {
      id: 'm-' + (number % 50),
      name: 'Corner Grocery',
      mcc: '5411',
      city: 'Portland',
      country: 'US',
    },
  })
}

function lineOf(configCache: ConfigCache, derivation: Derivation, journal: DecisionLog): Line {
  return {
    clock,
    budgetMs: 1500,
    build: 'bench',
    shard: null,
    configCache,
    secrets: {
      derivation: () => derivation,
      networkKeys: () => KEYS,
      endpointSecrets: () => [],
    },
    state: emptyState(),
    journal,
    tenants: { inFlight: () => 0, close: async () => {}, call: () => raise('nobody is asked') },
    breakers: new Breakers(),
    metrics: new Metrics(),
    log,
    logsDecisions: false,
    newTransactionId(now) {
      const bytes = newIdBytes(now)
      return { text: 'txn_' + encodeId(bytes), bytes }
    },
    unready: () => null,
    stop: raise,
  }
}

const KEYS = [KEY]

/**
 * The log without its device: it lays entries out as batches, sums them as for a segment, and
 * discards them.
 */
class MemoryLog implements DecisionLog {
  readonly journalId = 'jrn_' + '0'.repeat(26)
  readonly epoch = 1
  readonly oldestSeq = 0
  readonly writable = true
  lastSeq = 0
  syncedSeq = 0
  readonly #latest = Buffer.alloc(BATCH_BYTES_MAX)
  #latestBytes = 0
  readonly #journal = Buffer.alloc(16)
  readonly #queue = new BatchQueue({ batchBytesMax: BATCH_BYTES_MAX, clock })
  readonly #onSynced: (seq: number) => void

  constructor(onSynced: (seq: number) => void) {
    this.#onSynced = onSynced
  }

  /** The entry that was appended last. */
  get latest(): Buffer {
    return this.#latest.subarray(0, this.#latestBytes)
  }

  get waiting(): number {
    return this.lastSeq - this.syncedSeq
  }

  /**
   * The line calls it as often as on the real log, but nothing is ever overdue, because other
   * processes may take the processor for long.
   */
  get waitingMs(): number {
    const oldest = this.#queue.head
    return oldest === undefined ? 0 : Math.min(clock.monotonicNs() - oldest.sinceNs, 0)
  }

  append(bytes: Buffer): number {
    this.lastSeq += 1
    this.#latest.set(bytes)
    this.#latestBytes = bytes.length
    this.#queue.add(bytes, this.lastSeq)
    return this.lastSeq
  }

  sync(): void {
    for (let batch = this.#queue.take(); batch !== undefined; batch = this.#queue.take()) {
      batch.seal(this.#journal, this.epoch)
      this.syncedSeq = batch.firstSeq + batch.count - 1
      this.#queue.release(batch)
    }
    this.#onSynced(this.syncedSeq)
  }

  read(): Promise<Page> {
    return Promise.reject(new Error('nothing is kept'))
  }

  trim(): void {}

  close(): Promise<void> {
    return Promise.resolve()
  }
}

function raise(reason: string): never {
  throw new Error(reason)
}
