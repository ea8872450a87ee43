// The endpoints of events.

import { EVENT_TYPE_NAMES } from '../../../shared/event-catalog.ts'
import { Type } from '../../../shared/schema-builders.ts'
import type { EventEnvelope } from '../../../shared/schemas/event.ts'
import { Event } from '../../../shared/schemas/event-shape.ts'
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../http/route.ts'
import { type EventFilters, findEvent, listEvents } from './store.ts'
import { eventView } from './view.ts'

export const eventRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/events'],
    scope: 'read',
    summary: 'Lists events in the order in which they were recorded, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      type: Type.Optional(Type.Enum(EVENT_TYPE_NAMES)),
      resource_id: IdFilter,
    }),
    answer: null,
    shape: PageOf(Event),
    run: (context, { query }) => readEvents(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/events/:id'],
    scope: 'read',
    summary: 'Returns one event, byte for byte as its webhook carries it.',
    params: IdParams,
    answer: null,
    shape: Event,
    run: (context, { params }) => readEvent(context, params.id),
  }),
]

async function readEvent({ sql, principal }: Context, id: string): Promise<EventEnvelope> {
  const event = await findEvent(sql, principal, id)
  if (event === null) throw new Refusal('resource_missing')
  return eventView(event)
}

/**
 * In the order in which events reached PostgreSQL: a poller who remembers its cursor misses none.
 */
async function readEvents(
  { sql, principal }: Context,
  query: PageQuery & EventFilters,
): Promise<Page<EventEnvelope>> {
  return mapPage(await listEvents(sql, principal, query), eventView)
}
