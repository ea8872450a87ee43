// Earlier answers, packed, so a repeated message gets the identical answer: 54 bytes a record in
// the order of decision, found through many small hash tables that grow one at a time, so no answer
// waits for the growth of a big one.
import { assert } from '../../shared/assert.ts'
import { DECLINE_REASONS, type DeclineReason } from '../../shared/decline-reason.ts'
import { encodeId } from '../../shared/id.ts'
import type { DecidedBy } from '../../shared/wire/journal-entry.ts'
import { numbered, numberOf, renumbered } from '../memory/interned-names.ts'
import { OffHeapPieces } from '../memory/off-heap-memory.ts'
import { codeOf, packedCode } from '../memory/packed-code.ts'
import { RECORDS_PER_SLAB, SLOTS, SlotIndex } from '../memory/slot-index.ts'

/** One record. The offsets below lay it out, little-endian. */
const RECORD_BYTES = 54
/** Stored bytes of a key: the chance that two of a hundred million share them is 1 in 10^13. */
const KEPT_BYTES = 12
const KEY_BYTES = 16
const [HASH_AT, HASH_BYTES] = [KEPT_BYTES, 8]
const [TRANSACTION_AT, TRANSACTION_BYTES] = [20, 16]
const AMOUNT_AT = 36
const RECEIVED_AT = 43
const CODE_AT = 48
const REASON_AT = 52
const FLAGS_AT = 53
const DECIDED_BY_MASK = 7
const APPROVED = 8
const STAND_IN = 16
const HAS_TRANSACTION = 32
/** The amount is the answer to a balance inquiry, not an approved amount. */
const AVAILABLE = 64

/** 2020-01-01: five bytes of milliseconds from there last until 2054. */
const ORIGIN_MS = Date.UTC(2020, 0, 1)
const TWO_TO_32 = 2 ** 32
const CODE_CHARACTERS = 6
const ADVISED_CHARACTERS = 2
const NO_REASON = 0
const FORMAT = 1
const SLAB_BYTES = RECORDS_PER_SLAB * RECORD_BYTES

const REASONS = Object.keys(DECLINE_REASONS) as readonly DeclineReason[]
const DECIDERS: readonly DecidedBy[] = [
  'static_controls',
  'tenant',
  'stand_in',
  'system',
  'network',
  'sponsor_bank',
]
/** The one reason whose code comes from the network. */
const ADVISED: DeclineReason = 'network_stand_in_declined'
const REASON_NUMBERS = numbered(REASONS)
const DECIDER_NUMBERS = numbered(DECIDERS)

interface Outcome {
  approved: boolean
  approvedAmountCents: number
  /** Six of 0-9 and A-Z, or null. */
  authorizationCode: string | null
  declineReason: DeclineReason | null
  decidedBy: DecidedBy
  standIn: boolean
  /** Answer to a balance inquiry, or null. */
  availableCents: number | null
  /** Field 39 of an advice that declined: two of 0-9 and A-Z; null otherwise. */
  advisedCode: string | null
  receivedAtMs: number
}

export interface AnswerToRecall extends Outcome {
  /** 16 bytes of Derivation.messageKey. */
  key: Buffer
  /** 8 bytes of Derivation.contentHash. */
  contentHash: Buffer
  /** The 16 bytes of the transaction's id, or null without a card. */
  transaction: Buffer | null
}

export interface RecalledAnswer extends Outcome {
  contentHash: Buffer
  transactionId: string | null
}

/**
 * Numbers of reasons and deciders in a snapshot, so a later version may add or move a row safely.
 */
interface SnapshotHead {
  format: number
  recordBytes: number
  reasons: readonly string[]
  deciders: readonly string[]
  records: number
}

export class RecallTable {
  /** By slot / RECORDS_PER_SLAB; slots wrap around after 2^31. */
  readonly #slabs = new Map<number, Buffer>()
  readonly #memory = new OffHeapPieces<Buffer>(SLAB_BYTES, (memory) => Buffer.from(memory))
  readonly #index = new SlotIndex({
    low: (slot) => this.#word(slot, 0),
    high: (slot) => this.#word(slot, 4),
    holds: (slot, key) => this.#holds(slot, key),
  })
  #oldest = 0
  #next = 0
  #head: SnapshotHead | null = null

  get size(): number {
    return this.#next - this.#oldest
  }

  /** Bytes held for records and index, for the metrics. */
  get bytes(): number {
    return this.#memory.bytes + this.#index.bytes
  }

  /** Returns the slot of a message's answer, or -1. Valid until the next `expire`. */
  find(key: Buffer): number {
    return this.#index.find(key)
  }

  /** Remembers an answer; an answer under the same key is replaced in place. */
  put(answer: AnswerToRecall): void {
    assert(answer.key.length === KEY_BYTES, 'a message key of 16 bytes')
    const known = this.find(answer.key)
    if (known !== -1) return this.#write(known, answer)
    assert(this.size < SLOTS - RECORDS_PER_SLAB, 'more answers than slots')
    const slot = this.#next % SLOTS
    if (slot % RECORDS_PER_SLAB === 0) this.#openSlab(slot)
    this.#write(slot, answer)
    this.#next += 1
    this.#index.add(slot)
  }

  #write(slot: number, answer: AnswerToRecall): void {
    const slab = this.#slab(slot)
    const at = (slot % RECORDS_PER_SLAB) * RECORD_BYTES
    const { transaction, availableCents } = answer
    const amount = availableCents ?? answer.approvedAmountCents
    assert(answer.contentHash.length === HASH_BYTES, 'a content hash of 8 bytes')
    assert(Number.isSafeInteger(amount) && amount >= 0, 'an amount in minor units')
    // The hash overwrites the part of the key that is not stored.
    slab.set(answer.key, at)
    slab.set(answer.contentHash, at + HASH_AT)
    if (transaction === null) {
      slab.fill(0, at + TRANSACTION_AT, at + TRANSACTION_AT + TRANSACTION_BYTES)
    } else {
      assert(transaction.length === TRANSACTION_BYTES, 'a transaction id of 16 bytes')
      slab.set(transaction, at + TRANSACTION_AT)
    }
    const reason = answer.declineReason
    const code =
      reason === ADVISED
        ? packedCode(answer.advisedCode, ADVISED_CHARACTERS)
        : packedCode(answer.authorizationCode, CODE_CHARACTERS)
    slab.writeUInt32LE(code, at + CODE_AT)
    slab.writeUIntLE(Math.max(0, answer.receivedAtMs - ORIGIN_MS), at + RECEIVED_AT, 5)
    slab.writeUInt32LE(amount % TWO_TO_32, at + AMOUNT_AT)
    slab.writeUIntLE(Math.floor(amount / TWO_TO_32), at + AMOUNT_AT + 4, 3)
    slab[at + REASON_AT] = reason === null ? NO_REASON : numberOf(REASON_NUMBERS, reason)
    slab[at + FLAGS_AT] =
      numberOf(DECIDER_NUMBERS, answer.decidedBy) |
      (answer.approved ? APPROVED : 0) |
      (answer.standIn ? STAND_IN : 0) |
      (transaction === null ? 0 : HAS_TRANSACTION) |
      (availableCents === null ? 0 : AVAILABLE)
  }

  /** Returns the answer in a slot from `find`. */
  read(slot: number): RecalledAnswer {
    const slab = this.#slab(slot)
    const at = (slot % RECORDS_PER_SLAB) * RECORD_BYTES
    const flags = slab[at + FLAGS_AT] as number
    const transaction = slab.subarray(at + TRANSACTION_AT, at + TRANSACTION_AT + TRANSACTION_BYTES)
    const decidedBy = DECIDERS[(flags & DECIDED_BY_MASK) - 1]
    assert(decidedBy !== undefined, 'a recalled answer names who decided it')
    const amount =
      slab.readUIntLE(at + AMOUNT_AT + 4, 3) * TWO_TO_32 + slab.readUInt32LE(at + AMOUNT_AT)
    const available = (flags & AVAILABLE) !== 0
    const declineReason = REASONS[(slab[at + REASON_AT] ?? NO_REASON) - 1] ?? null
    const code = slab.readUInt32LE(at + CODE_AT)
    const advised = declineReason === ADVISED
    return {
      contentHash: Buffer.from(slab.subarray(at + HASH_AT, at + HASH_AT + HASH_BYTES)),
      transactionId: (flags & HAS_TRANSACTION) === 0 ? null : 'txn_' + encodeId(transaction),
      approved: (flags & APPROVED) !== 0,
      approvedAmountCents: available ? 0 : amount,
      authorizationCode: advised ? null : codeOf(code, CODE_CHARACTERS),
      declineReason,
      decidedBy,
      standIn: (flags & STAND_IN) !== 0,
      availableCents: available ? amount : null,
      advisedCode: advised ? codeOf(code, ADVISED_CHARACTERS) : null,
      receivedAtMs: this.#receivedAtMs(slot),
    }
  }

  /**
   * Forgets answers received before a moment, oldest first, at most `budget` of them; returns their
   * number. It stops at the first younger one, so an answer decided late may outlive its time by
   * the length of a decision.
   */
  expire(beforeMs: number, budget: number): number {
    let expired = 0
    while (expired < budget && this.size > 0) {
      const slot = this.#oldest % SLOTS
      if (this.#receivedAtMs(slot) >= beforeMs) break
      this.#index.remove(slot)
      this.#oldest += 1
      expired += 1
      if (this.#oldest % RECORDS_PER_SLAB === 0) this.#closeSlab(slot)
    }
    return expired
  }

  /**
   * All answers, oldest first. The chunks share memory with the table: write them before changing
   * it.
   */
  *chunks(): Iterable<Buffer> {
    const head: SnapshotHead = {
      format: FORMAT,
      recordBytes: RECORD_BYTES,
      reasons: REASONS,
      deciders: DECIDERS,
      records: this.size,
    }
    yield Buffer.from(JSON.stringify(head))
    for (let from = this.#oldest; from < this.#next; ) {
      const slot = from % SLOTS
      const begin = slot % RECORDS_PER_SLAB
      const count = Math.min(RECORDS_PER_SLAB - begin, this.#next - from)
      yield this.#slab(slot).subarray(begin * RECORD_BYTES, (begin + count) * RECORD_BYTES)
      from += count
    }
  }

  /** Loads the chunks of `chunks()` one after another, in order, into an empty table. */
  load(chunk: Buffer): void {
    if (this.#head === null) {
      assert(this.size === 0, 'a snapshot is loaded into an empty table')
      this.#head = JSON.parse(chunk.toString()) as SnapshotHead
      const { format, recordBytes, records } = this.#head
      assert(format === FORMAT && recordBytes === RECORD_BYTES, 'recall of unknown format')
      this.#index.reserve(records)
      return
    }
    const reasons = renumbered(this.#head.reasons, REASON_NUMBERS)
    const deciders = renumbered(this.#head.deciders, DECIDER_NUMBERS)
    for (let from = 0; from < chunk.length; from += RECORD_BYTES) {
      const slot = this.#next % SLOTS
      if (slot % RECORDS_PER_SLAB === 0) this.#openSlab(slot)
      const slab = this.#slab(slot)
      const at = (slot % RECORDS_PER_SLAB) * RECORD_BYTES
      chunk.copy(slab, at, from, from + RECORD_BYTES)
      slab[at + REASON_AT] = reasons[slab[at + REASON_AT] ?? NO_REASON] ?? NO_REASON
      const flags = slab[at + FLAGS_AT] as number
      slab[at + FLAGS_AT] =
        (flags & ~DECIDED_BY_MASK) | (deciders[flags & DECIDED_BY_MASK] as number)
      this.#next += 1
      this.#index.add(slot)
    }
  }

  #openSlab(slot: number): void {
    this.#slabs.set(slabOf(slot), this.#memory.take())
  }

  #closeSlab(slot: number): void {
    this.#memory.giveBack(this.#slab(slot))
    this.#slabs.delete(slabOf(slot))
  }

  #slab(slot: number): Buffer {
    const slab = this.#slabs.get(slabOf(slot))
    assert(slab !== undefined, 'a slot without a slab')
    return slab
  }

  #word(slot: number, offset: number): number {
    return this.#slab(slot).readUInt32LE((slot % RECORDS_PER_SLAB) * RECORD_BYTES + offset)
  }

  #holds(slot: number, key: Buffer): boolean {
    const at = (slot % RECORDS_PER_SLAB) * RECORD_BYTES
    return this.#slab(slot).compare(key, 0, KEPT_BYTES, at, at + KEPT_BYTES) === 0
  }

  #receivedAtMs(slot: number): number {
    const at = (slot % RECORDS_PER_SLAB) * RECORD_BYTES
    return this.#slab(slot).readUIntLE(at + RECEIVED_AT, 5) + ORIGIN_MS
  }
}

function slabOf(slot: number): number {
  return Math.floor(slot / RECORDS_PER_SLAB)
}
