// Certification of a receiver, and recoveries: does it answer every case, and what is sent again?
import type { Certification, WebhookRecovery } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { action, call, type Outcome, page, type Visit } from '../page.ts'
import { facts } from '../parts/facts.ts'
import { buttonForm } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { moment, seconds } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { none, panel, section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { tag, wordsOf } from '../parts/tag.ts'

const idOf = (at: Visit): string => at.params['id'] ?? ''

/** The endpoint's certifications, and the button for another one; null in live. */
export function certificationPanel(
  at: Visit,
  endpointId: string,
  known: Outcome<{ data: Certification[] }>,
): Html | null {
  if (at.environment === 'live') return null
  const path = at.to('/webhooks/' + endpointId)
  const asks = at.may('certifyWebhookEndpoint')
    ? buttonForm(path + '/certify', { label: 'Certify it', mood: 'plain' })
    : null
  return panel(
    'Certification',
    known,
    ({ data }) =>
      html`${data.length === 0 ? none(at, 'Not certified yet. Invented authorization requests, slow and broken ones too, are sent to the endpoint, and its answers are compared with those expected.', call('certifyWebhookEndpoint', { id: endpointId })) : html`<ul class="bars">${data.map((one) => html`<li><span><a href="${url(path + '/certifications/' + one.id)}">${seconds(one.created)}</a></span>${verdictOf(one)}<span>${one.failed.join(', ')}</span></li>`)}</ul>`}${asks}`,
  )
}

function verdictOf({ certified, status }: Certification): Html {
  if (certified === null) return tag(status)
  return certified ? tag('certified', 'good') : tag('not certified', 'bad')
}

export const certification = page({
  path: '/webhooks/:id/certifications/:certification',
  title: 'Certification',
  operations: ['getWebhookEndpointCertification'],
  async view(at) {
    const of = await at.need(
      call('getWebhookEndpointCertification', {
        ...{ id: idOf(at), certification: at.params['certification'] ?? '' },
      }),
    )
    const self = at.to('/webhooks/' + of.endpoint_id + '/certifications/' + of.id)
    const running =
      of.status === 'running'
        ? html`<p>The probes run one after the other. <a class="button plain" href="${url(self)}">Look again</a></p>`
        : null
    const content = html`<header class="head"><h1>Certification of a receiver</h1>${verdictOf(of)}<p>${of.url} · <code>${of.id}</code></p></header>
${section(
  'Result',
  html`${running}${facts([
    ['Endpoint', idLink(at, of.endpoint_id)],
    ['Begun', seconds(of.created)],
    ['Finished', of.finished_at === null ? null : seconds(of.finished_at)],
    ['Did not pass', of.failed.length === 0 ? null : of.failed.join(', ')],
  ])}`,
)}
${section('Every case', probesOf(of))}`
    return { title: 'Certification', content }
  },
})

function probesOf({ probes }: Certification): Html {
  if (probes.length === 0) return html`<p class="soft">No case was tried yet.</p>`
  return table({
    label: 'Cases',
    rows: probes,
    columns: [
      { label: 'Case', cell: ({ name }) => name },
      {
        label: 'Passed',
        cell: ({ passed }) => (passed ? tag('passed', 'good') : tag('failed')),
      },
      { label: 'Sent', cell: ({ sent }) => sent },
      { label: 'Expected', cell: ({ expected }) => expected },
      { label: 'Got', cell: ({ got }) => got },
      {
        label: 'Time',
        isNumber: true,
        cell: ({ latency_ms: ms }) => countText(ms) + ' ms',
      },
    ],
  })
}

/** The endpoint's recoveries; a running one can be canceled. */
export function recoveryRows(
  at: Visit,
  endpointId: string,
  recoveries: readonly WebhookRecovery[],
): Html {
  if (recoveries.length === 0)
    return none(
      at,
      'Nothing was sent again. The page of deliveries can send all that match a filter.',
      call('createWebhookEndpointRecovery', {
        ...{ id: endpointId, which: 'failed' as const },
        since: new Date(at.now).toISOString().slice(0, 10),
      }),
    )
  const may = at.may('cancelWebhookEndpointRecovery')
  return html`<ul class="bars">${recoveries.map((one) => {
    const path = at.to('/webhooks/' + one.endpoint_id + '/recoveries/' + one.id + '/cancel')
    const cancel =
      may && one.status === 'running' ? buttonForm(path, { label: 'Cancel', mood: 'danger' }) : null
    return html`<li><span>${wordsOf(one.which)} since ${moment(one.since)}, ${countText(one.matched)} events</span>${tag(one.status)}<span>${cancel}</span></li>`
  })}</ul>`
}

export const receiverMoves = [
  action({
    path: '/webhooks/:id/certify',
    label: 'Send the endpoint the requests of a certification.',
    operation: 'certifyWebhookEndpoint',
    done: 'The certification is under way.',
    input: (_form, at) => ({ id: idOf(at) }),
    next: (made) => '/webhooks/' + made.endpoint_id + '/certifications/' + made.id,
  }),
  action({
    path: '/webhooks/:id/recoveries/:recovery/cancel',
    label: 'End the recovery.',
    operation: 'cancelWebhookEndpointRecovery',
    done: 'The recovery ended; what it handed out already is sent.',
    input: (_form, at) => ({ id: idOf(at), recovery: at.params['recovery'] ?? '' }),
    next: (made) => '/webhooks/' + made.endpoint_id,
  }),
]
