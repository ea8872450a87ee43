// Step 4. Message → facts: card, cardholder, program and controls from LMDB, windows from memory. Synchronous reads,
// nothing waits.
import type { CardFact, ControlScope, ControlsFact } from '../../shared/wire/facts.ts'
import type { BoundControls, ControlUses, DraftControl, LimitView } from '../rules/rule.ts'
import { CALENDAR_INTERVALS, calendarDay } from '../state/calendar.ts'
import { USE_CURRENCY } from '../state/usage.ts'
import { convert } from './convert.ts'
import { type CountedControl, type KnownDraft, knownControls } from './known-controls.ts'
import {
  addCalendarKey,
  addLimits,
  type Counting,
  largestCounted,
  type Windows,
} from './limit-views.ts'
import type { Gathered, Line, Message } from './line.ts'
import { threeDsResult, verifyCvc, verifyExpiry, verifyPin, walletTokenStatus } from './verify.ts'

const UTC = 'UTC'
const ALL_TIME = CALENDAR_INTERVALS.indexOf('all_time')

/** Null: no such card. `incomplete`: the facts contradict themselves, so nothing may be decided on them. */
export function gather(
  line: Line,
  message: Message,
  ourNowMs: number,
): Gathered | null | 'incomplete' {
  const { facts } = line
  const card = findCard(line, message)
  if (card === null || card.environment !== message.environment) return null
  const cardholder = facts.cardholder(card.cardholder_id)
  const program = facts.program(card.program_id)
  if (cardholder === null || program === null) return 'incomplete'
  // Facts of a release before tenants had clocks say nothing of it.
  const clockOffsetMs = program.clock_offset_ms ?? 0
  const nowMs = ourNowMs + clockOffsetMs

  const converted = convert(facts, message.record, program, card.currency)
  const bound: Bound = { controls: [], limits: [], keys: [], meters: [], drafts: [] }
  const counting = { state: line.state, message: message.record, currency: card.currency, nowMs }
  const zone = program.time_zone
  bind(counting, facts.controls(program.id), { scope: 'program', subject: program.id, zone }, bound)
  const holder = { scope: 'cardholder', subject: cardholder.id, zone } as const
  bind(counting, facts.controls(cardholder.id), holder, bound)
  // A replacement goes on with the windows of the card it replaces.
  bind(counting, facts.controls(card.id), { scope: 'card', subject: card.windows_id, zone }, bound)
  const endpoint = program.endpoint_id === null ? null : facts.endpoint(program.endpoint_id)
  return {
    judged: {
      message: message.record,
      program,
      cardholder,
      card,
      controls: bound.controls,
      limits: bound.limits,
      drafts: bound.drafts,
      cvc: verifyCvc(line, message, card),
      expiry: verifyExpiry(message, card),
      pin: verifyPin(line, message, card),
      threeDs: threeDsResult(line, message, card, nowMs),
      walletToken: walletTokenStatus(line, message, card),
      cardAmountCents: converted === null ? 0 : converted.cardAmountCents,
      fx: converted === null ? null : converted.fx,
      convertible: converted !== null,
      pinFailures: line.state.tries.pinFailures(card.id, card.version),
      stoppedBy: line.state.tries.stoppedBy(card.id, card.version),
      expired: nowMs >= Date.UTC(card.exp_year, card.exp_month),
      largestCounted: largestCounted(line.state, bound),
      receivedAtMs: nowMs,
      chainCents: 0,
    },
    endpoint,
    keys: bound.keys,
    clockOffsetMs,
  }
}

function findCard(line: Line, message: Message): CardFact | null {
  if (message.cardToken !== null) return line.facts.cardByToken(message.cardToken)
  return message.fingerprint === null
    ? null
    : line.facts.cardByFingerprint(message.environment, message.fingerprint)
}

/** Whose controls they are, whose windows they count in, and the program's zone. */
interface Subject {
  scope: ControlScope
  subject: string
  zone: string
}

/** What binds a message, and the windows it would count in. */
interface Bound extends Windows {
  readonly controls: BoundControls[]
  readonly limits: LimitView[]
  readonly drafts: DraftControl[]
}

function bind(counting: Counting, fact: ControlsFact | null, owner: Subject, bound: Bound): void {
  addCalendarKey(bound, counting, owner.subject, UTC)
  addCalendarKey(bound, counting, owner.subject, owner.zone)
  if (fact === null) return
  const known = knownControls(fact)
  const uses = count(counting, owner, known.counted, bound)
  if (known.bound !== null) bound.controls.push(used(known.bound, uses))
  for (const draft of known.drafts) bound.drafts.push(draftControl(counting, owner, draft))
}

/** A draft counts in windows of its own, as if it were the only control. */
function draftControl(
  counting: Counting,
  owner: Subject,
  { bound, counted }: KnownDraft,
): DraftControl {
  const own = { limits: [], keys: [], meters: [] }
  const uses = count(counting, owner, [counted], own)
  const { control } = counted
  return { control, bound: used(bound, uses), limits: own.limits, keys: own.keys }
}

/** Adds the limits and windows of controls, and returns how often those were used that ask for it. */
function count(
  counting: Counting,
  owner: Subject,
  controls: readonly CountedControl[],
  into: Windows & { readonly limits: LimitView[] },
): readonly ControlUses[] {
  let all: ControlUses[] | null = null
  for (const control of controls) {
    if (control.uses !== '') {
      all ??= []
      all.push(usesOf(counting, owner.subject, control, into))
    }
    addLimits(counting, owner, control.limits, into)
  }
  return all ?? NO_USES
}

const NO_USES: readonly ControlUses[] = []

function usesOf(
  { state, nowMs }: Counting,
  subject: string,
  { control, uses: filter }: CountedControl,
  { keys, meters }: Windows,
): ControlUses {
  const day = calendarDay(UTC, nowMs).label
  const meter = state.meters.find(subject, UTC, USE_CURRENCY, filter)
  keys.push([subject, UTC, USE_CURRENCY, day, filter])
  meters.push(meter)
  const usesWaiting = meter === -1 ? 0 : state.meters.reservedCount(meter, ALL_TIME, day)
  const approved = meter === -1 ? 0 : state.meters.usedCount(meter, ALL_TIME, day)
  return {
    controlId: control.id,
    uses: usesWaiting + approved,
    usesWaiting,
    lockedMerchant: control.merchant_lock ? state.usage.lockedMerchant(subject, filter) : null,
  }
}

function used(bound: BoundControls, uses: readonly ControlUses[]): BoundControls {
  return uses.length === 0 ? bound : Object.assign({}, bound, { uses })
}
