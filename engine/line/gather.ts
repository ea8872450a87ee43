// Step 4. Message → facts: card, cardholder, program and controls from LMDB, windows from memory. Synchronous reads,
// nothing waits.
import type { CardFact, ControlFact, ControlScope, ControlsFact } from '../../shared/wire/facts.ts'
import type { MeterKey } from '../../shared/wire/journal-entry.ts'
import { bitOf } from '../rules/control-rule.ts'
import type { BoundControl, DraftControl, LimitView } from '../rules/rule.ts'
import { topicsOf } from '../rules/topics.ts'
import { CALENDAR_INTERVALS, calendarDay } from '../state/calendar.ts'
import { USE_CURRENCY, useFilter } from '../state/usage.ts'
import { convert } from './convert.ts'
import {
  addCalendarKey,
  addLimits,
  type Counting,
  largestCounted,
  type WindowOwner,
} from './limit-views.ts'
import type { Gathered, Line, Message } from './line.ts'
import { threeDsResult, verifyCvc, verifyExpiry, verifyPin, walletTokenStatus } from './verify.ts'

const UTC = 'UTC'
const COUNTS_USES = bitOf('single_use') | bitOf('uses_left') | bitOf('merchant_lock')
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
  const bound: Bound = { controls: [], topics: 0, limits: [], keys: [], drafts: [] }
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
      topics: bound.topics,
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
      largestCounted: largestCounted(line.state, bound.keys),
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
interface Bound {
  controls: BoundControl[]
  topics: number
  limits: LimitView[]
  keys: MeterKey[]
  drafts: DraftControl[]
}

function bind(
  counting: Counting,
  fact: ControlsFact | null,
  { scope, subject, zone }: Subject,
  bound: Bound,
): void {
  addCalendarKey(bound.keys, counting, subject, UTC)
  addCalendarKey(bound.keys, counting, subject, zone)
  if (fact === null) return
  const owner = { scope, subject, prefix: '' }
  for (const control of fact.controls) {
    if (control.state === 'active') {
      const active = boundControl(counting, fact, owner, { control, keys: bound.keys })
      bound.controls.push(active)
      bound.topics |= active.topics
      addLimits(counting, owner, control.limits, bound)
    } else bound.drafts.push(draftControl(counting, fact, owner, control))
  }
}

/** A draft counts in windows of its own, as if it were the only control. */
function draftControl(
  counting: Counting,
  fact: ControlsFact,
  { scope, subject }: WindowOwner,
  control: ControlFact,
): DraftControl {
  const owner = { scope, subject, prefix: 'draft:' + control.id }
  const draft = { limits: [], keys: [] }
  const bound = boundControl(counting, fact, owner, { control, keys: draft.keys })
  addLimits(counting, owner, control.limits, draft)
  return { bound, limits: draft.limits, keys: draft.keys }
}

function boundControl(
  { state, nowMs }: Counting,
  { version }: ControlsFact,
  { scope, subject, prefix }: WindowOwner,
  { control, keys }: { control: ControlFact; keys: MeterKey[] },
): BoundControl {
  const bound: BoundControl = {
    scope,
    subject,
    version,
    control,
    topics: topicsOf(control),
    uses: 0,
    usesWaiting: 0,
    lockedMerchant: null,
  }
  if ((bound.topics & COUNTS_USES) === 0) return bound
  const filter = useFilter(prefix === '' ? control.id : prefix)
  const day = calendarDay(UTC, nowMs).label
  keys.push([subject, UTC, USE_CURRENCY, day, filter])
  bound.lockedMerchant = state.usage.lockedMerchant(subject, filter)
  const meter = state.meters.find(subject, UTC, USE_CURRENCY, filter)
  if (meter === -1) return bound
  bound.usesWaiting = state.meters.reservedCount(meter, ALL_TIME, day)
  bound.uses = bound.usesWaiting + state.meters.usedCount(meter, ALL_TIME, day)
  return bound
}
