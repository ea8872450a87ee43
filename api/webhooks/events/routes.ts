// The endpoints of events.
import { Type } from 'typebox'
import { EVENT_TYPE_NAMES } from '../../../shared/event-catalog.ts'
import { Event } from '../../../shared/schemas/event-shape.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../http/route.ts'
import { readEvent, readEvents } from './read.ts'

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
