// One authorization line in a seeded world: a clock moved by hand that is also set back, a
// simulated disk that fills up, snapshots and trimming, tenants that answer, err, hang or come
// late, cards suspended meanwhile, bodies that come slowly, a network that repeats itself, and
// crashes that keep a random part of the last batch. The code is that of production, without real
// time.
import { type AuthorizationLine, openAuthorizationLine } from '../../engine/authorize.ts'
import { startHoldExpiry } from '../../engine/expire-holds.ts'
import {
  type SimulatedDisk,
  SimulatedLog,
  simulatedDisk,
} from '../../engine/journal/simulated-log.ts'
import type { Line } from '../../engine/line/line.ts'
import { forwardClock } from '../../engine/line-clock.ts'
import { Metrics } from '../../engine/metrics.ts'
import { CALENDAR_INTERVALS } from '../../engine/state/calendar.ts'
import {
  type DecisionState,
  emptyState,
  step,
  windowMismatch,
} from '../../engine/state/decision-state.ts'
import { snapshotChunks, stateFromChunks } from '../../engine/state/snapshot.ts'
import { Breakers } from '../../engine/tenant/breaker.ts'
import type { Clock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import { createLog } from '../../shared/log.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { openHold } from '../../shared/transaction-sums.ts'
import { type DecisionEntry, decodeEntry } from '../../shared/wire/journal-entry.ts'
import { Ledger } from './ledger.ts'
import { PLANTED, type Planted, type PlantedName } from './planted.ts'
import type { Random } from './random.ts'
import { CARDS, SimulatedConfig } from './simulated-config.ts'
import { SimulatedNetwork } from './simulated-network.ts'
import { simulatedTenant } from './simulated-tenant.ts'

const SECRET = 'nsec_simulation'
/** Every world begins shortly before a day, a month and a year end. */
const MIDNIGHT_MS = Date.UTC(2027, 0, 1)
const BEFORE_MIDNIGHT_MS = 2000
const HOUR_MS = 3_600_000
/**
 * The machine sleeps, or no card is used, for up to three days; often enough that holds expire and
 * answers are forgotten.
 */
const SLEEP_HOURS_MAX = 72
const SLEEPS_MAX = 8

interface Sent {
  id: string
  body: string
  answers: string[]
  /** True for a request that was refused because of its age. */
  stale: boolean
}

export class World {
  readonly #random: Random
  readonly #planted: Planted
  readonly #network: SimulatedNetwork
  readonly #ledger = new Ledger()
  readonly #timers: { atMs: number; task: () => void; order: number }[] = []
  readonly #sent: Sent[] = []
  readonly #disk: SimulatedDisk = simulatedDisk('jrn_' + '0'.repeat(26))
  readonly #derivation = deriveKeys(Buffer.alloc(32, 1), encodeId)
  readonly #configCache = new SimulatedConfig()
  /** Chunks of the latest snapshot, and every entry that was ever durable, trimmed or not. */
  #snapshot: Buffer[] | null = null
  readonly #history: DecisionEntry[] = []
  readonly violations: string[] = []
  /**
   * Ids of the messages whose decision is on the simulated disk, and the number of entries looked
   * at so far.
   */
  readonly #durable = new Set<string>()
  #seen = 0
  crashes = 0
  decisions = 0
  snapshots = 0
  expiries = 0
  /** Kinds of messages that were decided or recorded, and those that were declined. */
  readonly kinds = new Set<string>()
  #sleeps = 0
  /** Elapsed time; the machine's date differs from it by `#offsetMs`. */
  #nowMs: number
  #offsetMs = 0
  #wall!: Clock
  #order = 0
  #transactions = 0
  #life = 0
  #log!: SimulatedLog
  #state!: DecisionState
  #line!: AuthorizationLine
  #faults = true

  constructor(random: Random, planted: PlantedName | null) {
    this.#random = random
    this.#network = new SimulatedNetwork(random)
    this.#nowMs = MIDNIGHT_MS - random.below(BEFORE_MIDNIGHT_MS)
    this.#planted = planted === null ? {} : PLANTED[planted]
    this.#start()
  }

  /** Plays `steps` random actions, then ends the faults and asks for every answer once more. */
  run(steps: number): void {
    try {
      this.#play(steps)
    } catch (error) {
      this.violations.push(String(error))
    }
  }

  #play(steps: number): void {
    for (let index = 0; index < steps && this.violations.length === 0; index++) this.#stepOnce()
    this.#faults = false
    this.#log.roomLeft = true
    this.#configCache.resumeAll()
    this.#log.sync()
    for (const sent of this.#sent) this.#deliver(sent)
    for (let round = 0; round < 20; round++) {
      this.#log.sync()
      this.#advance(500)
    }
    this.#check()
  }

  #stepOnce(): void {
    // A full disk and a suspended card last only a while.
    if (!this.#log.roomLeft && this.#random.chance(0.2)) this.#log.roomLeft = true
    if (this.#random.chance(0.05)) this.#configCache.resumeAll()
    const dice = this.#random.below(200)
    if (dice < 80) this.#send()
    else if (dice < 104 && this.#sent.length > 0) this.#deliver(this.#random.pick(this.#sent))
    else if (dice < 130) this.#log.sync(1 + this.#random.below(4))
    else if (dice < 145) this.#log.sync()
    else if (dice < 180) this.#advance(this.#random.below(200))
    else if (dice < 181) this.#advance(this.#random.below(120_000))
    else if (dice < 184) this.#configCache.toggle(this.#random.below(CARDS))
    else if (dice < 186) this.#log.roomLeft = false
    else if (dice < 187) this.#offsetMs = this.#random.below(40_000) - 20_000
    else if (dice < 191) this.#takeSnapshot()
    else if (dice < 193) this.#sleep()
    else this.#crash()
  }

  /** Takes a snapshot like the worker: the one before, brought forward by durable entries. */
  #takeSnapshot(): void {
    const state = this.#snapshot === null ? emptyState() : stateFromChunks(this.#snapshot)
    this.#replay(state, this.#log)
    this.#snapshot = [...snapshotChunks(state)].map((chunk) => Buffer.from(chunk))
    this.#readDurable()
    this.#log.trim(this.#random.chance(0.5) ? state.seq : state.seq - 3)
    this.snapshots += 1
  }

  #send(): void {
    const message = this.#network.next(this.#wall.nowMs())
    const sent: Sent = {
      id: message.id,
      body: JSON.stringify(message),
      answers: [],
      stale: false,
    }
    this.#sent.push(sent)
    this.#deliver(sent)
    // The network repeats the message from now on and marks it, whatever the outcome.
    sent.body = JSON.stringify({ ...message, is_repeat: true })
  }

  #deliver(sent: Sent): void {
    const life = this.#life
    const body = Buffer.from(sent.body)
    const receivedAtMs = this.#wall.nowMs()
    // Receipt is stamped with the first byte; now and then the rest comes late.
    const bodyMs = this.#faults && this.#random.chance(0.2) ? this.#random.below(1200) : 0
    const receivedNs = this.#nowMs * 1e6
    if (bodyMs > 0) {
      const arrive = (): void => this.#authorize(sent, body, { receivedAtMs, receivedNs, life })
      this.#wall.after(bodyMs, arrive)
    } else this.#authorize(sent, body, { receivedAtMs, receivedNs, life })
  }

  #authorize(
    sent: Sent,
    body: Buffer,
    { receivedAtMs, receivedNs, life }: { receivedAtMs: number; receivedNs: number; life: number },
  ): void {
    this.#line.authorize({
      signature: signatureHeader([SECRET], Math.floor(receivedAtMs / 1000), body),
      keyId: '',
      body,
      receivedAtMs,
      receivedNs,
      reply: {
        send: (status, text) => {
          // An answer of a dead process never left it; some answers get lost on the way.
          if (life !== this.#life) return
          if (status === 400) sent.stale = true
          if (status !== 200) return
          if (!sent.answers.includes(text)) sent.answers.push(text)
          if (sent.answers.length > 1)
            this.violations.push('two answers to ' + sent.id + ': ' + sent.answers.join(' | '))
          if (!this.#journalled(sent.id))
            this.violations.push('answered before durable: ' + sent.id)
        },
      },
    })
    if (this.#planted.answersEarly === true) this.#line.synced(Number.MAX_SAFE_INTEGER)
  }

  #journalled(id: string): boolean {
    this.#readDurable()
    return this.#durable.has(id)
  }

  #readDurable(): void {
    for (const { seq, bytes } of this.#disk.entries) {
      if (seq <= this.#seen) continue
      this.#seen = seq
      const entry = decodeEntry(bytes)
      this.#ledger.apply(entry)
      if (entry.kind === 'expiry') this.expiries += 1
      if (entry.kind !== 'decision') continue
      this.#durable.add(entry.message.id)
      this.#history.push(entry)
      this.kinds.add(entry.message.kind + (entry.decision.approved ? '' : ' declined'))
    }
  }

  #advance(ms: number): void {
    const until = this.#nowMs + ms
    for (;;) {
      this.#timers.sort((one, two) => one.atMs - two.atMs || one.order - two.order)
      const timer = this.#timers[0]
      if (timer === undefined || timer.atMs > until) break
      this.#timers.shift()
      this.#nowMs = Math.max(this.#nowMs, timer.atMs)
      timer.task()
    }
    this.#nowMs = until
  }

  /** Much time passes at once: due events happen at the end of it. */
  #sleep(): void {
    if (++this.#sleeps > SLEEPS_MAX) return
    this.#nowMs += this.#random.below(SLEEP_HOURS_MAX * HOUR_MS)
    this.#advance(2000)
  }

  #crash(): void {
    this.crashes += 1
    const { roomLeft } = this.#log
    this.#log.crash(this.#random.below(this.#log.waiting + 1))
    this.#planted.crash?.(this.#disk)
    this.#start()
    this.#log.roomLeft = roomLeft
  }

  #start(): void {
    this.#life += 1
    const life = this.#life
    this.#timers.length = 0
    this.#log = new SimulatedLog({
      disk: this.#disk,
      clock: this.#clock(),
      events: {
        onSynced: (seq) => {
          if (life === this.#life) this.#line.synced(seq)
        },
        onFailed: (reason) => this.violations.push(reason),
      },
    })
    const state = this.#snapshot === null ? emptyState() : stateFromChunks(this.#snapshot)
    this.#replay(state, this.#log)
    this.#wall = forwardClock(this.#clock(), state.latestMs)
    this.#state = this.#planted.state?.(state, this.#wall) ?? state
    const line = this.#lineOf()
    this.#line = openAuthorizationLine(line)
    startHoldExpiry(line)
  }

  #replay(state: DecisionState, log: SimulatedLog): void {
    const done = log.replay(state.seq + 1, (seq, bytes) =>
      step(state, { type: 'entry', seq, entry: decodeEntry(bytes) }),
    )
    if ('refused' in done) this.violations.push(done.refused)
  }

  #lineOf(): Line {
    return {
      clock: this.#wall,
      budgetMs: 1500,
      build: 'simulation',
      shard: null,
      configCache: this.#planted.configCache?.(this.#configCache) ?? this.#configCache,
      secrets: {
        derivation: () => this.#derivation,
        networkKeys: () => [
          { id: 'nk_1', network: 'simnet', environment: 'sandbox', secret: SECRET },
        ],
        endpointSecrets: () => ['whsec_x'],
      },
      state: this.#state,
      journal: this.#watchedLog(),
      tenants: simulatedTenant({
        random: this.#random,
        clock: this.#wall,
        faults: () => this.#faults,
      }),
      breakers: new Breakers(),
      metrics: new Metrics(),
      log: createLog({ name: 'simulation', level: 'silent' }),
      logsDecisions: false,
      newTransactionId: () => {
        const bytes = Buffer.alloc(16)
        bytes.writeUInt32BE(++this.#transactions, 12)
        bytes.writeUInt32BE(this.#life, 8)
        return { text: 'txn_' + encodeId(bytes), bytes }
      },
      unready: () => null,
      stop: (reason) => this.violations.push(reason),
    }
  }

  /** The log, with a check of every decision at the moment it is made. */
  #watchedLog(): SimulatedLog {
    const log = this.#log
    const append = log.append.bind(log)
    log.append = (bytes) => {
      const entry = decodeEntry(bytes)
      if (entry.kind === 'decision') {
        const { status } = this.#configCache.card(entry.card?.cardId ?? '')
        if (
          entry.decision.decidedBy !== 'network' &&
          entry.decision.approved &&
          status !== 'active'
        )
          this.violations.push(entry.message.id + ' was approved on a card that is ' + status)
      }
      if (!log.writable) this.violations.push('an entry for a log that cannot take it')
      return append(bytes)
    }
    this.#planted.log?.(log, this.#state)
    return log
  }

  #clock(): Clock {
    const life = this.#life
    return {
      nowMs: () => this.#nowMs + this.#offsetMs,
      monotonicNs: () => this.#nowMs * 1e6,
      after: (delayMs, task) => {
        const timer = {
          atMs: this.#nowMs + delayMs,
          order: this.#order++,
          task: () => (life === this.#life ? task() : undefined),
        }
        this.#timers.push(timer)
        return { cancel: () => void this.#timers.splice(this.#timers.indexOf(timer) >>> 0, 1) }
      },
    }
  }

  /** Invariants that must hold once everything came to rest. */
  #check(): void {
    if (this.violations.length > 0) return
    for (const sent of this.#sent) {
      if (sent.answers.length !== 1 && !sent.stale)
        this.violations.push(sent.id + ' has ' + sent.answers.length + ' answers')
    }
    if (this.#line.open !== 0) this.violations.push(this.#line.open + ' messages are still open')
    this.#readDurable()
    this.decisions = this.#history.length
    const mismatch =
      windowMismatch(this.#state) ??
      this.#ledger.difference(this.#state) ??
      leftReserved(this.#state) ??
      overdue(this.#state, this.#nowMs + this.#offsetMs)
    if (mismatch !== null) this.violations.push(mismatch)
    if (this.#durable.size !== this.#history.length)
      this.violations.push('a message was decided twice')
    this.violations.push(...this.#ledger.violations)
  }
}

/** A reservation that is left although no tenant is being asked, or null. */
function leftReserved(state: DecisionState): string | null {
  for (const [subject, zone, currency, at, filter] of state.meters.rows()) {
    const meter = state.meters.find(subject, zone, currency, String(filter))
    for (let interval = 0; interval < CALENDAR_INTERVALS.length; interval++) {
      const left = state.meters.reserved(meter, interval, at)
      const count = state.meters.reservedCount(meter, interval, at)
      if (left !== 0 || count !== 0) return left + ' are still reserved for ' + subject
    }
  }
  return null
}

/** A hold that should have ended long ago, or null. */
function overdue({ transactions }: DecisionState, nowMs: number): string | null {
  for (const row of transactions.all()) {
    const { sums, holdExpiresAtMs } = transactions.read(row)
    if (openHold(sums) > 0 && holdExpiresAtMs < nowMs - HOUR_MS)
      return 'a hold ended at ' + holdExpiresAtMs + ' and is open at ' + nowMs
  }
  return null
}
