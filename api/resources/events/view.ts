// The only way an event's row becomes public: the stored body is what was sent, so it is what is shown.
import type { EventEnvelope } from '../../../shared/schemas/event.ts'

export interface EventRow {
  id: string
  /** Place in the tenant's order of events. */
  seq: number
  /** Exact bytes of the envelope. */
  body: Buffer
}

export function eventView(row: EventRow): EventEnvelope {
  return JSON.parse(row.body.toString()) as EventEnvelope
}
