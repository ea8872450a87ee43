// Headroom of every limit that was judged. A tenant can decide with it without a database of its
// own. Authorization 1.
import { isoInstant } from '../clock.ts'
import { RULE_CATALOG, type TraceInput, type TraceRow, traceSteps } from '../rule-catalog.ts'

interface Headroom {
  id: TraceInput
  scope: TraceInput
  /** `rolling` slides: its count began at `window_start`, and no moment resets it. */
  interval: TraceInput
  /** The limit of amounts, in minor units of `currency`; null if the limit has none. */
  amount_cents: number | null
  used_cents: number | null
  reserved_cents: number | null
  remaining_cents: number | null
  currency: TraceInput
  /** The limit of the number of authorizations; null if the limit has none. */
  count: number | null
  used_count: number | null
  reserved_count: number | null
  remaining_count: number | null
  window_start: string | null
  resets_at: string | null
  time_zone: TraceInput
}

type Inputs = { readonly [name: string]: TraceInput }

/** In the order in which the limits were judged: up to the one that declined. */
export function limitHeadroom(trace: readonly TraceRow[]): Headroom[] {
  const limits: Headroom[] = []
  const judged = trace.filter((row) => row[0] === RULE_CATALOG.within_limit.number)
  for (const { inputs } of traceSteps(judged)) {
    const last = limits.at(-1)
    // A limit of amounts and of numbers was judged twice, one right after the other.
    const limit = last !== undefined && isSame(last, inputs) ? last : unmeasured(inputs)
    if (limit !== last) limits.push(limit)
    measure(limit, inputs)
  }
  return limits
}

function isSame(limit: Headroom, inputs: Inputs): boolean {
  return limit.id === inputs['limit_id'] && limit.count === null && inputs['of'] === 'count'
}

function unmeasured(inputs: Inputs): Headroom {
  return {
    id: inputs['limit_id'] ?? null,
    scope: inputs['scope'] ?? null,
    interval: inputs['interval'] ?? null,
    amount_cents: null,
    used_cents: null,
    reserved_cents: null,
    remaining_cents: null,
    currency: inputs['currency'] ?? null,
    count: null,
    used_count: null,
    reserved_count: null,
    remaining_count: null,
    window_start: instant(inputs['window_start']),
    resets_at: instant(inputs['window_end']),
    time_zone: inputs['time_zone'] ?? null,
  }
}

function measure(limit: Headroom, inputs: Inputs): void {
  const most = Number(inputs['limit'])
  const used = Number(inputs['used_before'])
  const reserved = Number(inputs['reserved_before'])
  const remaining = Math.max(0, most - used - reserved)
  if (inputs['of'] === 'count') {
    limit.count = most
    limit.used_count = used
    limit.reserved_count = reserved
    limit.remaining_count = remaining
  } else {
    limit.amount_cents = most
    limit.used_cents = used
    limit.reserved_cents = reserved
    limit.remaining_cents = remaining
  }
}

function instant(value: TraceInput | undefined): string | null {
  return typeof value === 'number' ? isoInstant(value) : null
}
