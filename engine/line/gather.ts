// Step 4. Message → facts: card, cardholder, program and controls from LMDB, windows from memory. Synchronous reads,
// nothing waits.
import type {
  CardFact,
  ControlsFact,
  LimitFact,
  LimitInterval,
  ProgramFact,
} from '../../shared/wire/facts.ts'
import type { MeterKey } from '../../shared/wire/journal-entry.ts'
import type { BoundControl, LimitView } from '../rules/rule.ts'
import { CALENDAR_INTERVALS, calendarDay, windowBounds } from '../state/calendar.ts'
import type { DecisionState } from '../state/decision-state.ts'
import { convert } from './convert.ts'
import type { Gathered, Line, Message } from './line.ts'
import { threeDsResult, verifyCvc, verifyExpiry, verifyPin, walletTokenStatus } from './verify.ts'

const UTC = 'UTC'
const ALL_TIME = CALENDAR_INTERVALS.indexOf('all_time')

/** Null: no such card. `incomplete`: the facts contradict themselves, so nothing may be decided on them. */
export function gather(
  line: Line,
  message: Message,
  nowMs: number,
): Gathered | null | 'incomplete' {
  const { facts } = line
  const card = findCard(line, message)
  if (card === null || card.environment !== message.environment) return null
  const cardholder = facts.cardholder(card.cardholder_id)
  const program = facts.program(card.program_id)
  if (cardholder === null || program === null) return 'incomplete'

  const converted = convert(facts, message.record, program, card.currency)
  const controls: BoundControl[] = []
  const limits: LimitView[] = []
  const keys: MeterKey[] = []
  for (const subject of [program.id, cardholder.id, card.id]) {
    const bound = facts.controls(subject)
    addKeys(keys, subject, card.currency, program, bound, nowMs)
    if (bound === null) continue
    for (const control of bound.controls) {
      if (control.state !== 'active') continue
      controls.push({ scope: bound.scope, subject: bound.id, version: bound.version, control })
      for (const limit of control.limits) {
        // Chosen: a limit in another currency does not bind: amounts of two currencies are never compared.
        if (limit.currency === card.currency) limits.push(viewOf(line.state, bound, limit, nowMs))
      }
    }
  }
  const endpoint = program.endpoint_id === null ? null : facts.endpoint(program.endpoint_id)
  return {
    judged: {
      message: message.record,
      program,
      cardholder,
      card,
      controls,
      limits,
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
      largestCounted: largestOf(line.state, keys),
    },
    endpoint,
    keys,
  }
}

function findCard(line: Line, message: Message): CardFact | null {
  if (message.cardToken !== null) return line.facts.cardByToken(message.cardToken)
  return message.fingerprint === null
    ? null
    : line.facts.cardByFingerprint(message.environment, message.fingerprint)
}

/**
 * Chosen: the intervals are counted in UTC and in the program's zone always, in another zone while a limit of the subject
 * has it.
 */
function addKeys(
  keys: MeterKey[],
  subject: string,
  currency: string,
  program: ProgramFact,
  bound: ControlsFact | null,
  nowMs: number,
): void {
  const from = keys.length
  keys.push([subject, UTC, currency, calendarDay(UTC, nowMs).label])
  addKey(keys, from, subject, program.time_zone, currency, nowMs)
  if (bound === null) return
  for (const { limits } of bound.controls)
    for (const limit of limits) addKey(keys, from, subject, limit.time_zone, currency, nowMs)
}

function addKey(
  keys: MeterKey[],
  from: number,
  subject: string,
  zone: string,
  currency: string,
  nowMs: number,
): void {
  for (let index = from; index < keys.length; index++) {
    if ((keys[index] as MeterKey)[1] === zone) return
  }
  keys.push([subject, zone, currency, calendarDay(zone, nowMs).label])
}

function viewOf(
  state: DecisionState,
  bound: ControlsFact,
  limit: LimitFact,
  nowMs: number,
): LimitView {
  const day = calendarDay(limit.time_zone, nowMs)
  const { startMs, endMs } = windowBounds(day, limit.interval as LimitInterval)
  const view: LimitView = { scope: bound.scope, limit, used: 0, reserved: 0, startMs, endMs }
  if (limit.interval === 'per_authorization') return view
  const meter = state.meters.find(bound.id, limit.time_zone, limit.currency)
  if (meter === -1) return view
  const interval = CALENDAR_INTERVALS.indexOf(limit.interval as (typeof CALENDAR_INTERVALS)[number])
  view.used = state.meters.used(meter, interval, day.label)
  view.reserved = state.meters.reserved(meter, interval, day.label)
  return view
}

function largestOf(state: DecisionState, keys: readonly MeterKey[]): number {
  let largest = 0
  for (const [subject, zone, currency, day] of keys) {
    const meter = state.meters.find(subject, zone, currency)
    if (meter === -1) continue
    const sum =
      state.meters.used(meter, ALL_TIME, day) + state.meters.reserved(meter, ALL_TIME, day)
    if (sum > largest) largest = sum
  }
  return largest
}
