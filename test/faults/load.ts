// The messages that the card network of the faults sends. A kind of message is one row of KINDS;
// the load mixes them by weight.
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { isoInstant, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'

/**
 * The base of a message: the card, and an approved authorization on it, or null while there is
 * none.
 */
export interface LoadMoment {
  card: SandboxCard
  turn: number
  approved: NetworkMessage | null
}

interface Kind {
  /**
   * Share of this kind among all messages; a kind that needs an approval becomes a purchase while
   * there is none.
   */
  weight: number
  make(moment: LoadMoment): NetworkMessage | null
}

const KINDS: readonly Kind[] = [
  { weight: 12, make: ({ card, turn }) => purchase(card, turn) },
  { weight: 2, make: (moment) => about(moment, { kind: 'incremental', amount_cents: 50 }) },
  { weight: 1, make: (moment) => about(moment, { kind: 'reversal', amount_cents: 25 }) },
  { weight: 1, make: (moment) => about(moment, { kind: 'reversal' }) },
  {
    weight: 2,
    make: (moment) => about(moment, { kind: 'capture', amount_cents: 40, final: false }),
  },
  { weight: 2, make: (moment) => about(moment, { kind: 'capture' }) },
  { weight: 1, make: (moment) => about(moment, { kind: 'refund', amount_cents: 10 }) },
  { weight: 1, make: ({ card, turn }) => ({ ...purchase(card, turn), kind: 'refund' }) },
  { weight: 1, make: ({ card, turn }) => ({ ...purchase(card, turn), kind: 'capture' }) },
  {
    weight: 1,
    make: ({ card, turn }) => ({
      ...purchase(card, turn),
      kind: 'advice',
      advice: { approved: true },
    }),
  },
  { weight: 1, make: ({ card }) => ({ ...authorization(card, 0), kind: 'account_verification' }) },
  { weight: 1, make: ({ card }) => ({ ...authorization(card, 0), kind: 'balance_inquiry' }) },
]
const WHEEL = KINDS.flatMap((kind) => new Array<Kind>(kind.weight).fill(kind))
/** Coprime to the number of turns, so that every kind meets every card. */
const STEP = 7
const CENTS_MAX = 900

/** The message of a turn; the kinds alternate. */
export function nextMessage(moment: LoadMoment): NetworkMessage {
  const kind = WHEEL[(moment.turn * STEP) % WHEEL.length]
  return kind?.make(moment) ?? purchase(moment.card, moment.turn)
}

/** An authorization of an amount that differs from turn to turn. */
export function purchase(card: SandboxCard, turn: number): NetworkMessage {
  return authorization(card, 1 + ((turn * 7) % CENTS_MAX))
}

/** A message about the latest approval on the card. */
function about(
  { card, approved }: LoadMoment,
  change: Partial<NetworkMessage>,
): NetworkMessage | null {
  if (approved === null) return null
  return {
    ...authorization(card, approved.amount_cents),
    network_transaction_id: approved.network_transaction_id,
    ...change,
  }
}

/** An authorization of an amount in cents, by PAN. */
export function authorization(card: SandboxCard, cents: number): NetworkMessage {
  const id = newId('msg', systemClock.nowMs())
  return {
    id,
    kind: 'authorization',
    transmitted_at: isoInstant(systemClock.nowMs()),
    network_transaction_id: 'n' + id,
    card: { pan: card.pan, exp_month: card.exp_month, exp_year: card.exp_year, cvc: card.cvc },
    amount_cents: cents,
    currency: card.currency,
    merchant: { id: 'merch_faults', name: 'Faults', mcc: '5411', city: 'Portland', country: 'US' },
    entry_method: 'chip',
    partial_approval_capable: false,
  }
}
