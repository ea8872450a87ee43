// A legal move of a resource: from where, to where, and how it is announced. Each room draws its own table of them.
import type { EventType } from '../shared/event-catalog.ts'
import { Refusal } from './refuse.ts'

export interface Move<Status extends string> {
  from: readonly Status[]
  to: Status
  /** Null where the specification lists no event. */
  event: EventType | null
}

/** Refuses with 409 unless `status` is among the states the move may start from. */
export function requireState<Status extends string>(status: Status, from: readonly Status[]): void {
  if (from.includes(status)) return
  throw new Refusal('invalid_state', { extra: { current_status: status, allowed_from: [...from] } })
}
