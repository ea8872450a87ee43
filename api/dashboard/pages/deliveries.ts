// Deliveries: what was sent, what did the receiver answer, and sending it again.
import type {
  Event,
  WebhookDelivery,
  WebhookDeliveryRequest,
  WebhookRecovery,
  WebhookRecoveryCount,
} from '../../../client/generated.ts'
import { EVENT_TYPE_NAMES } from '../../../shared/event-catalog.ts'
import { type Html, html } from '../../../shared/html.ts'
import { columnsFor, type ListColumn, list } from '../list.ts'
import { action, call, FieldProblem, type Form, page, type Visit } from '../page.ts'
import { code } from '../parts/code.ts'
import { facts } from '../parts/facts.ts'
import { boxesForm, buttonForm, field, form, hidden, select } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { moment, seconds } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { type NameOf, namesOf } from '../parts/names.ts'
import { none, panel, section } from '../parts/panel.ts'
import type { Column } from '../parts/table.ts'
import { tag, wordsOf } from '../parts/tag.ts'

const COLUMNS: readonly ListColumn<WebhookDelivery>[] = [
  { label: 'Event', cell: ({ event_type: type }) => type },
  { label: 'State', cell: ({ state }) => tag(state) },
  { label: 'Tries', isNumber: true, cell: ({ attempts }) => attempts + '/5' },
  {
    label: 'Answer',
    cell: ({ last_status: status, last_error: error }) =>
      html`${status ?? '–'} <span class="soft">${wordsOf(error ?? '')}</span>`,
  },
  { label: 'Endpoint', id: ({ endpoint_id: id }) => id },
  { label: 'Made', cell: ({ created }) => seconds(created) },
]

/** Columns for a panel of another page. */
export function deliveryColumns(at: Visit, named: NameOf): readonly Column<WebhookDelivery>[] {
  return columnsFor(at, COLUMNS, named)
}

export const deliveries = list({
  path: '/deliveries',
  title: 'Deliveries',
  menu: { group: 'Developers', label: 'Deliveries' },
  operation: 'listWebhookDeliveries',
  filters: [
    {
      name: 'state',
      label: 'State',
      options: ['pending', 'held', 'succeeded', 'failed', 'canceled'],
    },
    { name: 'type', label: 'Event type', options: EVENT_TYPE_NAMES },
    { name: 'endpoint_id', label: 'Endpoint id' },
    { name: 'created[gte]', label: 'Since', placeholder: '2026-11-26' },
    { name: 'created[lte]', label: 'Until', placeholder: '2026-11-26' },
  ],
  columns: [...COLUMNS, { label: 'Choose', isActions: true, cell: choiceOf }],
  href: ({ id }) => '/deliveries/' + id,
  empty:
    'Nothing was delivered yet. Each event becomes a delivery to every endpoint that wants its type.',
  begin: () => ({
    ...{ path: '/webhooks', label: 'See the endpoints', operation: 'listWebhookEndpoints' },
  }),
  tools: (at) => html`${againChosen(at)}${againAll(at)}`,
})

const CHOSEN = 'chosen'
/** Deliveries of a page. */
const CHOSEN_MAX = 25

/** The box that chooses a delivery; the event of a test is none of the tenant's. */
function choiceOf(of: WebhookDelivery, at: Visit): Html | null {
  if (of.cause === 'test' || !at.may('replayWebhookEndpoint')) return null
  return html`<label class="choose"><input type="checkbox" name="chosen" form="${CHOSEN}" value="${of.endpoint_id} ${of.event_id}"><span class="hearing">${of.event_type} of ${seconds(of.created)}</span></label>`
}

/** Sending again the deliveries whose boxes are on. */
function againChosen(at: Visit): Html | null {
  if (!at.may('replayWebhookEndpoint')) return null
  const button = { label: 'Send the chosen again', mood: 'plain' } as const
  return boxesForm(CHOSEN, at.to('/deliveries/replay'), button)
}

function chosenIn(form: Form) {
  const chosen = form('chosen')
    .split(',')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [id = '', event = ''] = pair.split(' ')
      return { id, event_id: event }
    })
  if (chosen.length === 0 || chosen.length > CHOSEN_MAX || chosen.some((of) => of.event_id === ''))
    throw new FieldProblem('chosen', 'Choose 1 to ' + CHOSEN_MAX + ' deliveries in the list.')
  return chosen
}

export const replayChosen = action({
  path: '/deliveries/replay',
  label: 'Send the chosen events again.',
  operation: 'replayWebhookEndpoint',
  done: 'The chosen events are sent again.',
  input: (form) => chosenIn(form)[0] as { id: string; event_id: string },
  more: (form) => chosenIn(form).slice(1),
  next: () => '/deliveries',
})

/** Sending again all that match the filter: it needs the endpoint and a beginning. */
function againAll(at: Visit): Html | null {
  if (!at.may('createWebhookEndpointRecovery')) return null
  const endpoint = at.query.get('endpoint_id') ?? ''
  if (endpoint === '')
    return html`<p class="soft">To send all that match again, filter by one endpoint.</p>`
  // The form of filters sends its empty fields too.
  const chosen = at.query.get('created[gte]') ?? ''
  const since = chosen === '' ? new Date(at.now - 86_400_000).toISOString() : chosen
  const fields = html`${hidden('endpoint_id', endpoint)}${hidden('type', at.query.get('type') ?? '')}<div class="pair">${select(
    {
      name: 'which',
      label: 'Which events',
      value: at.query.get('state') === 'failed' ? 'failed' : 'all',
      options: [
        ['failed', 'failed or canceled'],
        ['missed', 'missed while disabled'],
        ['all', 'all'],
      ],
    },
  )}${field({ name: 'since', label: 'Since', hint: 'ISO 8601', required: true, value: since })}${field({ name: 'until', label: 'Until', hint: 'optional', value: at.query.get('created[lte]') ?? '' })}</div>`
  return html`<details class="panel"><summary>Send all that match again</summary>${form({
    action: at.to('/deliveries/count'),
    fields,
    button: { label: 'Count first', mood: 'plain' },
  })}</details>`
}

function recoveryInput(form: Form, isDryRun: boolean) {
  return {
    id: form('endpoint_id'),
    which: form('which') as 'failed',
    since: form('since'),
    ...(form('until') === '' ? {} : { until: form('until') }),
    ...(form('type') === '' ? {} : { event_types: [form('type')] as never }),
    dry_run: isDryRun,
  }
}

export const countAgain = action({
  path: '/deliveries/count',
  label: 'Count the events that would be sent again.',
  operation: 'createWebhookEndpointRecovery',
  done: '',
  input: (form) => recoveryInput(form, true),
  shown: (counted, at, _isRepeat, sent) => {
    const { matched, at_least: isMore } = counted as WebhookRecoveryCount
    const names = ['endpoint_id', 'which', 'since', 'until', 'type']
    const fields = html`${names.map((name) => hidden(name, sent(name)))}`
    const words = countText(matched) + (isMore ? ' or more' : '') + ' events match'
    return {
      title: words,
      content: html`<header class="head"><h1>${words}</h1><p>${sent('which')}, since ${sent('since')}. Each is sent once more to ${idLink(at, sent('endpoint_id'))}.</p></header>${
        matched === 0
          ? null
          : form({
              action: at.to('/deliveries/again'),
              fields,
              button: { label: 'Send ' + countText(matched) + ' again' },
            })
      }`,
    }
  },
})

export const sendAgain = action({
  path: '/deliveries/again',
  label: 'Send all matching events again.',
  operation: 'createWebhookEndpointRecovery',
  done: 'The events are sent again.',
  input: (form) => recoveryInput(form, false),
  next: (made) => '/webhooks/' + (made as WebhookRecovery).endpoint_id,
})

export const delivery = page({
  path: '/deliveries/:id',
  title: 'Delivery',
  operations: [
    ...(['getWebhookDelivery', 'listWebhookDeliveryAttempts'] as const),
    ...(['getWebhookDeliveryRequest', 'getEvent'] as const),
  ],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { attempts, request }] = await Promise.all([
      at.need(call('getWebhookDelivery', { id })),
      at.ask({
        attempts: call('listWebhookDeliveryAttempts', { id, limit: 25 }),
        request: call('getWebhookDeliveryRequest', { id }),
      }),
    ])
    // The event of a test is none of the tenant's.
    const { event } =
      of.cause === 'test'
        ? { event: null }
        : await at.ask({ event: call('getEvent', { id: of.event_id }) })
    const again =
      at.may('replayWebhookEndpoint') && of.cause !== 'test'
        ? buttonForm(
            at.to('/deliveries/' + id + '/replay'),
            { label: 'Send it again', mood: 'primary' },
            html`${hidden('endpoint_id', of.endpoint_id)}${hidden('event_id', of.event_id)}`,
          )
        : null
    const named = await namesOf(at, [of.endpoint_id])
    const content = html`<header class="head"><h1>${of.event_type}</h1>${tag(of.state)}<span class="actions">${again}</span><p>to ${named(of.endpoint_id)} · <code>${of.id}</code></p></header>
<div class="grid">
${section(
  'Details',
  facts([
    ['Event', idLink(at, of.event_id)],
    ['Why it was sent', of.cause],
    ['Tries of this cycle', of.attempts + ' of 5'],
    ['Next try', of.next_attempt_at === null ? null : seconds(of.next_attempt_at)],
    ['Latest answer', of.last_status ?? wordsOf(of.last_error ?? '')],
    ['Made', seconds(of.created)],
    ['Finished', of.finished_at === null ? null : seconds(of.finished_at)],
  ]),
)}
${panel('Attempts', attempts, ({ data }) =>
  data.length === 0
    ? none(at, 'No attempt yet. Each try becomes a row, with the answer of the receiver.')
    : html`<ol class="steps">${data.map((one) => html`<li class="${one.error_class === null ? '' : 'stop'}"><span>cycle ${one.cycle}, ${one.n}</span><span aria-hidden="true">${one.error_class === null ? '✓' : '✕'}</span><span>${one.response_status ?? wordsOf(one.error_class ?? '')} after ${one.duration_ms} ms <small>${moment(one.started_at)}</small>${one.response_body === '' ? null : html`<br><code>${one.response_body}</code>`}</span></li>`)}</ol>`,
)}</div>
${panel('The request, byte for byte', request, requestView)}
${event === null ? null : panel('The event', event, eventView)}`
    return { title: of.event_type, content }
  },
})

function eventView(event: Event): Html {
  return code(JSON.stringify(event, null, 2), 'The event as the API shows it')
}

function requestView(of: WebhookDeliveryRequest): Html {
  const names = Object.entries(of.headers).map(([name, value]) => name + ': ' + value)
  const signed = of.signature_headers.map((name) => name + ': …')
  const head = [of.method + ' ' + of.url, ...names, ...signed].join('\n')
  const { body, body_bytes: bytes } = of
  return html`${code(head, 'Request line and headers')}${
    body === null
      ? html`<p class="soft">The body is no longer kept.</p>`
      : html`${code(body, 'Exact body')}<p class="soft">${countText(bytes ?? 0)} bytes of UTF-8.</p>`
  }<p class="soft">The header <code>svc-signature: t=…,v1=…</code> is HMAC-SHA256, with the secret of the endpoint, over this text: the moment <code>t</code>, a dot, and the bytes of the body.</p>${code(VERIFY, 'How to verify it')}`
}

const VERIFY = `import { verifyWebhook } from '@svc/client'

const event = verifyWebhook(rawBody, request.headers['svc-signature'], secret)`

export const replayOne = action({
  path: '/deliveries/:id/replay',
  label: 'Send the event again.',
  operation: 'replayWebhookEndpoint',
  done: 'The event is sent again.',
  input: (form) => ({ id: form('endpoint_id'), event_id: form('event_id') }),
})
