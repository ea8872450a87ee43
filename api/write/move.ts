// A legal transition of a resource: its start states, its end state, and its event. Each resource
// folder defines its own table of transitions.
import type { EventType } from '../../shared/event-catalog.ts'
import { Refusal } from '../http/refusal.ts'

export interface Move<Status extends string> {
  from: readonly Status[]
  to: Status
  /** Null when the specification lists no event. */
  event: EventType | null
}

/** Refuses with 409 unless `status` is among the states that the transition may start from. */
export function requireState<Status extends string>(status: Status, from: readonly Status[]): void {
  if (from.includes(status)) return
  throw new Refusal('invalid_state', { extra: { current_status: status, allowed_from: [...from] } })
}
