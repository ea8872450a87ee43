// One authorization line with its surroundings played: a clock moved by hand, a simulated journal,
// the config records of one card, a tenant that answers as the test says. The code is that of
// production and nothing waits.
import { type AuthorizationLine, openAuthorizationLine } from '../../engine/authorize.ts'
import type { ConfigReader } from '../../engine/config-cache/reader.ts'
import { expireHolds } from '../../engine/expire-holds.ts'
import { SimulatedLog, simulatedDisk } from '../../engine/journal/simulated-log.ts'
import type { Line } from '../../engine/line/line.ts'
import { Metrics } from '../../engine/metrics.ts'
import {
  type DecisionState,
  emptyState,
  step,
  windowMismatch,
} from '../../engine/state/decision-state.ts'
import { snapshotChunks, stateFromChunks } from '../../engine/state/snapshot.ts'
import type { TransactionState } from '../../engine/state/transactions.ts'
import { Breakers } from '../../engine/tenant/breaker.ts'
import type { TenantAnswer, TenantReply } from '../../engine/tenant/caller.ts'
import type { Clock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { CardConfig, ControlsConfig, ProgramConfig } from '../../shared/wire/config-records.ts'
import {
  type DecisionEntry,
  decodeEntry,
  type JournalEntry,
  transactionLink,
} from '../../shared/wire/journal-entry.ts'
import { silentLog } from './engine-listener.ts'
import { endpointConfig, type JudgedChange, judgedConfig } from './judged.ts'

export const RIG_START_MS = Date.UTC(2026, 10, 20, 12)
const KEY = { id: 'nk_1', network: 'simnet', environment: 'sandbox' as const, secret: 's' }
const HOUR_MS = 3_600_000

export interface RigOptions {
  configCache?: JudgedChange
  controls?: readonly ControlsConfig[]
  /** Further cards, each by its differences from the first. */
  cards?: readonly Partial<CardConfig>[]
  rates?: ReadonlyMap<string, string>
}

/** The response: its status, and the parsed answer if the status is 200. */
export interface Sent {
  status: number
  text: string
  answer: NetworkAnswer
}

export class LineRig {
  readonly disk = simulatedDisk('jrn_' + '0'.repeat(26))
  readonly #configCache: ConfigReader
  readonly #derivation = deriveKeys(Buffer.alloc(32, 1), encodeId)
  readonly #timers: { atMs: number; task: () => void }[] = []
  /** Requests that wait for the tenant; a test calls one with the tenant's answer. */
  readonly asked: ((answer: Partial<TenantAnswer> & { approve: boolean }) => void)[] = []
  /** The bodies of those requests. */
  readonly questions: string[] = []
  nowMs = RIG_START_MS
  log!: SimulatedLog
  state!: DecisionState
  line!: Line
  #authorization!: AuthorizationLine
  #transactions = 0
  #messages = 0

  constructor(options: RigOptions = {}) {
    this.#configCache = configOf(options)
    this.start(emptyState())
  }

  /** Continues with a state, as after a restart. */
  start(state: DecisionState): void {
    this.#timers.length = 0
    this.asked.length = 0
    const clock = this.#clock()
    this.log = new SimulatedLog({
      disk: this.disk,
      clock,
      events: {
        onSynced: (seq) => this.#authorization.synced(seq),
        onFailed: (reason) => {
          throw new Error(reason)
        },
      },
    })
    const replay = this.log.replay(state.seq + 1, (seq, bytes) =>
      step(state, { type: 'entry', seq, entry: decodeEntry(bytes) }),
    )
    if ('refused' in replay) throw new Error(replay.refused)
    this.state = state
    this.line = this.#lineOf(clock)
    this.#authorization = openAuthorizationLine(this.line)
  }

  /** Starts again from the journal alone, or from a snapshot of now. */
  restart(from: 'journal' | 'snapshot' = 'journal'): void {
    this.log.sync()
    const kept = [...snapshotChunks(this.state)].map((chunk) => Buffer.from(chunk))
    this.log.crash()
    this.start(from === 'journal' ? emptyState() : stateFromChunks(kept))
    const mismatch = windowMismatch(this.state)
    if (mismatch !== null) throw new Error(mismatch)
  }

  /** Sends a message and syncs; the status of an undecided message is 0. */
  send(kind: NetworkMessage['kind'], change: Partial<NetworkMessage> = {}): Sent {
    const sent: Sent = { status: 0, text: '', answer: {} as NetworkAnswer }
    this.#authorization.authorize({
      linkKeyId: KEY.id,
      wire: this.message(kind, change),
      receivedAtMs: this.nowMs,
      receivedNs: this.nowMs * 1e6,
      reply: {
        send: (status, text) => {
          sent.status = status
          sent.text = text
          sent.answer = JSON.parse(text)
        },
      },
    })
    this.log.sync()
    return sent
  }

  /** A well-formed message on the rig's card; each has an id of its own. */
  message(kind: NetworkMessage['kind'], change: Partial<NetworkMessage> = {}): NetworkMessage {
    return {
      id: 'm' + ++this.#messages,
      kind,
      transmitted_at: new Date(this.nowMs).toISOString(),
      network_transaction_id: 'n-1',
      card: { token: 'ctok_1' },
      amount_cents: kind === 'account_verification' || kind === 'balance_inquiry' ? 0 : 1000,
      currency: 'USD',
      merchant: { id: 'm-1', name: 'Shop', mcc: '5411', city: 'X', country: 'US' },
      entry_method: 'chip',
      ...(kind === 'advice' ? { advice: { approved: true } } : {}),
      ...change,
    }
  }

  /** Changes the config record of the program. */
  changeProgram(change: Partial<ProgramConfig>): void {
    Object.assign(this.#configCache.program('') ?? {}, change)
  }

  /** Lets time pass; events that fall due on the way happen. */
  advance(ms: number): void {
    const until = this.nowMs + ms
    for (;;) {
      this.#timers.sort((one, two) => one.atMs - two.atMs)
      const timer = this.#timers[0]
      if (timer === undefined || timer.atMs > until) break
      this.#timers.shift()
      this.nowMs = Math.max(this.nowMs, timer.atMs)
      timer.task()
    }
    this.nowMs = until
    this.log.sync()
  }

  /** Lets days pass and ends the holds that have expired by then. */
  passDays(days: number): number {
    this.advance(days * 24 * HOUR_MS)
    const ended = expireHolds(this.line)
    this.log.sync()
    return ended
  }

  /** Everything the journal has. */
  entries(): JournalEntry[] {
    return this.disk.entries.map(({ bytes }) => decodeEntry(bytes))
  }

  lastDecision(): DecisionEntry {
    const entry = this.entries().findLast(({ kind }) => kind === 'decision')
    if (entry?.kind !== 'decision') throw new Error('nothing was decided')
    return entry
  }

  /** The transaction that messages with this network transaction id find. */
  transaction(networkTransactionId = 'n-1', card = 'card_1'): TransactionState {
    const { transactions } = this.state
    const link = transactionLink('sandbox', 'simnet', card, networkTransactionId)
    const row = transactions.find(link)
    if (row === -1) throw new Error('no transaction ' + networkTransactionId)
    return transactions.read(row)
  }

  /** Amount and number that count on the card today, in UTC. */
  used(
    interval = 0,
    day = Number(new Date(this.nowMs).toISOString().slice(0, 10).replaceAll('-', '')),
  ) {
    const meter = this.state.meters.find('card_1', 'UTC', 'USD')
    if (meter === -1) return { amount: 0, count: 0, reserved: 0 }
    return {
      amount: this.state.meters.used(meter, interval, day),
      count: this.state.meters.usedCount(meter, interval, day),
      reserved: this.state.meters.reserved(meter, interval, day),
    }
  }

  #lineOf(clock: Clock): Line {
    return {
      clock,
      budgetMs: 1500,
      build: 'test',
      shard: null,
      configCache: this.#configCache,
      secrets: {
        derivation: () => this.#derivation,
        networkKeys: () => [KEY],
        endpointSecrets: () => ['whsec_x'],
      },
      state: this.state,
      journal: this.log,
      tenants: {
        inFlight: () => 0,
        close: async () => {},
        call: ({ body }) => {
          this.questions.push(body)
          const reply = {
            // biome-ignore lint/suspicious/noThenProperty: a promise that the test settles.
            then: (settle: (reply: TenantReply) => void) => {
              this.asked.push((answer) => {
                settle(replyOf(answer))
                this.log.sync()
              })
            },
          } as unknown as Promise<TenantReply>
          return { reply, spent: () => ({ signUs: 0, connectUs: 0 }) }
        },
      },
      breakers: new Breakers(),
      metrics: new Metrics(),
      log: silentLog,
      logsDecisions: false,
      newTransactionId: (now) => {
        const bytes = Buffer.alloc(16)
        bytes.writeUIntBE(now, 0, 6)
        bytes.writeUInt32BE(++this.#transactions, 12)
        return { text: 'txn_' + encodeId(bytes), bytes }
      },
      unready: () => null,
      stop: (reason) => {
        throw new Error(reason)
      },
    }
  }

  #clock(): Clock {
    return {
      nowMs: () => this.nowMs,
      monotonicNs: () => this.nowMs * 1e6,
      after: (delayMs, task) => {
        const timer = { atMs: this.nowMs + delayMs, task }
        this.#timers.push(timer)
        return {
          cancel: () => {
            const at = this.#timers.indexOf(timer)
            if (at !== -1) this.#timers.splice(at, 1)
          },
        }
      },
    }
  }
}

function replyOf(answer: Partial<TenantAnswer> & { approve: boolean }): TenantReply {
  return {
    outcome: answer.approve ? 'answered_approve' : 'answered_decline',
    httpStatus: 200,
    latencyMs: 5,
    attempts: 1,
    errorHint: null,
    signUs: 1,
    connectUs: 0,
    answer: { reason: null, approvedAmountCents: null, metadata: null, dropped: [], ...answer },
  }
}

function configOf(options: RigOptions): ConfigReader {
  const { configCache: change = {}, controls = [], rates } = options
  const { program, cardholder, card } = judgedConfig(change)
  const cards = [card, ...(options.cards ?? []).map((other) => ({ ...card, ...other }))]
  return {
    cursor: '1:1:',
    databaseId: 'rig',
    changes: 0,
    cardByToken: (token) => cards.find((other) => other.token === token) ?? null,
    cardByFingerprint: () => null,
    card: (id) => cards.find((other) => other.id === id) ?? null,
    cardholder: () => cardholder,
    program: () => program,
    controls: (subject) => controls.find(({ id }) => id === subject) ?? null,
    endpoint: () => endpointConfig(),
    fxRate: (id) => {
      const rate = rates?.get(id)
      return rate === undefined ? null : { type: 'fx_rate', id, version: 1, rate, rate_at_ms: 0 }
    },
    authentication: () => null,
    walletToken: () => null,
    networkKeys: () => [],
    root: () => null,
  }
}
