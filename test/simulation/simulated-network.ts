// The messages of a card network in a simulated world: purchases and everything that may follow
// them, also too early, too late and without a purchase. The world decides their delivery,
// repetition and speed.
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { Random } from './random.ts'
import { CARDS, EUR_RATE } from './simulated-config.ts'

const AMOUNT_MAX = 2000
const INCREMENT_MAX = 300
const CREDIT_LEAST = 700
const CREDIT_SPREAD = 1000
/** Follow-ups concern one of this many latest purchases. */
const REMEMBERED_MAX = 12

interface Purchase {
  networkTransactionId: string
  token: string
}

const FOLLOW_UPS: readonly NetworkMessage['kind'][] = [
  'capture',
  'capture',
  'capture',
  'reversal',
  'reversal',
  'reversal',
  'incremental',
  'incremental',
  'incremental',
  'incremental',
  'refund',
  'advice',
  'capture_reversal',
  'refund_reversal',
]
const EARLY: readonly NetworkMessage['kind'][] = [
  'reversal',
  'reversal',
  'capture',
  'advice',
  'refund',
  'refund_reversal',
  'capture_reversal',
  'capture_reversal',
]
/** Kinds that mostly have their own id and name the purchase. */
const NAMING: ReadonlySet<NetworkMessage['kind']> = new Set(['refund', 'refund_reversal'])

export class SimulatedNetwork {
  /** Cards that messages are about, from the first on. */
  cards = CARDS
  readonly #random: Random
  readonly #purchases: Purchase[] = []
  /** Purchases that a follow-up overtook. */
  readonly #overtaken: Purchase[] = []
  /** A purchase whose capture was sent. */
  #captured: Purchase | undefined
  #messages = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** The next message, sent at a moment. */
  next(nowMs: number): NetworkMessage {
    const dice = this.#random.below(100)
    if (dice < 40 || this.#purchases.length === 0)
      return this.#message(nowMs, 'authorization', this.#purchase())
    if (dice < 54) return this.#credit(nowMs)
    if (dice < 56) {
      const kind = this.#random.pick(['account_verification', 'balance_inquiry'] as const)
      return this.#message(nowMs, kind, this.#remember(this.#new()))
    }
    if (dice < 63) {
      const purchase = this.#new()
      this.#overtaken.push(purchase)
      return this.#message(nowMs, this.#random.pick(EARLY), purchase)
    }
    const purchase = this.#random.pick(this.#purchases.slice(-REMEMBERED_MAX))
    const kind = this.#random.pick(FOLLOW_UPS)
    if (kind === 'capture' && (this.#captured === undefined || this.#random.chance(0.3)))
      this.#captured = purchase
    return this.#message(nowMs, kind, purchase)
  }

  /** A new purchase with this card. */
  purchase(nowMs: number, card: number): NetworkMessage {
    const purchase = { networkTransactionId: 'n' + this.#messages, token: 'tok_' + card }
    return this.#message(nowMs, 'authorization', this.#remember(purchase))
  }

  /** Mostly a new purchase; sometimes an overtaken one; now and then a reused id. */
  #purchase(): Purchase {
    const overtaken = this.#random.chance(0.4) ? this.#overtaken.pop() : undefined
    if (overtaken !== undefined) return this.#remember(overtaken)
    if (this.#purchases.length > 0 && this.#random.chance(0.03))
      return this.#remember(this.#random.pick(this.#purchases))
    return this.#remember(this.#new())
  }

  /**
   * Around the limit of one credit: a payout to the card without an original, or the refund of a
   * purchase.
   */
  #credit(nowMs: number): NetworkMessage {
    const networkTransactionId = 'c' + this.#messages
    const refunded = this.#random.chance(0.7) ? this.#captured : this.#purchases.at(-1)
    const original = this.#random.chance(0.5) ? refunded : undefined
    const { token } = original ?? this.#new()
    const credit = { networkTransactionId, token }
    const { billing: _billing, ...message } = this.#message(nowMs, 'authorization', credit)
    const amount_cents = CREDIT_LEAST + this.#random.below(CREDIT_SPREAD)
    const dollars = { ...message, amount_cents, currency: 'USD' }
    if (original === undefined) return { ...dollars, transaction_type: 'original_credit' }
    const named = { original_network_transaction_id: original.networkTransactionId }
    return { ...dollars, ...named, transaction_type: 'refund' }
  }

  #new(): Purchase {
    return {
      networkTransactionId: 'n' + this.#messages,
      token: 'tok_' + this.#random.below(this.cards),
    }
  }

  #remember(purchase: Purchase): Purchase {
    this.#purchases.push(purchase)
    return purchase
  }

  /** Sometimes in euros: billed by our rate, by any rate of the network, or not at all. */
  #converted(amount: number): Partial<NetworkMessage> {
    if (!this.#random.chance(0.15)) return {}
    const billed = this.#random.chance(0.5)
      ? Math.round(amount * EUR_RATE)
      : this.#random.below(amount === 0 ? 1 : 2 * AMOUNT_MAX)
    const billing = { amount_cents: billed, currency: 'USD' }
    return { currency: 'EUR', ...(this.#random.chance(0.8) && { billing }) }
  }

  #message(
    nowMs: number,
    kind: NetworkMessage['kind'],
    { networkTransactionId, token }: Purchase,
  ): NetworkMessage {
    const nothing = kind === 'account_verification' || kind === 'balance_inquiry'
    const names = NAMING.has(kind) && this.#random.chance(0.7)
    const number = this.#messages++
    const amount = nothing
      ? 0
      : this.#random.below(kind === 'incremental' ? INCREMENT_MAX : AMOUNT_MAX)
    return {
      id: 'm' + number,
      kind,
      transmitted_at: new Date(nowMs).toISOString(),
      network_transaction_id: names ? 'r' + number : networkTransactionId,
      ...(names && { original_network_transaction_id: networkTransactionId }),
      card: { token },
      amount_cents: amount,
      currency: 'USD',
      ...this.#converted(amount),
      ...(this.#random.chance(0.04) && { cashback_cents: this.#random.below(2 * AMOUNT_MAX) }),
      ...(this.#random.chance(0.04) && { fee_cents: this.#random.below(2 * AMOUNT_MAX) }),
      partial_approval_capable: this.#random.chance(0.5),
      ...(kind === 'capture' ? { final: this.#random.chance(0.5) } : {}),
      ...(kind === 'advice' ? { advice: { approved: this.#random.chance(0.8) } } : {}),
      merchant: { id: 'm-1', name: 'Shop', mcc: '5411', city: 'X', country: 'US' },
    }
  }
}
