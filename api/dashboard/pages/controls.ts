// Spending controls: what does each allow, and what would its draft change?
import type { SpendingControl, SpendingControlShadow } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { authorizationOf } from '../first-rows.ts'
import { list } from '../list.ts'
import { action, call, page, type Visit } from '../page.ts'
import { whole } from '../parts/code.ts'
import { facts, ownFacts } from '../parts/facts.ts'
import { confirmed } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { seconds } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { namesOf } from '../parts/names.ts'
import { none, notice, panel, section } from '../parts/panel.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { backtestPanel } from './backtests.ts'
import { controlSentence, SHORT } from './control-sentence.ts'
import { termDiff, termFacts } from './control-terms.ts'

export const controls = list({
  path: '/controls',
  title: 'Controls',
  menu: { group: 'Issuing', label: 'Controls' },
  operation: 'listSpendingControls',
  filters: [
    { name: 'state', label: 'State', options: ['draft', 'active', 'retired'] },
    {
      name: 'scope',
      label: 'Scope',
      options: ['program', 'cardholder', 'card', 'payment_account'],
    },
    { name: 'subject_id', label: 'Subject id' },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    { label: 'Terms', cell: (of) => controlSentence(of, SHORT) },
    { label: 'State', cell: ({ state }) => tag(state) },
    { label: 'Scope', cell: ({ scope }) => wordsOf(scope) },
    { label: 'Subject', id: ({ subject_id: id }) => id },
    { label: 'Version', isNumber: true, cell: ({ version }) => version },
    { label: 'Changed', cell: ({ updated }) => seconds(updated) },
  ],
  href: ({ id }) => '/controls/' + id,
  empty: 'No control yet. Without one everything passes that card, cardholder and program allow.',
  create: { path: '/controls/new', label: 'Write a control', operation: 'createSpendingControl' },
})

export const control = page({
  path: '/controls/:id',
  title: 'Control',
  operations: [
    ...(['getSpendingControl', 'listSpendingControlVersions'] as const),
    ...(['getSpendingControlShadow', 'listSpendingControlBacktests'] as const),
  ],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { versions, shadow, backtests }] = await Promise.all([
      at.need(call('getSpendingControl', { id })),
      at.ask({
        versions: call('listSpendingControlVersions', { id, limit: 20 }),
        shadow: call('getSpendingControlShadow', { id }),
        backtests: call('listSpendingControlBacktests', { id, limit: 5 }),
      }),
    ])
    const replaced = of.state === 'draft' ? (of.metadata['replaces'] ?? null) : null
    const { active } =
      replaced === null
        ? { active: null }
        : await at.ask({ active: call('getSpendingControl', { id: replaced }) })
    const makers = versions.ok ? versions.value.data.map((one) => one.created_by) : []
    const named = await namesOf(at, [of.subject_id, of.updated_by, ...makers])
    const content = html`<header class="head"><h1>Control of a ${wordsOf(of.scope)}</h1>${tag(of.state)}<span class="actions">${moves(at, of)}</span><p>version ${of.version} · binds the ${wordsOf(of.scope)} ${named(of.subject_id)} · <code>${of.id}</code></p></header>
${of.state === 'draft' ? notice('warn', 'This version is a draft: it only reports what it would have decided.') : null}
<div class="grid"><div class="stack">${section('Terms', html`<p>${controlSentence(of)}</p>${termFacts(of)}`)}
${panel('What its drafts said meanwhile', shadow, (said) => shadowView(at, of, said))}
</div><div class="stack">
${active === null ? null : panel('What it changes', active, (old) => html`<p>Against ${idLink(at, old.id)} v${old.version}. Retire that one when this is active.</p>${termDiff(old, of)}`)}
${backtestPanel(at, of, backtests)}
${section(
  'Details',
  facts([
    ['Changed', seconds(of.updated)],
    ['By', named(of.updated_by)],
    ['Made', seconds(of.created)],
    ...ownFacts(of),
  ]),
)}</div></div>
${panel(
  'Versions',
  versions,
  ({ data }) =>
    html`<ul class="bars">${data.map(
      (one, index) =>
        html`<li><span><strong>v${one.version}</strong> ${seconds(one.created)} by ${named(one.created_by)}</span>${tag(one.state)}<span>${data[index + 1] === undefined ? null : html`<details><summary>Changes since v${data[index + 1]?.version ?? ''}</summary>${termDiff(data[index + 1] ?? one, one)}</details>`}</span></li>`,
    )}</ul>`,
)}
${whole(of, 'The control as the API shows it')}`
    return { title: 'Control', content }
  },
})

function shadowView(
  at: Visit,
  { scope, subject_id: subject }: SpendingControl,
  { versions, would_approve: good, would_decline: bad }: SpendingControlShadow,
): Html {
  if (versions.length === 0)
    return none(
      at,
      'No draft of it judged an authorization yet. A draft judges each one that it would bind.',
      scope === 'payment_account'
        ? null
        : authorizationOf(at, scope === 'card' ? subject : undefined),
    )
  return html`<p>${countText(good)} approved, ${countText(bad)} declined, by all drafts.</p><ul class="bars">${versions.map(
    (one) =>
      html`<li><span><strong>v${one.version}</strong> would have approved ${countText(one.would_approve)}, declined ${countText(one.would_decline)}</span><span></span><span><small>${one.decline_reasons.map(({ decline_reason: reason, count }) => wordsOf(reason) + ' ' + count).join(', ')}</small></span></li>`,
  )}</ul>`
}

function moves(at: Visit, { id, state, version }: SpendingControl): Html {
  const path = at.to('/controls/' + id)
  return html`${
    state !== 'retired' && at.may('updateSpendingControl')
      ? html`<a class="button plain" href="${url(path + '/edit')}">Edit</a>`
      : null
  }${
    state === 'active' && at.may('createSpendingControl')
      ? html`<a class="button plain" href="${url(at.to('/controls/new?from=' + id))}">Draft a change</a>`
      : null
  }${
    state === 'draft' && at.may('activateSpendingControl')
      ? confirmed({
          ...{
            id: 'activate',
            action: path + '/activate',
            button: { label: 'Activate', mood: 'primary' },
          },
          title: 'Activate version ' + version + '?',
          text: 'It binds every authorization from now on.',
        })
      : null
  }${
    state !== 'retired' && at.may('retireSpendingControl')
      ? confirmed({
          ...{
            id: 'retire',
            action: path + '/retire',
            button: { label: 'Retire', mood: 'danger' },
          },
          title: 'Retire this control?',
          text: 'It binds nothing any more.',
        })
      : null
  }`
}

export const controlMoves = [
  action({
    path: '/controls/:id/activate',
    label: 'Activate the control.',
    operation: 'activateSpendingControl',
    done: 'The control binds from now on.',
    input: (_form, at) => ({ id: at.params['id'] ?? '' }),
  }),
  action({
    path: '/controls/:id/retire',
    label: 'Retire the control.',
    operation: 'retireSpendingControl',
    done: 'The control is retired.',
    input: (_form, at) => ({ id: at.params['id'] ?? '' }),
  }),
]
