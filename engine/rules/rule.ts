// What a rule is. `judge` takes facts, records a row of inputs for each thing it looked at and stops at the first
// objection; `decide` reaches the same verdict from a recorded row alone, so any decision can be judged again later.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { RuleId, TraceInput, TraceRow } from '../../shared/rule-catalog.ts'
import type {
  CardFact,
  CardholderFact,
  ControlFact,
  ControlScope,
  LimitFact,
  ProgramFact,
} from '../../shared/wire/facts.ts'
import type {
  FxRecord,
  MessageRecord,
  MeterKey,
  ThreeDsResult,
  Verification,
  WalletTokenStatus,
} from '../../shared/wire/journal-entry.ts'
import type { BillingCheck } from './billing-plausible.ts'

/** A limit with what its window holds now. Times are epoch milliseconds; null where the window has no bound. */
export interface LimitView {
  scope: ControlScope
  limit: LimitFact
  used: number
  reserved: number
  /** Authorizations, approved and still being decided. */
  usedCount: number
  reservedCount: number
  startMs: number | null
  endMs: number | null
}

/** What the controls of one subject ask: `boundControls`. Of a message are its uses only, all else is made once for a fact. */
export interface BoundControls {
  scope: ControlScope
  /** Version of the subject's controls. */
  version: number
  /** Questions in the order of CONTROL_RULES, those of one rule in the order of the controls: what each asks about. */
  asked: readonly unknown[]
  /** The control that puts it. */
  askers: readonly string[]
  /** Where the questions of each rule begin, and behind them where the last rule's end. */
  from: readonly number[]
  /** The rules that have questions, as bits: bit 0 is the first of CONTROL_RULES, of which there are 32 at most. */
  rules: number
  singleUses: readonly SingleUse[]
  uses: readonly ControlUses[]
}

/** One approved authorization: of exactly, or at most, an amount; null sets no amount. */
export type SingleUse = NonNullable<ControlFact['single_use']>

/** How often a control was used that asks for it. */
export interface ControlUses {
  controlId: string
  /** Authorizations approved under the control or still being decided. */
  uses: number
  /** Those of them that are still being decided. */
  usesWaiting: number
  /** The merchant of the first one approved, or null. */
  lockedMerchant: string | null
}

/** A draft: judged in shadow, and counted in windows of its own when an approval is one by the draft too. */
export interface DraftControl {
  control: ControlFact
  /** The draft as if it were the only control. */
  bound: BoundControls
  limits: readonly LimitView[]
  keys: readonly MeterKey[]
}

/** An authorization that brings money to the card, in minor units of the card's currency. */
export interface CreditView {
  cents: number
  /** Covered by what the capture it names took, and has not given back. */
  fromOriginalCents: number
  /** Credited to the card today beyond captures: approved, and still being decided. */
  usedCents: number
  reservedCents: number
}

/** Everything a verdict depends on. Built by gather, read by rules, never changed. */
export interface Judged {
  message: MessageRecord
  program: ProgramFact
  cardholder: CardholderFact
  card: CardFact
  /** Active controls of program, cardholder and card, in that order, as far as there are any. */
  controls: readonly BoundControls[]
  /** Their limits, as far as they count what this message is. */
  limits: readonly LimitView[]
  drafts: readonly DraftControl[]
  cvc: Verification
  expiry: Verification
  pin: Verification
  threeDs: ThreeDsResult
  walletToken: WalletTokenStatus | null
  /** The message's amount in the card's currency; 0 where no rate is known. */
  cardAmountCents: number
  /** How it was converted; null where it was not. */
  fx: FxRecord | null
  /** False where the message is in another currency and nobody knows a rate. */
  convertible: boolean
  /** The network's billing amount beside our own; null where there was nothing to compare. */
  billing: BillingCheck | null
  /** What a credit brings; null of what takes money. */
  credit: CreditView | null
  /** Wrong PINs in a row before this message. */
  pinFailures: number
  /** The fraud rule that stopped the card, or null. */
  stoppedBy: string | null
  /** True when the card's last month is over at receipt. */
  expired: boolean
  /** The largest sum any window already holds, reservations included. */
  largestCounted: number
  /** The moment whose windows and hours count, epoch milliseconds. */
  receivedAtMs: number
  /**
   * Of an increment: what its transaction was approved for already, and what others are asked to raise it by; of an authorization
   * whose capture came first: what that counts of it. In the card's currency; 0 otherwise.
   */
  chainCents: number
}

/**
 * The number of authorizations that a message adds. Chosen: an increment is none of its own, and an amount of 0 uses up
 * nothing.
 */
export function addedCount({
  message,
  cardAmountCents,
}: Pick<Judged, 'message' | 'cardAmountCents'>): number {
  return message.kind !== 'incremental' && cardAmountCents > 0 ? 1 : 0
}

export type MutableTraceRow = [
  number: number,
  version: number,
  declined: 0 | 1,
  ...inputs: TraceInput[],
]
/** Rows that were recorded never change: one may stand in many traces. */
export type Trace = TraceRow[]

export interface Rule {
  readonly id: RuleId
  /** Null when the rule has no objection. */
  judge(judged: Judged, trace: Trace): DeclineReason | null
  /** The verdict of one recorded row: inputs start at TRACE_INPUTS_AT. */
  decide(row: TraceRow): DeclineReason | null
}

/** A row that its rule lets pass, with nothing of a message in it: made once for all messages. */
export function passingRow(
  { number, version }: { number: number; version: number },
  ...inputs: TraceInput[]
): TraceRow {
  return [number, version, 0, ...inputs]
}

/** Records a row that passes. */
export function pass(row: TraceRow, trace: Trace): null {
  trace.push(row)
  return null
}

/** Decides a row, marks it when it declines, and records it. */
export function recordRow(
  rule: Pick<Rule, 'decide'>,
  row: MutableTraceRow,
  trace: Trace,
): DeclineReason | null {
  const reason = rule.decide(row)
  if (reason !== null) row[2] = 1
  trace.push(row)
  return reason
}
