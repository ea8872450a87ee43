// All reads of events.
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { type EventFilters, findEvent, listEvents } from './store.ts'
import { eventView } from './view.ts'

export async function readEvent({ sql, principal }: Context, id: string): Promise<EventEnvelope> {
  const event = await findEvent(sql, principal, id)
  if (event === null) throw new Refusal('resource_missing')
  return eventView(event)
}

/**
 * In the order in which events reached PostgreSQL: a poller who remembers its cursor misses none.
 */
export async function readEvents(
  { sql, principal }: Context,
  query: PageQuery & EventFilters,
): Promise<Page<EventEnvelope>> {
  return mapPage(await listEvents(sql, principal, query), eventView)
}
