// One authorization line in one process with a clock moved by hand and config records changed at
// will: the real gather, rules, windows and journal entries, no sockets and no disk. It has one
// card of one cardholder of one program, each with controls of its own.
import { type AuthorizationLine, openAuthorizationLine } from '../../engine/authorize.ts'
import { decide } from '../../engine/control/decide.ts'
import { evaluate, type Unevaluated } from '../../engine/control/evaluate.ts'
import { SimulatedLog, simulatedDisk } from '../../engine/journal/simulated-log.ts'
import { effectOf } from '../../engine/lifecycle/change.ts'
import { expire } from '../../engine/lifecycle/expire.ts'
import type { Line } from '../../engine/line/line.ts'
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
import type { TenantReply } from '../../engine/tenant/caller.ts'
import type { Clock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { deriveKeys } from '../../shared/keyring.ts'
import { createLog } from '../../shared/log.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import { signatureHeader } from '../../shared/signature.ts'
import {
  type CardConfig,
  type CardholderConfig,
  type ControlConfig,
  type ControlScope,
  type ControlsConfig,
  type FxRateConfig,
  openControl,
  type ProgramConfig,
  type WalletTokenConfig,
} from '../../shared/wire/config-records.ts'
import type { EvaluateAnswer, PaymentMessage } from '../../shared/wire/control.ts'
import {
  type DecisionEntry,
  decodeEntry,
  encodeEntry,
  transactionLink,
} from '../../shared/wire/journal-entry.ts'
import { endpointConfig, judgedConfig } from './judged.ts'

const SECRET = 'nsec_line'

type Change = Partial<NetworkMessage>

/** The default message: a purchase of 10.00 USD with the chip. */
function plain(id: string, nowMs: number): NetworkMessage {
  return {
    id,
    kind: 'authorization',
    transmitted_at: new Date(nowMs).toISOString(),
    network_transaction_id: 'n-' + id,
    card: { token: 'ctok_1' },
    amount_cents: 1000,
    currency: 'USD',
    entry_method: 'chip',
    merchant: { id: 'm-1', name: 'Shop', mcc: '5411', city: 'X', country: 'US' },
  }
}

export class LineInHand {
  nowMs: number
  program: ProgramConfig
  cardholder: CardholderConfig
  card: CardConfig
  /** A payment account of the same cardholder, if the test has one. */
  account: CardConfig | null = null
  readonly rates = new Map<string, FxRateConfig>()
  readonly walletTokens = new Map<string, WalletTokenConfig>()
  /** Open requests to the tenant, in order; the test answers each. */
  readonly asked: ((approve: boolean) => void)[] = []
  readonly #controls = new Map<string, ControlsConfig>()
  readonly #timers: { atMs: number; task: () => void }[] = []
  readonly #disk = simulatedDisk('jrn_' + '0'.repeat(26))
  readonly #log: SimulatedLog
  readonly #line: Line
  readonly #authorization: AuthorizationLine
  #messages = 0

  constructor(nowMs: number, program: Partial<ProgramConfig> = {}) {
    this.nowMs = nowMs
    const base = judgedConfig({ program })
    this.program = base.program
    this.cardholder = base.cardholder
    this.card = base.card
    this.#log = new SimulatedLog({
      disk: this.#disk,
      clock: this.#clock(),
      events: { onSynced: (seq) => this.#authorization.synced(seq), onFailed: raise },
    })
    this.#line = this.#lineOf()
    this.#authorization = openAuthorizationLine(this.#line)
  }

  get state(): DecisionState {
    return this.#line.state
  }

  /** Every decision so far. */
  get entries(): DecisionEntry[] {
    const entries = this.#disk.entries.map(({ bytes }) => decodeEntry(bytes))
    return entries.filter((entry) => entry.kind === 'decision')
  }

  /** Replaces the controls of a subject. */
  control(scope: ControlScope, ...controls: Partial<ControlConfig>[]): void {
    const id = {
      program: 'prog_1',
      cardholder: 'ch_1',
      card: this.card.id,
      payment_account: this.account?.id ?? '',
    }[scope]
    const version = (this.#controls.get(id)?.version ?? 0) + 1
    const made = controls.map((change, index) => ({ ...openControl('ctl_' + index), ...change }))
    this.#controls.set(id, { type: 'controls', id, version, scope, controls: made })
  }

  /** Sends a message and returns its answer. */
  send(change: Change = {}): NetworkAnswer {
    const answers = this.sendOpen(change)
    const [answer] = answers
    if (answer === undefined) throw new Error('the message is not answered')
    return answer
  }

  /** Sends a message that may have to wait for its tenant; the answer appears in the list. */
  sendOpen(change: Change = {}): NetworkAnswer[] {
    const answers: NetworkAnswer[] = []
    const message = { ...plain('m' + this.#messages++, this.nowMs), ...change }
    const body = Buffer.from(JSON.stringify(message))
    this.#authorization.authorize({
      signature: signatureHeader([SECRET], Math.floor(this.nowMs / 1000), body),
      keyId: '',
      body,
      receivedAtMs: this.nowMs,
      receivedNs: this.nowMs * 1e6,
      reply: {
        send: (status, text) => {
          if (status !== 200) throw new Error(status + ' ' + text)
          answers.push(JSON.parse(text) as NetworkAnswer)
        },
      },
    })
    this.#log.sync()
    return answers
  }

  /** Decides a message of the network of payments; null if it is approved, else the reason. */
  async pay(message: PaymentMessage): Promise<string | null> {
    const answer = decide(this.#line, this.#authorization, message)
    this.#log.sync()
    const decided = await answer
    if ('error' in decided) throw new Error(decided.error)
    if (decided.state === 'recalled') return decided.decline_reason
    const entry = decodeEntry(decided.entry)
    return entry.kind === 'decision' ? entry.decision.declineReason : null
  }

  /** Null if a purchase is approved, else its decline reason. */
  buy(change: Change | number = {}): string | null {
    return this.send(typeof change === 'number' ? { amount_cents: change } : change).decline_reason
  }

  /** Answers the oldest request to the tenant. */
  answer(approve: boolean): void {
    this.asked.shift()?.(approve)
    this.#log.sync()
  }

  /** Expires the hold of a transaction now. */
  expire(networkTransactionId: string): void {
    const { windows_id: windowsId } = this.card
    const link = transactionLink('sandbox', 'simnet', windowsId, networkTransactionId)
    const { transactions } = this.state
    const row = transactions.find(link)
    const standing = transactions.read(row)
    const entry = {
      kind: 'expiry' as const,
      transactionId: 'txn_' + encodeId(transactions.idOf(row)),
      expiredAtMs: this.nowMs,
      effect: effectOf(link, standing, expire(standing)),
    }
    step(this.state, { type: 'entry', seq: this.#log.append(encodeEntry(entry)), entry })
    this.#log.sync()
  }

  evaluate(change: Change = {}): EvaluateAnswer {
    const evaluated = this.tryEvaluate(change)
    if ('error' in evaluated) throw new Error(evaluated.error)
    return evaluated
  }

  tryEvaluate(change: Change, cardId = this.card.id): EvaluateAnswer | Unevaluated {
    const message = { ...plain('dry', this.nowMs), ...change }
    return evaluate(this.#line, { card_id: cardId, environment: 'sandbox', message })
  }

  /** Moves the clock to a moment; events that fall due on the way happen at their time. */
  moveTo(when: number | string): void {
    const until = typeof when === 'number' ? when : Date.parse(when)
    for (;;) {
      this.#timers.sort((one, two) => one.atMs - two.atMs)
      const [timer] = this.#timers
      if (timer === undefined || timer.atMs > until) break
      this.#timers.shift()
      this.nowMs = Math.max(this.nowMs, timer.atMs)
      timer.task()
    }
    this.nowMs = until
    this.#log.sync()
  }

  /**
   * Names a difference between this state, the replayed one and the one from a snapshot, or between
   * windows and transactions; null if there is none.
   */
  contradiction(): string | null {
    const replayed = emptyState()
    for (const { seq, bytes } of this.#disk.entries)
      step(replayed, { type: 'entry', seq, entry: decodeEntry(bytes) })
    const kept = stateFromChunks([...snapshotChunks(replayed)].map((chunk) => Buffer.from(chunk)))
    for (const state of [this.state, replayed, kept]) {
      const mismatch = windowMismatch(state)
      if (mismatch !== null) return mismatch
    }
    const left = this.asked.length === 0 ? this.#stillReserved() : null
    if (left !== null) return left
    const [one, two] = [replayed, kept].map((state) => JSON.stringify([...state.meters.rows()]))
    return one === two ? null : 'a snapshot lost ' + one + ' ' + two
  }

  #stillReserved(): string | null {
    const { meters } = this.state
    for (const [subject, zone, currency, at, filter] of meters.rows()) {
      const meter = meters.find(subject, zone, currency, String(filter))
      for (let interval = 0; interval < CALENDAR_INTERVALS.length; interval++) {
        const left = [
          meters.reserved(meter, interval, at),
          meters.reservedCount(meter, interval, at),
        ]
        if (left.some((number) => number !== 0))
          return [subject, zone, filter, 'still has reserved', ...left].join(' ')
      }
    }
    return null
  }

  #lineOf(): Line {
    const derivation = deriveKeys(Buffer.alloc(32, 1), encodeId)
    let transactions = 0
    return {
      clock: this.#clock(),
      budgetMs: 1500,
      build: 'test',
      shard: null,
      configCache: this.#configCache(),
      secrets: {
        derivation: () => derivation,
        networkKeys: () => [
          {
            id: 'nk_1',
            network: 'simnet',
            environment: this.card.environment,
            secret: SECRET,
          },
        ],
        endpointSecrets: () => ['whsec_x'],
      },
      state: emptyState(),
      journal: this.#log,
      tenants: { inFlight: () => 0, close: async () => {}, call: () => this.#ask() },
      breakers: new Breakers(),
      metrics: new Metrics(),
      log: createLog({ name: 'line', level: 'silent' }),
      logsDecisions: false,
      newTransactionId: () => {
        const bytes = Buffer.alloc(16)
        bytes.writeUInt32BE(++transactions, 12)
        return { text: 'txn_' + encodeId(bytes), bytes }
      },
      unready: () => null,
      stop: raise,
    }
  }

  #ask(): ReturnType<Line['tenants']['call']> {
    const settled = {
      // biome-ignore lint/suspicious/noThenProperty: a promise that the test keeps, at once.
      then: (settle: (reply: TenantReply) => void) => {
        this.asked.push((approve) => settle(replyOf(approve)))
      },
    }
    return {
      reply: settled as unknown as Promise<TenantReply>,
      spent: () => ({ signUs: 1, connectUs: 0 }),
    }
  }

  #configCache(): Line['configCache'] {
    let looks = 0
    return {
      cursor: '1:1:',
      databaseId: 'test',
      // Tests change config records without notice, therefore every read has to look again.
      get changes() {
        looks += 1
        return looks
      },
      cardByToken: (token) => this.#cards().find((card) => card.token === token) ?? null,
      cardByFingerprint: () => null,
      card: (id) => this.#cards().find((card) => card.id === id) ?? null,
      cardholder: () => this.cardholder,
      program: () => this.program,
      controls: (id) => this.#controls.get(id) ?? null,
      endpoint: () => endpointConfig(),
      fxRate: (id) => this.rates.get(id) ?? null,
      authentication: () => null,
      walletToken: (id) => this.walletTokens.get(id) ?? null,
      networkKeys: () => [],
      root: () => null,
    }
  }

  #cards(): readonly CardConfig[] {
    return this.account === null ? [this.card] : [this.card, this.account]
  }

  #clock(): Clock {
    return {
      nowMs: () => this.nowMs,
      monotonicNs: () => this.nowMs * 1e6,
      after: (delayMs, task) => {
        const timer = { atMs: this.nowMs + delayMs, task }
        this.#timers.push(timer)
        return { cancel: () => void this.#timers.splice(this.#timers.indexOf(timer) >>> 0, 1) }
      },
    }
  }
}

function replyOf(approve: boolean): TenantReply {
  return {
    outcome: approve ? 'answered_approve' : 'answered_decline',
    httpStatus: 200,
    latencyMs: 5,
    attempts: 1,
    errorHint: null,
    answer: { approve, reason: null, approvedAmountCents: null, metadata: null, dropped: [] },
    signUs: 1,
    connectUs: 0,
  }
}

function raise(reason: string): void {
  throw new Error(reason)
}
