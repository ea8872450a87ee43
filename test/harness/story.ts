// A card transaction's life as the engine would write it: one entry after the other, each with the
// effect that a test sets.
import { newId } from '../../shared/id.ts'
import type { MessageKind } from '../../shared/schemas/network-message.ts'
import { noSums, type Sums } from '../../shared/transaction-sums.ts'
import type {
  Decision,
  DecisionEntry,
  Effect,
  ExpiryEntry,
  MessageRecord,
} from '../../shared/wire/journal-entry.ts'
import { entryFor } from './drain.ts'
import { ENTRY_TIME_MS } from './entries.ts'
import type { TestTenant } from './tenant.ts'

/** The effect of a message: its event, the change of each sum, and the flags after it. */
export interface Step {
  event: Effect['event']
  amountCents: number
  sums?: Partial<Sums>
  flags?: number
  holdExpiresAtMs?: number
  message?: Partial<MessageRecord>
  decision?: Partial<Decision>
  change?: Partial<DecisionEntry>
}

/** Time between two messages of a story. */
export const STEP_MS = 60_000

export class Story {
  readonly id: string
  readonly networkTransactionId: string
  sums: Sums = noSums()
  flags = 0
  sequence = 0
  readonly #tenant: TestTenant

  constructor(tenant: TestTenant, networkTransactionId = newId('ntx', ENTRY_TIME_MS)) {
    this.#tenant = tenant
    this.id = newId('txn', ENTRY_TIME_MS)
    this.networkTransactionId = networkTransactionId
  }

  /** The next message of the network. The reason of a declined event is the daily limit. */
  message(kind: MessageKind, step: Step): DecisionEntry {
    const effect = this.#effect(step)
    const like = entryFor(this.#tenant)
    const receivedAtMs = ENTRY_TIME_MS + effect.sequence * STEP_MS
    const approved = step.event !== 'declined'
    const asked = kind === 'authorization' || kind === 'incremental'
    return {
      ...like,
      transactionId: this.id,
      requestId: newId('areq', receivedAtMs),
      receivedAtMs,
      cardAmountCents: step.amountCents,
      message: {
        ...like.message,
        kind,
        networkTransactionId: this.networkTransactionId,
        originalNetworkTransactionId: this.networkTransactionId,
        amountCents: step.amountCents,
        transmittedAtMs: receivedAtMs - 5,
        ...step.message,
      },
      decision: {
        ...like.decision,
        approved,
        approvedAmountCents: approved ? step.amountCents : 0,
        holdCents: approved && asked ? step.amountCents : 0,
        responseCode: approved ? '00' : '61',
        declineReason: approved ? null : 'limit_daily',
        decidedBy: asked ? 'static_controls' : 'network',
        tenant: null,
        standInWould: null,
        breaker: null,
        decidedAtMs: receivedAtMs + 40,
        ...step.decision,
      },
      effect,
      ...step.change,
    }
  }

  /** The entry of a change that the engine's lifecycle made. */
  changed(
    kind: MessageKind | 'expiry',
    change: Omit<Effect, 'link' | 'sequence'>,
    message: Partial<MessageRecord>,
  ): DecisionEntry | ExpiryEntry {
    const { event, amountCents, flags, holdExpiresAtMs } = change
    const step = { event, amountCents, flags, holdExpiresAtMs, message }
    this.sums = change.sums
    return kind === 'expiry' ? this.expiry(step) : this.message(kind, step)
  }

  /** Expires the hold. */
  expiry(step: Omit<Step, 'event'>): ExpiryEntry {
    const effect = this.#effect({ ...step, event: 'reversed' })
    const expiredAtMs = ENTRY_TIME_MS + effect.sequence * STEP_MS
    return { kind: 'expiry', transactionId: this.id, expiredAtMs, effect }
  }

  #effect(step: Step): Effect {
    this.sequence += 1
    this.flags = step.flags ?? this.flags
    for (const [name, cents] of Object.entries(step.sums ?? {}))
      this.sums = { ...this.sums, [name]: this.sums[name as keyof Sums] + cents }
    return {
      link: Buffer.alloc(16, 5),
      sequence: this.sequence,
      event: step.event,
      amountCents: step.event === 'declined' ? 0 : step.amountCents,
      sums: this.sums,
      flags: this.flags,
      holdExpiresAtMs: step.holdExpiresAtMs ?? 0,
      early: null,
    }
  }
}
