// One engine line in a seeded world: a clock moved by hand, a simulated disk, tenants that answer, err, hang or come late,
// a network that repeats itself, and crashes that keep a random part of the last batch. Same code as live, no real time.
import { type AuthorizationLine, openAuthorizationLine } from '../../engine/authorize.ts'
import type { FactsReader } from '../../engine/facts/reader.ts'
import {
  type SimulatedDisk,
  SimulatedLog,
  simulatedDisk,
} from '../../engine/journal/simulated-log.ts'
import type { Line } from '../../engine/line/line.ts'
import { Metrics } from '../../engine/metrics.ts'
import {
  type DecisionState,
  emptyState,
  step,
  windowMismatch,
} from '../../engine/state/decision-state.ts'
import type { TenantCaller, TenantReply } from '../../engine/tenant/caller.ts'
import type { Clock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import { createLog } from '../../shared/log.ts'
import type { MinorUnits } from '../../shared/money.ts'
import { signatureHeader } from '../../shared/signature.ts'
import type { CardFact, ControlsFact } from '../../shared/wire/facts.ts'
import { type DecisionEntry, decodeEntry } from '../../shared/wire/journal-entry.ts'
import { controlsFact, judgedFacts } from '../harness/judged.ts'
import type { Random } from './random.ts'

/** Bugs planted to prove that the checker sees: green seeds count only beside them. */
export type Mutant = 'answer_before_durable' | 'windows_not_rebuilt' | 'duplicate_decided_again'

const SECRET = 'nsec_simulation'
const LIMIT = 5000
const START_MS = Date.UTC(2026, 11, 31, 23, 58)
const CARDS = 3

interface Sent {
  id: string
  body: string
  answers: string[]
}

export class World {
  readonly #random: Random
  readonly #mutant: Mutant | null
  readonly #timers: { atMs: number; task: () => void; order: number }[] = []
  readonly #sent: Sent[] = []
  readonly #disk: SimulatedDisk = simulatedDisk('jrn_' + '0'.repeat(26))
  readonly #derivation = deriveKeys(Buffer.alloc(32, 1), encodeId)
  readonly violations: string[] = []
  /** Ids of the messages whose decision is on the simulated disk, and how much of it was looked at. */
  readonly #durable = new Set<string>()
  #seen = 0
  crashes = 0
  decisions = 0
  #nowMs = START_MS
  #order = 0
  #transactions = 0
  #life = 0
  #log!: SimulatedLog
  #state!: DecisionState
  #line!: AuthorizationLine
  #faults = true

  constructor(random: Random, mutant: Mutant | null) {
    this.#random = random
    this.#mutant = mutant
    this.#start()
  }

  /** Plays `steps` random things, then lets the faults end and asks for every answer once more. */
  run(steps: number): void {
    for (let index = 0; index < steps && this.violations.length === 0; index++) this.#stepOnce()
    this.#faults = false
    this.#log.sync()
    for (const sent of this.#sent) this.#deliver(sent)
    for (let round = 0; round < 20; round++) {
      this.#log.sync()
      this.#advance(500)
    }
    this.#check()
  }

  #stepOnce(): void {
    const dice = this.#random.below(100)
    if (dice < 40) this.#send()
    else if (dice < 52 && this.#sent.length > 0) this.#deliver(this.#random.pick(this.#sent))
    else if (dice < 75) this.#log.sync(1 + this.#random.below(4))
    else if (dice < 97) this.#advance(this.#random.below(this.#random.chance(0.05) ? 120_000 : 400))
    else this.#crash()
  }

  #send(): void {
    const id = 'm' + this.#sent.length
    const card = 'tok_' + this.#random.below(CARDS)
    const sent: Sent = { id, body: this.#body(id, card, this.#random.below(1500)), answers: [] }
    this.#sent.push(sent)
    this.#deliver(sent)
  }

  #body(id: string, token: string, amount: number): string {
    return JSON.stringify({
      id,
      kind: 'authorization',
      transmitted_at: new Date(this.#nowMs).toISOString(),
      network_transaction_id: 'n' + id,
      card: { token },
      amount_cents: amount,
      currency: 'USD',
      merchant: { id: 'm-1', name: 'Shop', mcc: '5411', city: 'X', country: 'US' },
    })
  }

  #deliver(sent: Sent): void {
    const life = this.#life
    const body = Buffer.from(sent.body)
    this.#line.authorize({
      signature: signatureHeader([SECRET], Math.floor(this.#nowMs / 1000), body),
      keyId: '',
      body,
      receivedAtMs: this.#nowMs,
      receivedNs: this.#nowMs * 1e6,
      reply: {
        send: (status, text) => {
          // An answer of a process that is dead by now never left it; some answers are lost on the way.
          if (life !== this.#life || status !== 200) return
          if (!sent.answers.includes(text)) sent.answers.push(text)
          if (sent.answers.length > 1)
            this.violations.push('two answers to ' + sent.id + ': ' + sent.answers.join(' | '))
          if (!this.#journalled(sent.id))
            this.violations.push('answered before durable: ' + sent.id)
        },
      },
    })
    if (this.#mutant === 'answer_before_durable') this.#line.synced(Number.MAX_SAFE_INTEGER)
  }

  #journalled(id: string): boolean {
    const { entries } = this.#disk
    for (; this.#seen < entries.length; this.#seen++) {
      const entry = decodeEntry((entries[this.#seen] as (typeof entries)[number]).bytes)
      if (entry.kind === 'decision') this.#durable.add(entry.message.id)
    }
    return this.#durable.has(id)
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

  #crash(): void {
    this.crashes += 1
    this.#log.crash(this.#random.below(this.#log.waiting + 1))
    this.#start()
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
    this.#state = emptyState()
    this.#log.replay(1, (seq, bytes) =>
      step(this.#state, { type: 'entry', seq, entry: decodeEntry(bytes) }),
    )
    if (this.#mutant === 'windows_not_rebuilt') {
      this.#state = {
        ...emptyState(),
        recall: this.#state.recall,
        seq: this.#state.seq,
        latestMs: this.#state.latestMs,
      }
    }
    if (this.#mutant === 'duplicate_decided_again')
      this.#state = { ...this.#state, recall: emptyState().recall }
    this.#line = openAuthorizationLine(this.#lineOf())
  }

  #lineOf(): Line {
    return {
      clock: this.#clock(),
      budgetMs: 1500,
      build: 'simulation',
      facts: simulatedFacts(),
      secrets: {
        derivation: () => this.#derivation,
        networkKeys: () => [
          { id: 'nk_1', network: 'simnet', environment: 'sandbox', secret: SECRET },
        ],
        endpointSecrets: () => ['whsec_x'],
      },
      state: this.#state,
      journal: this.#log,
      tenants: this.#tenants(),
      metrics: new Metrics(),
      log: createLog({ name: 'simulation', level: 'silent' }),
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

  #clock(): Clock {
    const life = this.#life
    return {
      nowMs: () => this.#nowMs,
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

  #tenants(): TenantCaller {
    const clock = this.#clock()
    return {
      inFlight: () => 0,
      close: async () => {},
      call: () => {
        const reply = this.#tenantReply()
        const delayMs =
          this.#faults && this.#random.chance(0.2)
            ? 1400 + this.#random.below(4000)
            : this.#random.below(300)
        // Settled by the simulated clock, not by the machine's task queue.
        const settled = {
          // biome-ignore lint/suspicious/noThenProperty: a promise whose time is the simulation's.
          then: (settle: (reply: TenantReply) => void) => clock.after(delayMs, () => settle(reply)),
        }
        return settled as unknown as Promise<TenantReply>
      },
    }
  }

  #tenantReply(): TenantReply {
    const base = {
      httpStatus: 200,
      latencyMs: 5,
      attempts: 1,
      errorHint: null,
      signUs: 1,
      connectUs: 0,
    }
    const dice = this.#random.below(10)
    if (dice < 2) return { ...base, outcome: 'connection_error', answer: null }
    const answer = { reason: null, approvedAmountCents: null, metadata: null, dropped: [] }
    return dice < 5
      ? { ...base, outcome: 'answered_decline', answer: { ...answer, approve: false } }
      : { ...base, outcome: 'answered_approve', answer: { ...answer, approve: true } }
  }

  /** What must hold once everything came to rest. */
  #check(): void {
    if (this.violations.length > 0) return
    for (const sent of this.#sent) {
      if (sent.answers.length !== 1)
        this.violations.push(sent.id + ' has ' + sent.answers.length + ' answers')
    }
    if (this.#line.open !== 0) this.violations.push(this.#line.open + ' messages are still open')
    const mismatch = windowMismatch(this.#state)
    if (mismatch !== null) this.violations.push(mismatch)
    const entries = this.#disk.entries.map(({ bytes }) => decodeEntry(bytes))
    const decisions = entries.filter((entry): entry is DecisionEntry => entry.kind === 'decision')
    this.decisions = decisions.length
    if (new Set(decisions.map((entry) => entry.message.id)).size !== decisions.length)
      this.violations.push('a message was decided twice')
    this.violations.push(...overspent(decisions))
  }
}

/** Days on which a card's approvals add up to more than its daily limit. */
function overspent(decisions: readonly DecisionEntry[]): string[] {
  const spent = new Map<string, number>()
  for (const { decision, card, receivedAtMs } of decisions) {
    const key = card?.cardId + ' ' + new Date(receivedAtMs).toISOString().slice(0, 10)
    spent.set(key, (spent.get(key) ?? 0) + decision.approvedAmountCents)
  }
  return [...spent].filter(([, sum]) => sum > LIMIT).map(([key, sum]) => key + ' spent ' + sum)
}

/** Three cards with a daily limit: one never asks, two ask a tenant. */
function simulatedFacts(): FactsReader {
  const base = judgedFacts()
  const cardOf = (token: string): CardFact => {
    const number = token.slice('tok_'.length)
    return {
      ...base.card,
      id: 'card_' + number,
      token,
      program_id: number === '0' ? 'prog_quiet' : 'prog_asks',
    }
  }
  const controls = (id: string): ControlsFact | null =>
    id.startsWith('card_')
      ? controlsFact({
          id,
          limits: [
            {
              id: 'lim_1',
              interval: 'daily',
              amount_cents: LIMIT as MinorUnits,
              currency: 'USD',
              time_zone: 'UTC',
            },
          ],
        })
      : null
  return {
    cursor: '1:1:',
    databaseId: 'simulation',
    cardByToken: cardOf,
    cardByFingerprint: () => null,
    card: (id) => cardOf('tok_' + id.slice('card_'.length)),
    cardholder: () => base.cardholder,
    program: (id) => ({ ...base.program, id, realtime: id === 'prog_asks', endpoint_id: 'we_1' }),
    controls,
    endpoint: () => ({
      type: 'endpoint',
      id: 'we_1',
      version: 1,
      tenant_id: 'ten_1',
      environment: 'sandbox',
      url: 'https://tenant.test/',
      status: 'enabled',
      sealed_secrets: [],
    }),
    networkKeys: () => [],
    root: () => null,
  }
}
