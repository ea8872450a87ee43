// Only this module makes an event's row public: the shown body is the sent one.
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import { sentBody } from './event-body.ts'

export interface EventRow {
  id: string
  /** Place in the tenant's order of events. */
  seq: number
  /** The envelope as it is stored. */
  body: Buffer
}

export function eventView({ body }: Pick<EventRow, 'body'>): EventEnvelope {
  return JSON.parse(sentBody(body).toString()) as EventEnvelope
}
