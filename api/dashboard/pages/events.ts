// Events: what did we tell you?
import { EVENT_TYPE_NAMES } from '../../../shared/event-catalog.ts'
import { html } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { call, page } from '../page.ts'
import { whole } from '../parts/code.ts'
import { facts } from '../parts/facts.ts'
import { idLink } from '../parts/id.ts'
import { seconds } from '../parts/moment.ts'
import { namesOf } from '../parts/names.ts'
import { none, panel, section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { deliveryColumns } from './deliveries.ts'

/** The id of the resource that an event is about. */
function subjectOf({ data }: { data: { readonly [key: string]: unknown } }): string | null {
  const [resource] = Object.values(data)
  const id =
    typeof resource === 'object' && resource !== null && 'id' in resource ? resource.id : null
  return typeof id === 'string' ? id : null
}

export const events = list({
  path: '/events',
  title: 'Events',
  menu: { group: 'Developers', label: 'Events' },
  operation: 'listEvents',
  filters: [
    { name: 'type', label: 'Type', options: EVENT_TYPE_NAMES },
    { name: 'resource_id', label: 'Resource id' },
    { name: 'created[gte]', label: 'Since', placeholder: '2026-11-26' },
    { name: 'created[lte]', label: 'Until', placeholder: '2026-11-26' },
  ],
  columns: [
    { label: 'Type', cell: ({ type }) => type },
    { label: 'About', cell: (event, at) => idLink(at, subjectOf(event)) },
    {
      label: 'Event',
      cell: ({ id }) => html`<code class="id" title="${id}">…${id.slice(-8)}</code>`,
      text: ({ id }) => id,
    },
    { label: 'Version', cell: ({ api_version: version }) => version },
    { label: 'Time', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/events/' + id,
  empty:
    'Nothing happened yet. Each change of a card, pass, payment or cardholder becomes an event.',
})

export const event = page({
  path: '/events/:id',
  title: 'Event',
  operations: ['getEvent', 'listWebhookDeliveries'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { deliveries }] = await Promise.all([
      at.need(call('getEvent', { id })),
      at.ask({ deliveries: call('listWebhookDeliveries', { event_id: id, limit: 25 }) }),
    ])
    const named = await namesOf(at, [
      subjectOf(of),
      ...(deliveries.ok ? deliveries.value.data.map((one) => one.endpoint_id) : []),
    ])
    const content = html`<header class="head"><h1>${of.type}</h1><p><code>${of.id}</code></p></header>
${section(
  'Details',
  facts([
    ['About', named(subjectOf(of))],
    ['Version', of.api_version],
    ['Time', seconds(of.created)],
  ]),
)}
${panel('Deliveries', deliveries, ({ data }) =>
  data.length === 0
    ? none(
        at,
        'No endpoint took it. It can be sent to any of yours.',
        call('replayWebhookEndpoint', { id: 'we_…', event_id: id }),
      )
    : table({
        label: 'Deliveries',
        rows: data,
        columns: deliveryColumns(at, named),
        href: (row) => at.to('/deliveries/' + row.id),
      }),
)}
${whole(of, 'The event as the API shows it')}`
    return { title: of.type, content }
  },
})
