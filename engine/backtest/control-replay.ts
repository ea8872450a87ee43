// Judges recorded authorization requests by one proposed control: the rules and windows of the
// authorization line, fed from stored entries. All other rules stand as recorded.
//
// Chosen: a request declined by another rule stays declined. A request that the control declined
// and the proposal lets pass counts as approved with its requested amount: the rules behind the
// control, and the tenant, were never asked about it.
import { decodeId } from '../../shared/id.ts'
import { isNotification } from '../../shared/schemas/network-message.ts'
import { countedAmount } from '../../shared/transaction-sums.ts'
import type { BacktestChange, BacktestOrder } from '../../shared/wire/backtest.ts'
import type {
  CardRecord,
  DecisionEntry,
  Effect,
  ExpiryEntry,
  JournalEntry,
  MeterKey,
} from '../../shared/wire/journal-entry.ts'
import { authorized, incremented } from '../lifecycle/authorization.ts'
import type { TransactionState } from '../lifecycle/change.ts'
import { draftControl } from '../line/gather.ts'
import { type KnownDraft, knownControls } from '../line/known-controls.ts'
import { projectApproval } from '../line/project-approval.ts'
import { askControls } from '../rules/ask-controls.ts'
import { declineDetail } from '../rules/decline-detail.ts'
import { addedCount, type Trace } from '../rules/rule.ts'
import { withinLimit } from '../rules/within-limit.ts'
import { emptyState, step } from '../state/decision-state.ts'
import { RequestsAhead } from './requests-ahead.ts'
import type { Objection, Verdict } from './verdict.ts'

/**
 * Key of a window that counts every entry, as the calendar windows of a subject do. Without it an
 * increment that the proposal declines would count in the windows of its transaction.
 */
const EVERYTHING = 'backtest'

export class ControlReplay {
  /** Messages of transactions that began before the first entry. */
  skipped = 0
  readonly #order: BacktestOrder
  readonly #draft: KnownDraft
  readonly #ownIds: ReadonlySet<string>
  readonly #state = emptyState()
  readonly #ahead: RequestsAhead
  readonly #report: (verdict: Verdict) => void
  #judgedMs = 0

  /** `report` gets the verdict of every authorization request, in the order of the journal. */
  constructor(order: BacktestOrder, report: (verdict: Verdict) => void) {
    const { scope, subjectId, control, ownIds } = order
    const proposed = { ...control, state: 'draft' as const }
    const { drafts } = knownControls({
      type: 'controls',
      id: subjectId,
      version: control.version,
      scope,
      controls: [proposed],
    })
    this.#draft = drafts[0] as KnownDraft
    this.#order = order
    this.#ownIds = new Set(ownIds)
    this.#report = report
    this.#ahead = new RequestsAhead({
      judge: (entry) => this.#judgeWaiting(entry),
      apply: (entry, objection) => this.#apply(entry, objection),
    })
  }

  /** Takes the next entry of the journal. Entries of other subjects are left out. */
  take(seq: number, entry: JournalEntry): void {
    if (entry.kind === 'expiry' || (entry.kind === 'decision' && this.#binds(entry.card)))
      this.#ahead.add(seq, entry)
  }

  /** Judges what is left after the last entry. */
  end(): void {
    this.#ahead.end()
  }

  #binds(card: CardRecord | null): boolean {
    if (card === null) return false
    const { scope, subjectId } = this.#order
    if (scope === 'program') return card.programId === subjectId
    return (scope === 'cardholder' ? card.cardholderId : card.windowsId) === subjectId
  }

  /** Judges a request at its moment, and reserves while its tenant decides. */
  #judgeWaiting(entry: DecisionEntry): Objection {
    const objection = this.#judge(entry)
    if (objection.reason === null) this.#reserve(entry, objection, 'reserve')
    return objection
  }

  /** Chosen: a reservation is the requested amount; a buffer of the hold is not recorded. */
  #reserve(entry: DecisionEntry, { keys }: Objection, type: 'reserve' | 'unreserve'): void {
    const amount = entry.cardAmountCents
    step(this.#state, { type, keys, amount, count: addedCount(entry) })
  }

  #apply(entry: DecisionEntry | ExpiryEntry, waited: Objection | null): void {
    if (entry.kind === 'expiry') return this.#count(entry)
    if (waited?.reason === null) this.#reserve(entry, waited, 'unreserve')
    const objection = waited ?? this.#judge(entry)
    if (isNotification(entry.message.kind)) {
      const posts = entry.decision.meters.length > 0
      return this.#count(withKeys(entry, posts ? this.#everywhere(entry, objection.keys) : []))
    }
    const change = this.#changeOf(entry, objection)
    this.#report({ entry, change, reason: objection.reason, detail: objection.detail })
    const passes = objection.reason === null && (entry.decision.approved || change === 'approves')
    const keys = this.#everywhere(entry, passes ? objection.keys : [])
    this.#count(withKeys(change === 'approves' ? this.#approved(entry) : entry, keys))
  }

  #changeOf({ decision }: DecisionEntry, { reason }: Objection): BacktestChange | null {
    if (decision.approved) return reason === null ? null : 'declines'
    return reason === null && this.#wasOwn(decision) ? 'approves' : null
  }

  #wasOwn({ declineDetail: detail, decidedBy }: DecisionEntry['decision']): boolean {
    if (detail === null || decidedBy !== 'static_controls') return false
    return this.#ownIds.has(detail.slice(detail.indexOf(':') + 1))
  }

  #judge(entry: DecisionEntry): Objection {
    const { message, threeDs } = entry
    this.#judgedMs = Math.max(this.#judgedMs, entry.receivedAtMs - entry.clockOffsetMs)
    const receivedAtMs = this.#judgedMs + entry.clockOffsetMs
    const { scope, subjectId: subject } = this.#order
    const { currency } = entry.card as CardRecord
    const counting = { state: this.#state, message, currency, nowMs: receivedAtMs }
    const { bound, limits, keys } = draftControl(counting, { scope, subject }, this.#draft)
    const asked = { message, cardAmountCents: entry.cardAmountCents, chainCents: 0 }
    const transaction = this.#transactionOf(entry)
    const inputs = {
      ...projectApproval(asked, transaction, addedCents(entry, transaction), 0),
      threeDs,
      receivedAtMs,
      controls: [bound],
      limits,
    }
    const trace: Trace = []
    const reason = askControls(inputs, trace) ?? withinLimit.judge(inputs, trace)
    return { reason, detail: declineDetail(trace.at(-1)), keys }
  }

  #transactionOf({ effect, transactionId }: DecisionEntry): TransactionState | null {
    if (effect === null || transactionId === null) return null
    const { transactions } = this.#state
    const row = transactions.find(effect.link, idOf(transactionId))
    return row === -1 ? null : transactions.read(row)
  }

  #everywhere(entry: DecisionEntry, keys: readonly MeterKey[]): readonly MeterKey[] {
    const { currency } = entry.card as CardRecord
    return [[EVERYTHING, 'UTC', currency, 0], ...keys]
  }

  /** The entry of a declined request as if it had been approved with its amount. */
  #approved(entry: DecisionEntry): DecisionEntry {
    const { effect } = entry
    if (effect === null) return entry
    const transaction = this.#transactionOf(entry)
    const { sums, flags } = approvalOf(entry, transaction)
    return { ...entry, effect: { ...effect, event: 'authorized', sums, flags } }
  }

  #count(entry: DecisionEntry | ExpiryEntry): void {
    if (!this.#isKnown(entry)) this.skipped += 1
    else step(this.#state, { type: 'entry', seq: this.#state.seq + 1, entry })
  }

  #isKnown({ effect, transactionId }: DecisionEntry | ExpiryEntry): boolean {
    if (effect === null || transactionId === null || effect.sequence === 1) return true
    return this.#state.transactions.find(effect.link, idOf(transactionId)) !== -1
  }
}

/** The minor units that an approval of the whole amount adds to the windows. */
function addedCents(entry: DecisionEntry, transaction: TransactionState | null): number {
  const before = transaction === null ? 0 : countedAmount(transaction.sums)
  return countedAmount(approvalOf(entry, transaction).sums) - before
}

/** Chosen: without the addition of a hold, which ends with the capture. */
function approvalOf(
  { message, cardAmountCents: cents }: DecisionEntry,
  transaction: TransactionState | null,
): Pick<Effect, 'sums' | 'flags'> {
  const approval = { approvedCents: cents, holdCents: cents, holdExpiresAtMs: 0 }
  return transaction !== null && message.kind === 'incremental'
    ? incremented(transaction, approval)
    : authorized(transaction, approval)
}

function withKeys(entry: DecisionEntry, meters: readonly MeterKey[]): DecisionEntry {
  return { ...entry, decision: { ...entry.decision, meters } }
}

function idOf(transactionId: string): Buffer | null {
  return decodeId(transactionId.slice(transactionId.indexOf('_') + 1))
}
