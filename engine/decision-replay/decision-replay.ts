// Decides a journal again: from a snapshot and the config record versions that its entries name,
// the authorization line itself judges and concludes every message at its original position. The
// result is compared with the recorded one.
//
// Chosen: durations are not decisions, so they are taken from the entry. A reservation lost in a
// crash was never written, so an entry that differs only in the reservations of others is counted
// apart.
import { decodeId } from '../../shared/id.ts'
import type { Logger } from '../../shared/log.ts'
import { openHold } from '../../shared/transaction-sums.ts'
import {
  type DecisionEntry,
  decodeEntry,
  type ExpiryEntry,
  encodeEntry,
  type JournalEntry,
} from '../../shared/wire/journal-entry.ts'
import { type AuthorizationLine, openAuthorizationLine } from '../authorize.ts'
import { effectOf } from '../lifecycle/change.ts'
import { expire } from '../lifecycle/expire.ts'
import { type DecisionState, step } from '../state/decision-state.ts'
import { changedWhileAsked, waited } from './changed-state.ts'
import { asMeasured, differInReservations } from './compare.ts'
import { RecordedLine } from './recorded-line.ts'
import type { ConfigVersions } from './versions.ts'

export interface Difference {
  seq: number
  recorded: JournalEntry
  /** The new decision; null if there is none. */
  decided: JournalEntry | null
}

export interface Redecided {
  decisions: number
  identical: number
  /** Entries with a config record version that was not kept; they are applied as recorded. */
  unknown: number
  /** Identical except for reservations lost in a crash. */
  lostReservations: number
  differences: Difference[]
}

export interface RedecideInput {
  state: DecisionState
  versions: ConfigVersions
  /** Entries after the state's, in order, without a gap. */
  entries: AsyncIterable<RecordedEntry> | Iterable<RecordedEntry>
  log: Logger
  /**
   * True to continue from the new decision instead of the recorded one: a what-if run. A tenant
   * without a recorded request counts as silent.
   */
  whatIf: boolean
  differencesMax: number
}

export interface RecordedEntry {
  seq: number
  bytes: Buffer
}

/** Most entries between the judging of an authorization request and its conclusion. */
const AHEAD_MAX = 50_000

/** Decides every entry again and reports each difference. */
export async function redecide(input: RedecideInput): Promise<Redecided> {
  const run = new Run(input)
  const ahead: RecordedEntry[] = []
  for await (const entry of input.entries) {
    run.lookAhead(entry)
    ahead.push(entry)
    if (ahead.length > AHEAD_MAX) await run.decide(ahead.shift() as RecordedEntry)
  }
  for (const entry of ahead) await run.decide(entry)
  return run.result
}

class Run {
  readonly result: Redecided = {
    decisions: 0,
    identical: 0,
    unknown: 0,
    lostReservations: 0,
    differences: [],
  }
  readonly #input: RedecideInput
  readonly #world: RecordedLine
  readonly #line: AuthorizationLine
  /**
   * Authorization requests that waited for their tenant, by the entry after which they were judged.
   */
  readonly #judgedAfter = new Map<number, DecisionEntry[]>()
  readonly #startSeq: number
  /** Entries written beside a decision, expected next in the journal. */
  readonly #expected: Buffer[] = []
  #begun = false

  constructor(input: RedecideInput) {
    this.#input = input
    this.#startSeq = input.state.seq
    this.#world = new RecordedLine(input.versions, input.state, input.log)
    this.#line = openAuthorizationLine(this.#world.line)
  }

  lookAhead({ bytes }: RecordedEntry): void {
    const entry = decodeEntry(bytes)
    if (entry.kind !== 'decision' || !waited(entry) || !this.#known(entry)) return
    const others = this.#judgedAfter.get(entry.judgedSeq) ?? []
    others.push(entry)
    others.sort((one, two) => one.judgedOrder - two.judgedOrder)
    this.#judgedAfter.set(entry.judgedSeq, others)
  }

  async decide({ seq, bytes }: RecordedEntry): Promise<void> {
    if (!this.#begun) this.#judge(this.#startSeq)
    this.#begun = true
    const entry = decodeEntry(bytes)
    switch (entry.kind) {
      case 'decision':
        await this.#decideAgain(seq, entry)
        break
      case 'card_suspension':
        this.#compareNext(seq, entry)
        break
      case 'expiry':
        this.#expire(entry)
        break
      case 'late_reply':
        this.#apply(entry)
    }
    this.#line.synced(Number.MAX_SAFE_INTEGER)
    this.#judge(seq)
  }

  async #decideAgain(seq: number, entry: DecisionEntry): Promise<void> {
    this.result.decisions += 1
    // A request judged before the snapshot used a state that is gone.
    if (!this.#known(entry) || entry.judgedSeq < this.#startSeq) {
      this.result.unknown += 1
      return this.#apply(entry)
    }
    const nowMs = entry.decision.decidedAtMs - entry.clockOffsetMs
    this.#world.turnTo(entry, nowMs, changedWhileAsked(entry, this.#input.versions))
    if (!(await this.#world.hear(entry))) {
      this.#world.turnTo(entry, nowMs)
      this.#decideMessage(entry)
      // A request declined without its tenant may ask it now: the tenant is then silent.
      await this.#world.hear(entry)
    }
    const [written, ...beside] = this.#world.takeWritten()
    this.#expected.push(...beside)
    this.#compare(seq, entry, written ?? null)
  }

  /**
   * Lets the authorization line judge the requests that were judged after this entry and wait for
   * their tenant.
   */
  #judge(afterSeq: number): void {
    for (const entry of this.#judgedAfter.get(afterSeq) ?? []) {
      const { decision } = entry
      const waitedMs = decision.tenant?.latencyMs ?? 0
      this.#world.turnTo(entry, decision.decidedAtMs - entry.clockOffsetMs - waitedMs)
      this.#decideMessage(entry)
    }
    this.#judgedAfter.delete(afterSeq)
  }

  #decideMessage(entry: DecisionEntry): void {
    const { arrival, message } = this.#world.messageOf(entry)
    this.#line.decide(arrival, message)
  }

  #compare(seq: number, recorded: DecisionEntry, written: Buffer | null): void {
    const again = written === null ? null : decodeEntry(written)
    const decided = again === null ? null : asMeasured(again, recorded)
    if (decided !== null && this.#same(recorded, decided)) this.result.identical += 1
    else if (decided !== null && differInReservations(recorded, decided))
      this.result.lostReservations += 1
    else this.#differs({ seq, recorded, decided })
    if (decided === null) this.#apply(recorded)
  }

  /** Compares byte for byte; in a what-if run it compares only the network's answer. */
  #same(recorded: DecisionEntry, decided: DecisionEntry): boolean {
    if (!this.#input.whatIf) return encodeEntry(decided).equals(encodeEntry(recorded))
    const [was, is] = [recorded.decision, decided.decision]
    return (
      was.approved === is.approved &&
      was.approvedAmountCents === is.approvedAmountCents &&
      was.declineReason === is.declineReason
    )
  }

  #compareNext(seq: number, recorded: JournalEntry): void {
    const next = this.#expected.shift() ?? null
    if (next?.equals(encodeEntry(recorded)) === true) return
    this.#differs({ seq, recorded, decided: next === null ? null : decodeEntry(next) })
    if (next === null) this.#apply(recorded)
  }

  #differs(difference: Difference): void {
    if (this.result.differences.length < this.#input.differencesMax)
      this.result.differences.push(difference)
  }

  #apply(entry: JournalEntry): void {
    const { state } = this.#input
    step(state, { type: 'entry', seq: state.seq + 1, entry })
  }

  /** Expires the current hold: it is zero if the new decision did not approve the authorization. */
  #expire(entry: ExpiryEntry): void {
    const { state } = this.#input
    const { link } = entry.effect
    const row = state.transactions.find(link, decodeId(entry.transactionId.slice(4)))
    const transaction = row === -1 ? null : state.transactions.read(row)
    if (transaction === null || openHold(transaction.sums) === 0) {
      state.seq += 1
      return
    }
    this.#apply({ ...entry, effect: effectOf(link, transaction, expire(transaction)) })
  }

  #known({ card }: DecisionEntry): boolean {
    if (card === null) return true
    const { versions } = this.#input
    const [program, cardholder, own] = card.controlVersions
    return (
      versions.at('card', card.cardId, card.cardVersion) !== null &&
      versions.at('cardholder', card.cardholderId, card.cardholderVersion) !== null &&
      versions.at('program', card.programId, card.programVersion) !== null &&
      (program === 0 || versions.at('controls', card.programId, program) !== null) &&
      (cardholder === 0 || versions.at('controls', card.cardholderId, cardholder) !== null) &&
      (own === 0 || versions.at('controls', card.cardId, own) !== null)
    )
  }
}
