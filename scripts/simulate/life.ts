// The life of one card transaction, message by message: after each message its sums, its status,
// its events and its amount in a limit must be right. The story works out that amount a second time
// and never asks the service's own code.
import { isDeepStrictEqual } from 'node:util'
import type { EventType } from '../../shared/event-catalog.ts'
import type { MessageKind, NetworkMessage } from '../../shared/schemas/network-message.ts'
import { type Document, isDocument, valueAt } from './api.ts'
import { matching } from './differences.ts'
import { byToken, type MessageChange, type NetworkCard } from './message.ts'
import { type Answered, describeExchange } from './network.ts'
import type { SecretCard } from './sandbox.ts'
import { borrowLimits, type SetLimit, WIDE_CENTS } from './scenarios/spending.ts'
import type { Stage } from './stage.ts'

/** The only window that cannot turn over in the middle of a story. */
const INTERVAL = 'all_time'

const NO_SUMS = {
  authorized: 0,
  incremented: 0,
  adjusted: 0,
  reversed: 0,
  expired: 0,
  released: 0,
  captured: 0,
  capture_reversed: 0,
  refunded: 0,
  refund_reversed: 0,
  open_hold: 0,
}
type SumsOf = Partial<typeof NO_SUMS>

export interface Told {
  /** ISO 8583 field 39; that of an approval by default. */
  code?: string
  /** As the network hears it. */
  reason?: string
  /** More of the answer. */
  answer?: Document
  /** The event that is expected; null if the message changes nothing. */
  event: 'authorized' | 'declined' | 'captured' | 'refunded' | 'reversed' | null
  status: string
  /** Those not named are 0. Minor units of the card's currency. */
  sums: SumsOf
  flags?: readonly string[]
  /** Still reserved for a request that is not answered yet. */
  reserved?: number
  /** More of the transaction. */
  transaction?: Document
}

export class Life {
  readonly #stage: Stage
  readonly #card: SecretCard
  readonly #change: MessageChange & { card?: NetworkCard }
  readonly #setLimit: SetLimit
  readonly #countedBefore: number
  readonly #events: EventType[] = []
  #id: string | null = null
  #networkTransactionId: string | null = null

  private constructor(
    stage: Stage,
    card: SecretCard,
    begun: { change: MessageChange & { card?: NetworkCard }; setLimit: SetLimit; counted: number },
  ) {
    this.#stage = stage
    this.#card = card
    this.#change = begun.change
    this.#setLimit = begun.setLimit
    this.#countedBefore = begun.counted
  }

  /**
   * Begins a transaction. Every message of it is an everyday purchase with the card, with the given
   * changes. The card's limits are restored afterwards.
   */
  static async begin(
    stage: Stage,
    purpose: string,
    change: MessageChange & { card?: NetworkCard } = {},
  ): Promise<Life> {
    const card = stage.card(purpose)
    const setLimit = await borrowLimits(stage, card)
    await setLimit(INTERVAL, WIDE_CENTS)
    return new Life(stage, card, { change, setLimit, counted: await counted(stage, card) })
  }

  /** Leaves this much to be spent. */
  async leave(cents: number): Promise<void> {
    await this.#setLimit(INTERVAL, (await counted(this.#stage, this.#card)) + cents)
  }

  message(kind: MessageKind, amountCents: number, change: MessageChange = {}): NetworkMessage {
    const message = this.#stage.message(this.#card, {
      card: byToken(this.#card),
      ...this.#change,
      ...change,
      kind,
      amount_cents: amountCents,
    })
    this.#networkTransactionId ??= message.network_transaction_id
    return { ...message, network_transaction_id: this.#networkTransactionId }
  }

  /** The same with an id of its own: it names the transaction, as clearing does. */
  naming(kind: MessageKind, amountCents: number): NetworkMessage {
    const { network_transaction_id: original, ...message } = this.message(kind, amountCents)
    const network_transaction_id = message.id
    return { ...message, network_transaction_id, original_network_transaction_id: original }
  }

  /** Sends the next message about it and checks everything that comes of it. */
  async tell(
    kind: MessageKind,
    amount: number | (MessageChange & { amount_cents: number }),
    told: Told,
  ): Promise<Answered> {
    const change = typeof amount === 'number' ? { amount_cents: amount } : amount
    const message = this.message(kind, change.amount_cents, change)
    const answered = await this.#stage.send(message)
    await this.check(message, answered, told)
    return answered
  }

  /** Checks the transaction once this message was answered. */
  async check(message: NetworkMessage, { answer, exchange }: Answered, told: Told): Promise<void> {
    const at = message.kind + ' ' + (this.#events.length + 1)
    if (answer === null) return this.#stage.note(at + ': ' + describeExchange(exchange))
    const expected = {
      message_id: message.id,
      transaction_id: this.#id ?? matching(/^txn_/),
      response_code: told.code ?? '00',
      decline_reason: told.reason ?? null,
      ...told.answer,
    }
    this.#stage.check(at + ': answer', expected, answer)
    if (answer.transaction_id === null) return
    this.#id = answer.transaction_id
    if (told.event !== null) this.#events.push(('card.transaction.' + told.event) as EventType)
    await this.#checkRecorded(at, told)
  }

  async #checkRecorded(at: string, told: Told): Promise<void> {
    const { api } = this.#stage
    const id = String(this.#id)
    const sequence = this.#events.length
    const transaction = await api.transaction(id, (one) => Number(one['sequence']) >= sequence)
    const sums: { [name: string]: number } = {}
    for (const [name, cents] of Object.entries({ ...NO_SUMS, ...told.sums }))
      sums[name + '_cents'] = cents
    const flags = told.flags ?? []
    const { status } = told
    this.#stage.check(
      at + ': transaction',
      { id, sequence, status, sums, flags, ...told.transaction },
      transaction,
    )
    const events = await api.events(id)
    this.#stage.check(
      at + ': events',
      [...this.#events].reverse(),
      events.map((event) => event['type']),
    )
    if (!isDeepStrictEqual(valueAt(events[0], 'data', 'transaction'), transaction))
      this.#stage.note(at + ': data.transaction of the event is not what GET shows')
    const now = await counted(this.#stage, this.#card)
    this.#stage.check(
      at + ': counted',
      countedOf(told.sums) + (told.reserved ?? 0),
      now - this.#countedBefore,
    )
  }
}

/** The amount that a transaction of these sums counts in every limit. */
function countedOf({ open_hold = 0, captured = 0, capture_reversed = 0 }: SumsOf): number {
  return open_hold + Math.max(0, captured - capture_reversed)
}

/** Cents counted on the card's limit now. */
async function counted(stage: Stage, card: SecretCard): Promise<number> {
  const evaluation = await stage.api.evaluate(card.id, {
    amount_cents: 0,
    merchant: { id: 'merch_sim_grocery', mcc: '5411', country: 'US' },
  })
  const trace = evaluation['trace']
  const row = Array.isArray(trace)
    ? trace.find((step) => valueAt(step, 'inputs', 'interval') === INTERVAL)
    : undefined
  const inputs = valueAt(row, 'inputs')
  if (!isDocument(inputs)) throw new Error('the evaluation does not show the limit')
  return Number(inputs['used_before']) + Number(inputs['reserved_before'])
}
