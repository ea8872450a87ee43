// The messages of a front door that are not answered yet: sent to the owner, kept while there is
// none, sent again to the next one. The owner decides each once, whatever a door does.
import type { Clock } from '../../shared/clock.ts'
import { ERRORS, errorBody } from '../../shared/error-catalog.ts'
import { CONCLUDE_LATEST_MS } from '../../shared/limits.ts'
import type { Logger } from '../../shared/log.ts'
import type { SignedMessage } from '../line/receive.ts'
import type { AnswerFrame, MessageFrame } from '../member/message-frames.ts'

/** From the first byte: afterwards the network has declined or asked its stand-in. Spec 8. */
const HELD_MS_MAX = 1500
/** An owner that has the message concludes it by itself; this much later its answer is here. */
const SENT_MS_MAX = CONCLUDE_LATEST_MS + 250
const CHECK_MS = 10
/** A message that a ready owner refused for the moment is sent again after this. */
const REFUSED_AGAIN_MS = 20
const OPEN_MAX = 20_000
/** Owners that ended while the message was open with them; the next one does not get it. */
const DEATHS_MAX = 2
const ID_MAX = 2 ** 32

interface Held {
  raw: SignedMessage
  /** Epoch of the owner that has it now, or had it last; 0 before the first. */
  epoch: number
  /** True while an owner has it. */
  isSent: boolean
  /** Owners that ended or were replaced while they had it. */
  deaths: number
  /** Monotonic nanoseconds before which it is not sent again. */
  notBeforeNs: number
}

/** The owner's side of the door at this moment. */
export interface OwnerSide {
  readonly epoch: number
  readonly isOpen: boolean
  send(message: MessageFrame): void
}

export class HeldMessages {
  /** Messages that were sent again, to another owner or to the same one. */
  resent = 0
  /** Messages that no owner answered in time. */
  expired = 0
  /** Messages that were open at two deaths in a row. */
  quarantined = 0
  answered = 0
  readonly #clock: Clock
  readonly #log: Logger
  readonly #open = new Map<number, Held>()
  #owner: OwnerSide | null = null
  #id = 0

  constructor({ clock, log }: { clock: Clock; log: Logger }) {
    this.#clock = clock
    this.#log = log
    this.#look()
  }

  get size(): number {
    return this.#open.size
  }

  /** Age of the oldest message in milliseconds; 0 where none is open. */
  get oldestMs(): number {
    for (const { raw } of this.#open.values()) return this.#ageMs(raw)
    return 0
  }

  /** Takes a message from a network. */
  take(raw: SignedMessage): void {
    if (this.#open.size >= OPEN_MAX) return refuse(raw, 'overloaded', 'Too many messages wait.')
    this.#id = (this.#id + 1) % ID_MAX
    // The listener uses the memory of a body again after this turn.
    const kept = { ...raw, body: Buffer.from(raw.body) }
    const held = { raw: kept, epoch: 0, isSent: false, deaths: 0, notBeforeNs: 0 }
    this.#open.set(this.#id, held)
    this.#send(this.#id, held)
  }

  /** The owner changed: the messages of the one before count as open at its death. */
  replaced(owner: OwnerSide): void {
    this.closed()
    this.#owner = owner
    for (const held of this.#open.values())
      if (held.epoch !== 0 && held.epoch !== owner.epoch) {
        held.deaths += 1
        held.epoch = 0
      }
  }

  /** The same owner goes on in another epoch over the same connection: nothing died. */
  renamed(epoch: number): void {
    for (const held of this.#open.values()) if (held.epoch !== 0) held.epoch = epoch
  }

  /** The connection to the owner is open: everything that waits is sent, oldest first. */
  opened(): void {
    for (const [id, held] of this.#open) this.#send(id, held)
  }

  /** The connection closed: what the owner had may be decided or not. */
  closed(): void {
    for (const held of this.#open.values()) held.isSent = false
  }

  answer({ id, status, body }: AnswerFrame): void {
    const held = this.#open.get(id)
    if (held === undefined) return
    if (status === ERRORS.not_ready.status) {
      // Nothing was decided, and the owner goes on: no death.
      held.isSent = false
      held.epoch = 0
      held.notBeforeNs = this.#clock.monotonicNs() + REFUSED_AGAIN_MS * 1e6
      return
    }
    this.#open.delete(id)
    this.answered += 1
    held.raw.reply.send(status, body)
  }

  #send(id: number, held: Held): void {
    const owner = this.#owner
    if (owner === null || !owner.isOpen || held.isSent) return
    if (held.deaths >= DEATHS_MAX) return this.#quarantine(id, held)
    if (held.epoch !== 0 || held.deaths > 0) this.resent += 1
    held.isSent = true
    held.epoch = owner.epoch
    const { signature, keyId, body } = held.raw
    owner.send({ id, ageMs: this.#ageMs(held.raw), signature, keyId, body })
  }

  #quarantine(id: number, { raw }: Held): void {
    this.#open.delete(id)
    this.quarantined += 1
    this.#log.error('a message was open when two owners in a row ended: it is sent to no third one')
    refuse(raw, 'not_ready', 'Two engines ended while they had this message.')
  }

  #look(): void {
    const nowNs = this.#clock.monotonicNs()
    for (const [id, held] of this.#open) {
      if (this.#ageMs(held.raw) > (held.isSent ? SENT_MS_MAX : HELD_MS_MAX)) {
        this.#open.delete(id)
        this.expired += 1
        refuse(held.raw, 'not_ready', 'No engine answered in time.')
      } else if (!held.isSent && nowNs >= held.notBeforeNs) this.#send(id, held)
    }
    this.#clock.after(CHECK_MS, () => this.#look())
  }

  #ageMs({ receivedNs }: SignedMessage): number {
    return (this.#clock.monotonicNs() - receivedNs) / 1e6
  }
}

function refuse({ reply }: SignedMessage, code: 'not_ready' | 'overloaded', detail: string): void {
  reply.send(ERRORS[code].status, JSON.stringify(errorBody(code, null, detail)))
}
