// Webhook endpoints: do my receivers work?
import type {
  WebhookEndpoint as Made,
  WebhookEndpointStatistics,
} from '../../../client/generated.ts'
import { EVENT_TYPE_NAMES } from '../../../shared/event-catalog.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, call, type Form, type Problem, page, type Shown, type Visit } from '../page.ts'
import { facts, ownFacts } from '../parts/facts.ts'
import { figures, percent } from '../parts/figure.ts'
import { area, buttonForm, confirmed, field, form } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { seconds, span } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { listLink, none, panel, section } from '../parts/panel.ts'
import { secretOnce } from '../parts/secret.ts'
import { table } from '../parts/table.ts'
import { tag } from '../parts/tag.ts'
import { certificationPanel, recoveryRows } from './certifications.ts'
import { deliveryColumns } from './deliveries.ts'
import { deliveryHealth, healthBars } from './delivery-health.ts'
import { answerByHour, attempts, milliseconds } from './statistics.ts'

/** Only the answer that makes an endpoint has its secret. */
type WebhookEndpoint = Omit<Made, 'secret'>

export const webhooks = list({
  path: '/webhooks',
  title: 'Webhooks',
  menu: { group: 'Developers', label: 'Webhooks' },
  operation: 'listWebhookEndpoints',
  columns: [
    { label: 'Address', cell: ({ url: address }) => address },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Asked for authorizations', cell: ({ realtime }) => askedTag(realtime) },
    { label: 'Events', cell: ({ event_types: types }) => (types === null ? 'all' : types.length) },
    { label: 'Purpose', cell: ({ description }) => description },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/webhooks/' + id,
  empty: 'No endpoint receives events yet. An endpoint gets each event of the types it names.',
  async above(at) {
    const health = await deliveryHealth(at)
    return health.ok && health.value.data.length === 0
      ? null
      : panel('Delivery health, 24 h', health, (listed) => healthBars(at, listed))
  },
  create: { path: '/webhooks/new', label: 'Add an endpoint', operation: 'createWebhookEndpoint' },
})

function askedTag({ is_realtime: isAsked, breaker }: WebhookEndpoint['realtime']): Html | string {
  if (!isAsked) return 'no'
  const state = breaker?.state ?? 'unknown'
  return tag('breaker ' + state, state === 'closed' ? 'good' : 'warn')
}

function newForm(at: Visit, sent: Form | null, problem: Problem | null): Shown {
  const value = (name: string): string => sent?.(name) ?? ''
  const fields = html`${field({ name: 'url', label: 'Address', hint: 'https', type: 'url', value: value('url'), placeholder: 'https://hooks.example/svc', required: true, max: 2000 })}
${field({ name: 'description', label: 'Purpose', hint: 'in your words', value: value('description') })}
${area({ name: 'event_types', label: 'Event types', hint: 'by lines or commas; none: every type', value: value('event_types'), rows: 4 })}
<details><summary>Every event type</summary><p class="soft">${EVENT_TYPE_NAMES.join(', ')}</p></details>`
  return {
    title: 'Add an endpoint',
    status: problem === null ? 200 : 422,
    content: html`<header class="head"><h1>Add an endpoint</h1><p>We send events there, signed. Its secret is shown once.</p></header><section class="panel narrow">${form(
      { action: at.to('/webhooks/new'), fields, button: { label: 'Add the endpoint' }, problem },
    )}</section>`,
  }
}

export const newEndpoint = page({
  path: '/webhooks/new',
  title: 'Add an endpoint',
  operations: ['createWebhookEndpoint'],
  view: (at) => newForm(at, null, null),
})

function withSecret(
  at: Visit,
  made: WebhookEndpoint & { secret?: string },
  isRepeat: boolean,
): Shown {
  return {
    title: 'The signing secret',
    status: 201,
    content: html`<header class="head"><h1>The signing secret</h1></header>${section(made.url, html`${secretOnce(made.secret, isRepeat)}<p><a href="${url(at.to('/webhooks/' + made.id))}">To the endpoint</a></p>`)}`,
  }
}

export const makeEndpoint = action({
  path: '/webhooks/new',
  label: 'Add a webhook endpoint.',
  operation: 'createWebhookEndpoint',
  done: 'The endpoint is added.',
  input: (form) => ({
    url: form('url'),
    description: form('description'),
    ...(form('event_types') === ''
      ? {}
      : { event_types: form('event_types').split(/[\s,]+/) as never }),
  }),
  again: async (at, form, problem) => newForm(at, form, problem),
  shown: (made, at, isRepeat) => withSecret(at, made, isRepeat),
})

export const endpoint = page({
  path: '/webhooks/:id',
  title: 'Webhook endpoint',
  operations: [
    'getWebhookEndpoint',
    'getWebhookEndpointStatistics',
    'listWebhookDeliveries',
    'listWebhookEndpointRecoveries',
    'listWebhookEndpointCertifications',
  ],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { statistics, deliveries, recoveries, certifications }] = await Promise.all([
      at.need(call('getWebhookEndpoint', { id })),
      at.ask({
        statistics: call('getWebhookEndpointStatistics', { id }),
        deliveries: call('listWebhookDeliveries', { endpoint_id: id, limit: 10 }),
        recoveries: call('listWebhookEndpointRecoveries', { id, limit: 5 }),
        certifications: call('listWebhookEndpointCertifications', { id, limit: 5 }),
      }),
    ])
    const content = html`<header class="head"><h1>${of.url}</h1>${tag(of.status)}<span class="actions">${moves(at, of)}</span><p>${of.description === '' ? null : of.description + ' · '}<code>${of.id}</code></p></header>
${panel('Last 24 hours', statistics, (of) => numbers(at, of))}
${panel('Latest deliveries', deliveries, ({ data }) => html`${data.length === 0 ? none(at, 'None yet. Each event of its types is delivered to it.', call('testWebhookEndpoint', { id })) : table({ label: 'Latest deliveries', rows: data, columns: deliveryColumns(at, (id) => idLink(at, id)).filter(({ label }) => label !== 'Endpoint'), href: (row) => at.to('/deliveries/' + row.id) })}`, deliveryLinks(at, id))}
<div class="grid">${section(
      'Details',
      facts([
        ['Asked for authorizations', askedTag(of.realtime)],
        ['Event types', of.event_types === null ? 'every type' : of.event_types.join(', ')],
        [
          'Signing secrets',
          of.signing_secrets.length === 0
            ? null
            : html`${of.signing_secrets.map((one) => html`<code>${one.id}</code> since ${seconds(one.created)}${one.expires_at === null ? null : html` until ${seconds(one.expires_at)}`}<br>`)}`,
        ],
        [
          'Disabled',
          of.disabled_at === null
            ? null
            : html`${seconds(of.disabled_at)} ${of.disabled_reason ?? ''}`,
        ],
        ['Made', seconds(of.created)],
        ...ownFacts(of),
      ]),
    )}
<div class="stack">${panel('Sent again', recoveries, ({ data }) => recoveryRows(at, id, data))}
${certificationPanel(at, id, certifications)}</div></div>`
    return { title: of.url, content }
  },
})

function deliveryLinks(at: Visit, id: string): Html {
  const path = '/deliveries?endpoint_id=' + id
  return html`<span class="actions">${listLink(at, path + '&state=failed', 'Failed deliveries')}${listLink(at, path, 'All deliveries')}</span>`
}

/** Counts of one endpoint end there. */
const COUNTED_MAX = 10_000

function waitingText(count: number): string {
  return countText(count) + (count === COUNTED_MAX ? ' or more' : '')
}

function numbers(
  at: Visit,
  {
    endpoint_id: id,
    total,
    pending,
    held,
    hours,
    oldest_age_seconds: age,
  }: WebhookEndpointStatistics,
): Html {
  const { answer_ms: ms } = total
  return html`${figures([
    {
      label: 'Delivered at the first try',
      value: percent(total.first_try_share),
      note: 'of ' + countText(total.first_tries),
    },
    { label: 'Attempts that succeeded', value: percent(total.success_share) },
    {
      label: 'Failed',
      value: countText(total.failed),
      note: countText(total.timed_out) + ' timed out',
    },
    {
      label: 'Answer, p99',
      value: milliseconds(ms.p99),
      note: 'p50 ' + milliseconds(ms.p50) + ', p95 ' + milliseconds(ms.p95),
    },
    {
      label: 'Waiting',
      value: waitingText(pending),
      note: waitingText(held) + ' held' + (age === null ? '' : ', the oldest for ' + span(age)),
    },
  ])}<div class="charts">${attempts(at, id, hours)}${answerByHour(hours)}</div>`
}

function moves(at: Visit, { id, status, realtime }: WebhookEndpoint): Html {
  const path = at.to('/webhooks/' + id)
  return html`${at.may('testWebhookEndpoint') ? buttonForm(path + '/test', { label: 'Send a test', mood: 'plain' }) : null}${
    at.may('rotateSecretWebhookEndpoint')
      ? confirmed({
          ...{ id: 'rotate', action: path + '/rotate', button: { label: 'Rotate the secret' } },
          title: 'Rotate the signing secret?',
          text: 'Both secrets sign for 24 hours. The new one is shown once.',
        })
      : null
  }${
    at.may('updateWebhookEndpoint')
      ? buttonForm(path + (status === 'enabled' ? '/disable' : '/enable'), {
          label: status === 'enabled' ? 'Disable' : 'Enable',
          mood: 'plain',
        })
      : null
  }${
    !realtime.is_realtime && at.may('makeRealtimeWebhookEndpoint')
      ? confirmed({
          ...{
            id: 'realtime',
            action: path + '/realtime',
            button: { label: 'Ask it in real time' },
          },
          title: 'Ask this endpoint about authorizations?',
          text: 'It is asked before an approval leaves, instead of the one asked now.',
        })
      : null
  }`
}

const id = (at: Visit): string => at.params['id'] ?? ''

export const endpointMoves = [
  action({
    path: '/webhooks/:id/test',
    label: 'Send a test event.',
    operation: 'testWebhookEndpoint',
    done: 'A test is on its way.',
    input: (_form, at) => ({ id: id(at) }),
  }),
  action({
    path: '/webhooks/:id/rotate',
    label: 'Rotate the signing secret.',
    operation: 'rotateSecretWebhookEndpoint',
    done: 'The secret is rotated.',
    input: (_form, at) => ({ id: id(at) }),
    shown: (made, at, isRepeat) => withSecret(at, made, isRepeat),
  }),
  ...(['enabled', 'disabled'] as const).map((status) =>
    action({
      path: '/webhooks/:id/' + (status === 'enabled' ? 'enable' : 'disable'),
      label: (status === 'enabled' ? 'Enable' : 'Disable') + ' the endpoint.',
      operation: 'updateWebhookEndpoint',
      done: 'The endpoint is ' + status + '.',
      input: (_form, at) => ({ id: id(at), status }),
    }),
  ),
  action({
    path: '/webhooks/:id/realtime',
    label: 'Ask this endpoint about authorizations.',
    operation: 'makeRealtimeWebhookEndpoint',
    done: 'The endpoint is asked from now on.',
    input: (_form, at) => ({ id: id(at) }),
  }),
]
