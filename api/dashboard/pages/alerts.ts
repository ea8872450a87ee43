// Sanctions alerts: an operator decides, the tenant sees why a cardholder waits.
import { html } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { call, page } from '../page.ts'
import { facts } from '../parts/facts.ts'
import { seconds } from '../parts/moment.ts'
import { namesOf } from '../parts/names.ts'
import { section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { alertTag } from '../parts/tag.ts'

export const alerts = list({
  path: '/alerts',
  title: 'Sanctions alerts',
  menu: { group: 'Issuing', label: 'Alerts' },
  operation: 'listSanctionsAlerts',
  filters: [{ name: 'status', label: 'Status', options: ['open', 'dismissed', 'confirmed'] }],
  columns: [
    { label: 'Listed name', cell: ({ hits }) => hits[0]?.name ?? '' },
    { label: 'Status', cell: ({ status }) => alertTag(status) },
    { label: 'Cardholder', id: ({ cardholder_id: id }) => id },
    { label: 'Hits', isNumber: true, cell: ({ hits }) => hits.length },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/alerts/' + id,
  empty: 'No cardholder resembles a listed person. A screening that finds one opens an alert.',
})

export const alert = page({
  path: '/alerts/:id',
  title: 'Sanctions alert',
  operations: ['getSanctionsAlert'],
  async view(at) {
    const of = await at.need(call('getSanctionsAlert', { id: at.params['id'] ?? '' }))
    const hits = table({
      label: 'Hits',
      rows: of.hits,
      columns: [
        { label: 'Name', cell: ({ name }) => name },
        { label: 'List', cell: ({ kind, program }) => kind + ' ' + program },
        { label: 'Likeness', isNumber: true, cell: ({ score }) => score + ' of 100' },
        { label: 'Why', cell: ({ reasons }) => reasons.join(', ') },
      ],
    })
    const named = await namesOf(at, [of.cardholder_id])
    return {
      title: 'Sanctions alert',
      content: html`<header class="head"><h1>Sanctions alert</h1>${alertTag(of.status)}<p>An operator of the installation decides. <code>${of.id}</code></p></header>${section(
        'Details',
        facts([
          ['Cardholder', named(of.cardholder_id)],
          ['Version of the lists', of.list_version],
          ['Made', seconds(of.created)],
          ['Reviewed', seconds(of.reviewed_at)],
        ]),
      )}${section('Hits', hits)}`,
    }
  },
})
