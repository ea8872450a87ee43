// Step 4. Message → config records and windows: card, cardholder, program and controls from LMDB,
// windows from memory. Reads are synchronous; nothing waits.
import type { CardConfig } from '../../shared/wire/config-records.ts'
import type {
  BoundControls,
  ControlUses,
  DraftControl,
  FundsView,
  LimitView,
} from '../rules/rule.ts'
import { CALENDAR_INTERVALS, calendarDay } from '../state/calendar.ts'
import { USE_CURRENCY } from '../state/merchant-locks.ts'
import { type CachedCard, type CachedOwner, cachedCard } from './card-cache.ts'
import { convert } from './convert.ts'
import { defaultWindows } from './default-windows.ts'
import type { CountedControl, KnownDraft } from './known-controls.ts'
import { passesFilter } from './limit-filter.ts'
import {
  addCalendarKey,
  addLimits,
  type Counting,
  largestCounted,
  viewOf,
  type Windows,
} from './limit-views.ts'
import type { Gathered, Line, Message } from './line.ts'
import { threeDsResult, verifyCvc, verifyExpiry, verifyPin, walletTokenStatus } from './verify.ts'

const UTC = 'UTC'
const ALL_TIME = CALENDAR_INTERVALS.indexOf('all_time')

/**
 * Null: no such card. `incomplete`: the config records contradict each other, so they allow no
 * decision.
 */
export function gather(
  line: Line,
  message: Message,
  ourNowMs: number,
): Gathered | null | 'incomplete' {
  const known = cachedCard(line, message)
  if (known === null || known === 'incomplete') return known
  const { card, cardholder, program } = known
  const clockOffsetMs = program.clock_offset_ms
  const nowMs = ourNowMs + clockOffsetMs

  const converted = convert(line.configCache, message.record, program, card.currency)
  const counting = { state: line.state, message: message.record, currency: card.currency, nowMs }
  const bound = known.hasOnlyDefaultWindows
    ? boundToDefaultWindows(counting, known)
    : boundBy(counting, known)
  const { tries } = line.state
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
      billing: converted === null ? null : converted.billing,
      credit: null,
      funds: fundsOf(counting, card),
      pinFailures: tries.pinFailures(card.id, card.version),
      stoppedBy: tries.stoppedBy(card.id, card.version),
      expired: nowMs >= Date.UTC(card.exp_year, card.exp_month),
      largestCounted: largestCounted(line.state, bound),
      receivedAtMs: nowMs,
      chainCents: 0,
    },
    endpoint: known.endpoint,
    record: known.record,
    packed: known.packed,
    keys: bound.keys,
    meters: bound.meters,
    clockOffsetMs,
  }
}

/** Returns the money of a payment account; null for a card. */
function fundsOf({ state, currency, nowMs }: Counting, card: CardConfig): FundsView | null {
  const { funded_cents: fundedCents } = card
  if (card.card_type !== 'account' || fundedCents === null) return null
  const { meters } = state
  const meter = meters.find(card.windows_id, UTC, currency)
  if (meter === -1) return { fundedCents, usedCents: 0, reservedCents: 0 }
  const day = calendarDay(UTC, nowMs).label
  return {
    fundedCents,
    usedCents: meters.used(meter, ALL_TIME, day),
    reservedCents: meters.reserved(meter, ALL_TIME, day),
  }
}

/** Controls that bind a message, and the windows it would count in. */
interface Bound extends Windows {
  readonly controls: readonly BoundControls[]
  readonly limits: LimitView[]
  readonly drafts: readonly DraftControl[]
}

/**
 * Windows and controls are the same for all messages of a day: only the values in them are looked
 * up.
 */
function boundToDefaultWindows(counting: Counting, known: CachedCard): Bound {
  const { keys, meters, limits: placed } = defaultWindows(counting, known)
  const limits: LimitView[] = []
  for (const limit of placed)
    if (passesFilter(limit.limit.filter, counting.message))
      limits.push(viewOf(counting, limit, meters))
  return { controls: known.controls, limits, keys, meters, drafts: NO_DRAFTS }
}

const NO_DRAFTS: readonly DraftControl[] = []

function boundBy(counting: Counting, { owners, program }: CachedCard): Bound {
  const controls: BoundControls[] = []
  const drafts: DraftControl[] = []
  const bound = { controls, limits: [], keys: [], meters: [], drafts }
  for (const owner of owners) {
    addCalendarKey(bound, counting, owner.subject, UTC)
    addCalendarKey(bound, counting, owner.subject, program.time_zone)
    if (owner.controls === null) continue
    const uses = count(counting, owner, owner.controls.counted, bound)
    if (owner.controls.bound !== null) controls.push(used(owner.controls.bound, uses))
    for (const draft of owner.controls.drafts) drafts.push(draftControl(counting, owner, draft))
  }
  return bound
}

/** The level of some controls, and the subject of their windows. */
type CountedOwner = Pick<CachedOwner, 'scope' | 'subject'>

/** A draft counts in windows of its own, as if it were the only control. */
export function draftControl(
  counting: Counting,
  owner: CountedOwner,
  { bound, counted }: KnownDraft,
): DraftControl {
  const own = { limits: [], keys: [], meters: [] }
  const uses = count(counting, owner, [counted], own)
  const { control } = counted
  return { control, bound: used(bound, uses), limits: own.limits, keys: own.keys }
}

/**
 * Adds the limits and windows of controls, and returns the use counts of the controls that need
 * them.
 */
function count(
  counting: Counting,
  owner: CountedOwner,
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
