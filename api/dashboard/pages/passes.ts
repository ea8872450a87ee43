// Passes, their templates and scans: who has which, and does it live?
import { html, url } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, call, page } from '../page.ts'
import { whole } from '../parts/code.ts'
import { facts, ifAny, ownFacts } from '../parts/facts.ts'
import { figures } from '../parts/figure.ts'
import { confirmed, field } from '../parts/form.ts'
import { moment, seconds } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { namesOf } from '../parts/names.ts'
import { listLink, none, panel, section } from '../parts/panel.ts'
import { tag } from '../parts/tag.ts'
import { passDays } from './pass-days.ts'

const STATES = ['active', 'installed', 'removed', 'revoked'] as const

export const passes = list({
  path: '/passes',
  title: 'Passes',
  menu: { group: 'Passes', label: 'Passes' },
  operation: 'listPasses',
  filters: [
    { name: 'status', label: 'Status', options: STATES },
    { name: 'template_id', label: 'Template id' },
    { name: 'card_id', label: 'Card id' },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    {
      label: 'Holder',
      cell: ({ holder_name: name, id }) =>
        name ?? html`<code class="id" title="${id}">…${id.slice(-8)}</code>`,
    },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Wallet', cell: ({ platform }) => platform },
    { label: 'Template', id: ({ template_id: id }) => id },
    { label: 'Version', isNumber: true, cell: ({ version }) => version },
    { label: 'Changed', cell: ({ updated }) => seconds(updated) },
  ],
  href: ({ id }) => '/passes/' + id,
  empty: 'No pass was made yet. A pass is made of a template, for a card or for a holder by name.',
  begin: () => ({ path: '/templates', label: 'Choose a template', operation: 'listPassTemplates' }),
  async above(at) {
    const [counts, { days }] = await Promise.all([
      at.ask(
        Object.fromEntries(STATES.map((status) => [status, call('getPassesCount', { status })])),
      ),
      at.ask({ days: call('getPassesStatistics', {}) }),
    ])
    return html`${figures(
      STATES.map((status) => {
        const of = counts[status]
        return { label: status, value: of?.ok === true ? countText(of.value.count) : 'no answer' }
      }),
    )}${panel('Into wallets and out of them', days, (of) => passDays(at, of))}`
  },
})

export const pass = page({
  path: '/passes/:id',
  title: 'Pass',
  operations: ['getPass', 'listPassScans'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { scans }] = await Promise.all([
      at.need(call('getPass', { id })),
      at.ask({ scans: call('listPassScans', { pass_id: id, limit: 20 }) }),
    ])
    const named = await namesOf(at, [of.template_id, of.card_id])
    const revoke =
      of.status !== 'revoked' && at.may('revokePass')
        ? confirmed({
            ...{
              id: 'revoke',
              action: at.to('/passes/' + id + '/revoke'),
              button: { label: 'Revoke', mood: 'danger' },
            },
            title: 'Revoke this pass?',
            text: 'It is void in the wallet, and every scan of it is refused.',
            fields: field({ name: 'reason', label: 'Reason', hint: 'optional' }),
          })
        : null
    return {
      title: 'Pass',
      content: html`<header class="head"><h1>${of.holder_name ?? 'Pass'}</h1>${tag(of.status)}<span class="actions">${revoke}</span><p><code>${of.id}</code></p></header>
<div class="grid">${section(
        'Details',
        facts([
          ['Template', html`${named(of.template_id)} v${of.template_version}`],
          ['Version', of.version],
          ['Wallet', of.platform],
          ['Card', named(of.card_id)],
          ['Expires', moment(of.expires_at)],
          ...ifAny('Redeemed', of.redeemed_at === null ? null : seconds(of.redeemed_at)),
          ...ifAny('Revoked because', of.revoke_reason),
          ['Made', seconds(of.created)],
          ['Changed', seconds(of.updated)],
          ...Object.entries(of.values).map(([name, value]) => ['Field ' + name, value] as const),
          ...ownFacts(of),
        ]),
      )}${panel(
        'Scans',
        scans,
        ({ data }) =>
          data.length === 0
            ? none(
                at,
                'Never scanned. A scanner of yours reads the text of its barcode.',
                call('scanPasses', { payload: of.payload, scanner_id: 'scn_…' }),
              )
            : html`<ul class="bars">${data.map((one) => html`<li><span>${seconds(one.created)} ${one.medium}</span>${tag(one.verification_result)}</li>`)}</ul>`,
        listLink(at, '/scans?pass_id=' + id, 'All scans'),
      )}</div>${whole(of, 'The pass as the API shows it')}`,
    }
  },
})

export const templates = list({
  path: '/templates',
  title: 'Pass templates',
  menu: { group: 'Passes', label: 'Templates' },
  operation: 'listPassTemplates',
  filters: [
    { name: 'status', label: 'Status', options: ['active', 'archived'] },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Style', cell: ({ style }) => style.replaceAll('_', ' ') },
    { label: 'Version', isNumber: true, cell: ({ version }) => version },
    {
      label: 'Reached',
      cell: ({ fanout }) => (fanout === null ? null : fanout.done + ' of ' + fanout.total),
    },
    { label: 'Changed', cell: ({ updated }) => seconds(updated) },
  ],
  href: ({ id }) => '/templates/' + id,
  empty: 'No template yet. It says how the passes made of it look.',
  create: { path: '/templates/new', label: 'Draw a template', operation: 'createPassTemplate' },
})

export const template = page({
  path: '/templates/:id',
  title: 'Pass template',
  operations: ['getPassTemplate', 'getPassTemplatePreview', 'getPassesCount'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { count, days }] = await Promise.all([
      at.need(call('getPassTemplate', { id })),
      at.ask({
        count: call('getPassesCount', { template_id: id }),
        days: call('getPassesStatistics', { template_id: id }),
      }),
    ])
    const archive =
      of.status === 'active' && at.may('archivePassTemplate')
        ? confirmed({
            ...{
              id: 'archive',
              action: at.to('/templates/' + id + '/archive'),
              button: { label: 'Archive', mood: 'danger' },
            },
            title: 'Archive this template?',
            text: 'No new pass is made of it. Passes that exist go on.',
          })
        : null
    const change =
      of.status === 'active' && at.may('updatePassTemplate')
        ? html`<a class="button primary" href="${url(at.to('/templates/' + id + '/edit'))}">Change</a>`
        : null
    return {
      title: of.name,
      content: html`<header class="head"><h1>${of.name}</h1>${tag(of.status)}<span class="actions">${change}${archive}</span><p>version ${of.version} · <code>${of.id}</code></p></header>
<div class="grid">${section('In a wallet', html`<iframe title="Preview of the pass" sandbox src="${url(at.to('/templates/' + id + '/preview'))}"></iframe>`)}
<div class="stack">${section(
        'Details',
        facts([
          ['Style', of.style.replaceAll('_', ' ')],
          ['Organization', of.organization_name],
          ['Description', of.description],
          ['Passes', count.ok ? countText(count.value.count) : 'no answer'],
          ...ifAny(
            'Fan-out',
            of.fanout === null
              ? null
              : html`${tag(of.fanout.state)} ${countText(of.fanout.done)} of ${countText(of.fanout.total)} passes have version ${of.fanout.version}`,
          ),
          ['One time', of.one_time ? 'yes' : 'no'],
          ['Changed', seconds(of.updated)],
          ...ownFacts(of),
        ]),
      )}${panel('Into wallets and out of them', days, (drawn) => passDays(at, drawn, id), listLink(at, '/passes?template_id=' + id, 'Its passes'))}</div></div>${whole(of, 'The template as the API shows it')}`,
    }
  },
})

export const scans = list({
  path: '/scans',
  title: 'Scans',
  menu: { group: 'Passes', label: 'Scans' },
  operation: 'listPassScans',
  filters: [
    {
      name: 'verification_result',
      label: 'Result',
      options: ['valid', 'replayed', 'revoked', 'expired', 'forged', 'unknown'],
    },
    { name: 'pass_id', label: 'Pass id' },
    { name: 'scanner_id', label: 'Scanner id' },
  ],
  columns: [
    { label: 'Time', cell: ({ created }) => seconds(created) },
    { label: 'Result', cell: ({ verification_result: result }) => tag(result) },
    { label: 'Pass', id: ({ pass_id: id }) => id },
    { label: 'By', cell: ({ medium }) => medium },
    { label: 'Scanner', id: ({ scanner_id: id }) => id },
  ],
  empty: 'No pass was scanned yet. Each reading of a pass by a scanner becomes a row.',
  begin: () => ({ path: '/scanners', label: 'See the scanners', operation: 'listScanners' }),
})

export const passMoves = [
  action({
    path: '/passes/:id/revoke',
    label: 'Revoke the pass.',
    operation: 'revokePass',
    done: 'The pass is revoked.',
    input: (sent, at) => ({
      id: at.params['id'] ?? '',
      ...(sent('reason') === '' ? {} : { reason: sent('reason') }),
    }),
  }),
  action({
    path: '/templates/:id/archive',
    label: 'Archive the template.',
    operation: 'archivePassTemplate',
    done: 'The template is archived.',
    input: (_sent, at) => ({ id: at.params['id'] ?? '' }),
  }),
]
