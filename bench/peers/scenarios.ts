// Checks that every peer must pass before it is measured: no subject spends more than a limit
// however many requests come at once, and a message is decided once however often it comes.
import { newMessage } from '../../scripts/simulate/message.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { Ask, Told } from './network.ts'

/** A peer that can be asked, and looked into. */
export interface Checked {
  ask: Ask
  /** The amount that a subject spent today, in cents. */
  spentCents(subjectId: string): Promise<number>
}

/** A card of the world for this check alone. */
export interface CheckCard {
  id: string
  token: string
}

const AMOUNT_CENTS = 100
const AT_ONCE = 200
/** Purchases of AT_ONCE that the limit of a check card admits. */
const ADMITTED = 37
export const CHECK_LIMIT_CENTS = ADMITTED * AMOUNT_CENTS
const REPEATS = 50

/** Returns the mistakes as sentences; empty without any. */
export async function overspend(peer: Checked, card: CheckCard): Promise<string[]> {
  const messages = Array.from({ length: AT_ONCE }, () => purchase(card))
  const answers = (await Promise.all(messages.map(peer.ask))).map(answerIn)
  const approved = answers.filter((answer) => answer?.approved === true).length
  const declined = answers.filter((answer) => answer?.decline_reason === 'limit_daily').length
  const spent = await peer.spentCents(card.id)
  return [
    ...told(
      approved === ADMITTED,
      AT_ONCE + ' at once: ' + approved + ' approved, not ' + ADMITTED,
    ),
    ...told(declined === AT_ONCE - ADMITTED, declined + ' declined by the limit'),
    ...told(spent === CHECK_LIMIT_CENTS, 'spent are ' + spent + ', not ' + CHECK_LIMIT_CENTS),
  ]
}

/** Returns the mistakes as sentences; empty without any. */
export async function duplicates(peer: Checked, card: CheckCard): Promise<string[]> {
  const message = purchase(card)
  const atOnce = await Promise.all(Array.from({ length: REPEATS }, () => peer.ask(message)))
  const later = await peer.ask(message)
  const first = atOnce[0]
  const same = [...atOnce, later].every(
    ({ status, text }) => status === 200 && text === first?.text,
  )
  const approved = first !== undefined && answerIn(first)?.approved === true
  const other = answerIn(await peer.ask({ ...message, amount_cents: AMOUNT_CENTS + 1 }))
  const again = await peer.ask(message)
  const spent = await peer.spentCents(card.id)
  return [
    ...told(approved, 'a message that came often was answered ' + first?.text),
    ...told(same, 'a message that came ' + REPEATS + ' times at once had several answers'),
    ...told(again.text === first?.text, 'a message had another answer after a false repeat'),
    ...told(
      other?.approved === false && other.decline_reason === 'duplicate_mismatch',
      'other content under the same id was answered ' + JSON.stringify(other),
    ),
    ...told(spent === AMOUNT_CENTS, 'a message that came often spent ' + spent),
  ]
}

/** A purchase with an id of its own. */
export function purchase(card: Pick<CheckCard, 'token'>): NetworkMessage {
  const change = { amount_cents: AMOUNT_CENTS }
  return newMessage({ token: card.token }, { now: Date.now(), currency: 'USD' }, change)
}

/** Returns the answer of a decision; null for any other. */
export function answerIn({ status, text }: Told): NetworkAnswer | null {
  return status === 200 ? (JSON.parse(text) as NetworkAnswer) : null
}

function told(right: boolean, problem: string): string[] {
  return right ? [] : [problem]
}
