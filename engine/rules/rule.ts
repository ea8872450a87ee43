// The interface of a rule. `judge` takes the gathered data, records a row of inputs for each check
// and stops at the first objection; `decide` reaches the same verdict from a recorded row alone, so
// any decision can be judged again later.
import type { DeclineReason } from '../../shared/decline-reason.ts'
import type { RuleId, TraceInput, TraceRow } from '../../shared/rule-catalog.ts'
import type {
  BillingMismatchAction,
  CardConfig,
  CardholderConfig,
  ControlConfig,
  ControlScope,
  LimitConfig,
  ProgramConfig,
} from '../../shared/wire/config-records.ts'
import type {
  FxRecord,
  MessageRecord,
  MeterKey,
  ThreeDsResult,
  Verification,
  WalletTokenStatus,
} from '../../shared/wire/journal-entry.ts'

/** A billing amount beside our own, in minor units of the card's currency. */
export interface BillingCheck {
  billed: number
  expected: number
  toleranceBps: number
  action: BillingMismatchAction
  /** True where they are further apart than the tolerance. */
  isMismatch: boolean
}

/**
 * A limit with the current content of its window. Times are epoch milliseconds; null for a window
 * without a bound.
 */
export interface LimitView {
  scope: ControlScope
  limit: LimitConfig
  used: number
  reserved: number
  /** Authorizations, approved and still being decided. */
  usedCount: number
  reservedCount: number
  startMs: number | null
  endMs: number | null
}

/**
 * The checks of one subject's controls: `boundControls`. Only the uses belong to a message, all
 * else is made once per config record.
 */
export interface BoundControls {
  scope: ControlScope
  /** Version of the subject's controls. */
  version: number
  /**
   * Checked settings in the order of CONTROL_RULES, those of one rule in the order of the controls.
   */
  asked: readonly unknown[]
  /** The control of each check. */
  askers: readonly string[]
  /** Start of each rule's checks, then the end of the last rule's. */
  from: readonly number[]
  /**
   * The rules that have checks, as bits: bit 0 is the first of CONTROL_RULES, which has 32 at most.
   */
  rules: number
  singleUses: readonly SingleUse[]
  uses: readonly ControlUses[]
}

/** One approved authorization: of exactly, or at most, an amount; null sets no amount. */
export type SingleUse = NonNullable<ControlConfig['single_use']>

/** Use count of a control that needs one. */
export interface ControlUses {
  controlId: string
  /** Authorizations approved under the control or still being decided. */
  uses: number
  /** Uses that are still being decided. */
  usesWaiting: number
  /** The merchant of the first approved authorization, or null. */
  lockedMerchant: string | null
}

/**
 * A draft: judged in shadow, and counted in windows of its own if an approval passes the draft too.
 */
export interface DraftControl {
  control: ControlConfig
  /** The draft as if it were the only control. */
  bound: BoundControls
  limits: readonly LimitView[]
  keys: readonly MeterKey[]
}

/** An authorization that brings money to the card, in minor units of the card's currency. */
export interface CreditView {
  cents: number
  /** The part covered by the named transaction's captured amount, less its refunds. */
  fromOriginalCents: number
  /** Credited to the card today beyond captures: approved, and still being decided. */
  usedCents: number
  reservedCents: number
}

/** The money of a payment account in cents, over its whole life. */
export interface FundsView {
  fundedCents: number
  /** Captured and held, and still being decided. */
  usedCents: number
  reservedCents: number
}

/** All inputs of a verdict. Gather builds them, rules read them, nothing changes them. */
export interface Judged {
  message: MessageRecord
  program: ProgramConfig
  cardholder: CardholderConfig
  card: CardConfig
  /** Active controls of program, cardholder and card, in that order, if there are any. */
  controls: readonly BoundControls[]
  /** Limits of the controls that count this kind of message. */
  limits: readonly LimitView[]
  drafts: readonly DraftControl[]
  cvc: Verification
  expiry: Verification
  pin: Verification
  threeDs: ThreeDsResult
  walletToken: WalletTokenStatus | null
  /** The message's amount in the card's currency; 0 if no rate is known. */
  cardAmountCents: number
  /** The conversion; null if there was none. */
  fx: FxRecord | null
  /** False if the message is in another currency and no rate is known. */
  convertible: boolean
  /** The network's billing amount beside our own; null where there was nothing to compare. */
  billing: BillingCheck | null
  /** Sums of a credit; null for a message that takes money. */
  credit: CreditView | null
  /** Null for a card. */
  funds: FundsView | null
  /** Wrong PINs in a row before this message. */
  pinFailures: number
  /** The fraud rule that stopped the card, or null. */
  stoppedBy: string | null
  /** True when the card's last month is over at receipt. */
  expired: boolean
  /** The largest sum in any window, reservations included. */
  largestCounted: number
  /** The moment for windows and hours, epoch milliseconds. */
  receivedAtMs: number
  /**
   * For an increment: the approved amount of its transaction plus the pending raises of others; for
   * an authorization whose capture came first: the part already counted. In the card's currency; 0
   * otherwise.
   */
  chainCents: number
}

/** The part of the inputs that controls and limits read; no other rule is judged from it. */
export type ControlInputs = Pick<
  Judged,
  'message' | 'controls' | 'limits' | 'threeDs' | 'cardAmountCents' | 'receivedAtMs' | 'chainCents'
>

/**
 * Returns the number of authorizations that a message adds. Chosen: an increment does not count as
 * its own authorization, and an amount of 0 uses up nothing.
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
/** Recorded rows never change: one row may be in many traces. */
export type Trace = TraceRow[]

export interface Rule {
  readonly id: RuleId
  /** Null when the rule has no objection. */
  judge(judged: Judged, trace: Trace): DeclineReason | null
  /** Returns the verdict of one recorded row: inputs start at TRACE_INPUTS_AT. */
  decide(row: TraceRow): DeclineReason | null
}

/** A rule that needs only the inputs of controls. */
export interface LimitsRule extends Rule {
  judge(judged: ControlInputs, trace: Trace): DeclineReason | null
}

/** Returns a passing row without message data, made once for all messages. */
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
