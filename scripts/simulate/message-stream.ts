// The messages of a load in order, built and signed a little ahead of their time so that sending
// costs no hashing.
import type { Clock } from '../../shared/clock.ts'
import { randomSecret } from '../../shared/id.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { SentMessage } from './load-check.ts'
import { byToken, newMessage } from './message.ts'
import type { SecretCard } from './sandbox.ts'
import { asksTenant } from './schedule.ts'

/**
 * A few seconds of load; far less than the 300 s a signature holds, even at one message a second.
 */
const PREPARED_MAX = 8192
const PREPARED_AHEAD_S = 30
const AMOUNT_CENTS = 100

export interface StreamInput {
  /** Encodes a message for the port of the load. */
  encode(message: NetworkMessage, index: number, nowMs: number): Buffer
  plainCards: readonly SecretCard[]
  realtimeCards: readonly SecretCard[]
  realtimeShare: number
  ratePerS: number
  count: number
  clock: Clock
}

export interface PreparedMessage {
  sent: SentMessage
  bytes: Buffer
}

export interface MessageStream {
  /** The next message; built on the spot where nothing is prepared. */
  next(): PreparedMessage
  /** Prepares up to `messagesMax` more. False when there is nothing left to prepare for now. */
  prepare(messagesMax: number): boolean
}

export function openMessageStream(input: StreamInput): MessageStream {
  const run = randomSecret(9)
  const ahead = Math.min(PREPARED_MAX, Math.ceil(input.ratePerS * PREPARED_AHEAD_S))
  const slots: (PreparedMessage | undefined)[] = new Array(ahead)
  let built = 0
  let taken = 0
  const build = (): PreparedMessage => prepared(input, run, built++)
  return {
    next() {
      if (taken === built) {
        taken++
        return build()
      }
      const slot = taken++ % ahead
      const message = slots[slot] ?? build()
      slots[slot] = undefined
      return message
    },
    prepare(messagesMax) {
      for (let count = 0; count < messagesMax; count++) {
        if (built === input.count || built - taken === ahead) return false
        const slot = built % ahead
        slots[slot] = build()
      }
      return true
    },
  }
}

function prepared(input: StreamInput, run: string, index: number): PreparedMessage {
  const realtime = asksTenant(index, input.realtimeShare)
  const card = pick(realtime ? input.realtimeCards : input.plainCards, index)
  const now = input.clock.nowMs()
  const id = 'msg_' + run + '_' + index
  const message = newMessage(
    byToken(card),
    { now, currency: card.currency },
    { id, amount_cents: AMOUNT_CENTS },
  )
  return {
    sent: { index, id, amountCents: AMOUNT_CENTS, realtime },
    bytes: input.encode(message, index, now),
  }
}

function pick(cards: readonly SecretCard[], index: number): SecretCard {
  const card = cards[index % cards.length]
  if (card === undefined) throw new Error('the sandbox has no cards for a load')
  return card
}
