// The messages of a front door that are not answered yet: sent to the owner, kept while there is
// none, sent again to the next one. The owner decides each once, whatever a door does.
import type { Clock } from '../../shared/clock.ts'
import { ERRORS, errorBody } from '../../shared/error-catalog.ts'
import { CONCLUDE_LATEST_MS } from '../../shared/limits.ts'
import type { Logger } from '../../shared/log.ts'
import { FIRST_SHARD } from '../../shared/shards.ts'
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

/** The place of a message before it is known, and of a group that moves. */
const NOWHERE = ''

/** Where a message belongs. */
export interface Place {
  shard: string
  /** No shard is known for its card: the engine may say so. */
  unlocated: boolean
}

/** With one shard there is nothing to look up. */
const ONLY: Place = { shard: FIRST_SHARD, unlocated: false }

/** A message as the door got it: signed by its network, or over a link of ISO 8583. */
export interface DoorMessage extends SignedMessage {
  /** The link's key is in `keyId`, and the body is the message as JSON. */
  linked?: boolean
}

interface Held {
  raw: DoorMessage
  /** The shard that it was sent to last. */
  shard: string
  /** False before the first look, and where the engine decides nothing for it. */
  isPlaced: boolean
  unlocated: boolean
  /** Times that a place was looked up for it. */
  looks: number
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
  /** It takes messages of links; a release before does not. */
  readonly takesLinked: boolean
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
  /** Messages of links that were refused before an owner had them. */
  refused = 0
  /** Messages that a second look sent to another shard. */
  misplaced = 0
  /** Messages about cards that the door does not know. */
  unlocated = 0
  /** True once the door stops: no message is taken any more. */
  stopping = false
  readonly #clock: Clock
  readonly #log: Logger
  readonly #place: (raw: SignedMessage, look: number) => Place | null
  readonly #open = new Map<number, Held>()
  /** By shard. */
  readonly #owners = new Map<string, OwnerSide>()
  #id = 0

  /**
   * `place` names the shard of a message, null where none decides for it now; `look` counts the
   * looks for this message from 0.
   */
  constructor({
    clock,
    log,
    place = () => ONLY,
  }: {
    clock: Clock
    log: Logger
    place?(raw: SignedMessage, look: number): Place | null
  }) {
    this.#clock = clock
    this.#log = log
    this.#place = place
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
  take(raw: DoorMessage): void {
    if (this.stopping) return refuse(raw, 'not_ready', 'The front door stops.')
    if (this.#open.size >= OPEN_MAX) return refuse(raw, 'overloaded', 'Too many messages wait.')
    this.#id = (this.#id + 1) % ID_MAX
    // The listener uses the memory of a body again after this turn.
    const kept = { ...raw, body: Buffer.from(raw.body) }
    const nowhere = { shard: NOWHERE, isPlaced: false, unlocated: false, looks: 0 }
    const held = { raw: kept, ...nowhere, epoch: 0, isSent: false, deaths: 0, notBeforeNs: 0 }
    this.#open.set(this.#id, held)
    this.#send(this.#id, held)
  }

  /** The owner changed: the messages of the one before count as open at its death. */
  replaced(owner: OwnerSide, shard: string = FIRST_SHARD): void {
    this.closed(shard)
    this.#owners.set(shard, owner)
    for (const held of this.#heldBy(shard))
      if (held.epoch !== 0 && held.epoch !== owner.epoch) {
        held.deaths += 1
        held.epoch = 0
      }
  }

  /** The same owner goes on in another epoch over the same connection: nothing died. */
  renamed(epoch: number, shard: string = FIRST_SHARD): void {
    for (const held of this.#heldBy(shard)) if (held.epoch !== 0) held.epoch = epoch
  }

  /** The connection to the owner is open: everything that waits is sent, oldest first. */
  opened(shard: string = FIRST_SHARD): void {
    for (const [id, held] of this.#open)
      if (held.shard === shard || held.shard === NOWHERE) this.#send(id, held)
  }

  /** The connection closed: what the owner had may be decided or not. */
  closed(shard: string = FIRST_SHARD): void {
    for (const held of this.#heldBy(shard)) held.isSent = false
  }

  answer({ id, status, body }: AnswerFrame): void {
    const held = this.#open.get(id)
    if (held === undefined) return
    if (status === ERRORS.not_ready.status) {
      // Nothing was decided, and the owner goes on: no death.
      held.isSent = false
      held.epoch = 0
      held.notBeforeNs = this.#clock.monotonicNs() + REFUSED_AGAIN_MS * 1e6
      held.isPlaced = false
      return
    }
    this.#open.delete(id)
    this.answered += 1
    held.raw.reply.send(status, body)
  }

  #send(id: number, held: Held): void {
    if (held.isSent) return
    if (!held.isPlaced && !this.#placeNow(held)) return
    const owner = this.#owners.get(held.shard)
    if (owner === undefined || !owner.isOpen) return
    const { linked = false } = held.raw
    if (linked && !owner.takesLinked) return
    if (held.deaths >= DEATHS_MAX) return this.#quarantine(id, held)
    if (held.epoch !== 0 || held.deaths > 0) this.resent += 1
    held.isSent = true
    held.epoch = owner.epoch
    const { signature, keyId, body } = held.raw
    const { unlocated } = held
    owner.send({ id, ageMs: this.#ageMs(held.raw), unlocated, linked, signature, keyId, body })
  }

  /** False where no shard decides for the message now. */
  #placeNow(held: Held): boolean {
    const place = this.#place(held.raw, held.looks)
    held.looks += 1
    if (place === null) {
      held.notBeforeNs = this.#clock.monotonicNs() + REFUSED_AGAIN_MS * 1e6
      return false
    }
    if (held.looks > 1 && place.shard !== held.shard) this.misplaced += 1
    if (place.unlocated && !held.unlocated) this.unlocated += 1
    held.shard = place.shard
    held.unlocated = place.unlocated
    held.isPlaced = true
    return true
  }

  *#heldBy(shard: string): Iterable<Held> {
    for (const held of this.#open.values()) if (held.shard === shard) yield held
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
