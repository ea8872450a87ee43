// Limit of deliveries in flight per endpoint: a few more while the endpoint answers well, half as
// many when it reports overload or does not answer. Only this dispatcher knows the limit, and it is
// lost with the process.
import type { AttemptOutcome } from './delivery.ts'

/** The signal that a delivery's end gives about the endpoint. */
export type Effect = 'well' | 'overloaded' | 'nothing'

const OVERLOADED: ReadonlySet<number | null> = new Set([429, 503])

export function effectOf({
  status,
  errorClass,
}: Pick<AttemptOutcome, 'status' | 'errorClass'>): Effect {
  if (errorClass === null) return 'well'
  return errorClass === 'timeout' || OVERLOADED.has(status) ? 'overloaded' : 'nothing'
}

const SIZE_FIRST = 16
const SIZE_MIN = 4
const SIZE_MAX = 64
/** Good answers after which the window grows by one. */
const WELL_EACH = 20
/** Endpoints remembered; the others have the initial size. */
const REMEMBERED_MAX = 20_000

export interface ConcurrencyLimits {
  size(endpointId: string): number
  learn(endpointId: string, effect: Effect): void
}

export function createConcurrencyLimits(): ConcurrencyLimits {
  const known = new Map<string, { size: number; well: number }>()
  const size = (endpointId: string): number => known.get(endpointId)?.size ?? SIZE_FIRST

  function save(endpointId: string, window: { size: number; well: number }): void {
    known.set(endpointId, window)
    if (known.size <= REMEMBERED_MAX) return
    for (const oldest of known.keys()) {
      known.delete(oldest)
      return
    }
  }

  return {
    size,
    learn(endpointId, effect) {
      if (effect === 'nothing') return
      const before = size(endpointId)
      const well = known.get(endpointId)?.well ?? 0
      if (effect === 'overloaded')
        save(endpointId, { size: Math.max(SIZE_MIN, Math.floor(before / 2)), well: 0 })
      else if (well + 1 < WELL_EACH) save(endpointId, { size: before, well: well + 1 })
      else save(endpointId, { size: Math.min(SIZE_MAX, before + 1), well: 0 })
    },
  }
}
