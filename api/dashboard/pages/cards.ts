// Cards: what may each do now?
import type { Card, CardTransaction } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { authorizationOf } from '../first-rows.ts'
import { list } from '../list.ts'
import { action, call, page, type Visit } from '../page.ts'
import { whole } from '../parts/code.ts'
import { facts, ifAny, ownFacts } from '../parts/facts.ts'
import { buttonForm, confirmed, field, select } from '../parts/form.ts'
import { seconds } from '../parts/moment.ts'
import { moneyText } from '../parts/money.ts'
import { namesOf } from '../parts/names.ts'
import { listLink, none, panel, section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { tag, titled, wordsOf } from '../parts/tag.ts'
import { controlsOf, controlsPanel } from './bound-controls.ts'
import { cardSecrets } from './card-secrets.ts'
import { limitBars } from './limits.ts'
import { transactionColumns } from './transactions.ts'

export const cards = list({
  path: '/cards',
  title: 'Cards',
  menu: { group: 'Issuing', label: 'Cards' },
  operation: 'listCards',
  filters: [
    { name: 'status', label: 'Status', options: ['issued', 'active', 'suspended', 'terminated'] },
    { name: 'type', label: 'Type', options: ['virtual', 'physical'] },
    { name: 'last4', label: 'Last four' },
    { name: 'cardholder_id', label: 'Cardholder id' },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    {
      label: 'Card',
      cell: ({ last4, name_on_card: name }) => html`<code>…${last4}</code> ${name ?? ''}`,
      text: ({ id }) => id,
    },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Type', cell: ({ type }) => type },
    { label: 'Expires', cell: (of) => expiry(of) },
    { label: 'Cardholder', id: ({ cardholder_id: id }) => id },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/cards/' + id,
  empty: 'No card was issued yet. The page of a cardholder issues one.',
  begin: () => ({ path: '/cardholders', label: 'Choose a cardholder', operation: 'createCard' }),
})

const expiry = ({ exp_month: month, exp_year: year }: Card): string =>
  String(month).padStart(2, '0') + '/' + year

export const card = page({
  path: '/cards/:id',
  title: 'Card',
  operations: ['getCard', 'listCardTransactions', 'listSpendingControls', 'listEvents'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { recent, controls, wallets }] = await Promise.all([
      at.need(call('getCard', { id })),
      at.ask({
        recent: call('listCardTransactions', { card_id: id, limit: 10 }),
        controls: controlsOf({ scope: 'card', id }),
        wallets: call('listWalletTokens', { card_id: id, limit: 20 }),
      }),
    ])
    const named = await namesOf(at, [of.cardholder_id, of.program_id, of.replaces])
    const last = recent.ok ? recent.value.data[0]?.controls_snapshot.limits : undefined
    const content = html`<header class="head"><h1>Card …${of.last4}</h1>${tag(of.status)}<span class="actions">${moves(at, of)}</span><p><code>${of.id}</code> · ${of.type} · expires ${expiry(of)} · ${of.currency}</p></header>
<div class="grid wide"><div class="stack">
${panel('Latest transactions', recent, ({ data }) => latest(at, id, data), listLink(at, '/transactions?card_id=' + id, 'All transactions'))}
${controlsPanel(at, { scope: 'card', id }, controls)}
${section(
  'Details',
  facts([
    ['Cardholder', named(of.cardholder_id)],
    ['Program', named(of.program_id)],
    ['Name on the card', of.name_on_card],
    ...ifAny('Suspended by', of.suspended_by === null ? null : wordsOf(of.suspended_by)),
    ...ifAny('Reason', of.suspend_reason ?? of.terminate_reason),
    ...ifAny('Replaces', of.replaces === null ? null : named(of.replaces)),
    ['Made', seconds(of.created)],
    ...ownFacts(of),
  ]),
)}
</div><div class="stack">
${section('Limits that bind it', of.limits.length === 0 ? none(at, 'None. A limit bounds what the card spends in a time.', call('replaceCardLimits', { id, limits: [{ interval: 'daily', amount_cents: 50_000 }] })) : facts(of.limits.map(limitFact)))}
${cardSecrets(at, of)}
${last === undefined ? null : section('Used at its latest authorization', limitBars(at, last, id))}
${panel('In wallets', wallets, ({ data }) =>
  data.length === 0
    ? none(
        at,
        'In none. A wallet that holds the card has a token of it.',
        call('createWalletToken', { card_id: id, provider: 'apple' }),
      )
    : html`<ul class="bars">${data.map((one) => html`<li><span>${one.provider}</span>${tag(one.status)}</li>`)}</ul>`,
)}
</div></div>
${whole(of, 'The card as the API shows it')}`
    return { title: 'Card …' + of.last4, content }
  },
})

function latest(at: Visit, id: string, rows: readonly CardTransaction[]): Html {
  const sentence = 'Not used yet. Each authorization of the card becomes a row.'
  if (rows.length === 0) return none(at, sentence, authorizationOf(at, id))
  return table({
    label: 'Latest transactions',
    rows,
    columns: transactionColumns(at).filter(({ label }) => label !== 'Card'),
    href: (row) => at.to('/transactions/' + row.id),
  })
}

function limitFact(limit: Card['limits'][number]): readonly [string, string] {
  const { interval, scope, amount_cents: amount, count, currency } = limit
  const most = [
    amount === null ? null : moneyText(amount, currency),
    count === null ? null : count + ' times',
  ].filter((part) => part !== null)
  return [titled(interval), most.join(', ') + ', of the ' + scope]
}

function moves(at: Visit, { id, status }: Card) {
  const path = at.to('/cards/' + id)
  const suspend = confirmed({
    ...{ id: 'suspend', action: path + '/suspend', button: { label: 'Suspend' } },
    title: 'Suspend this card?',
    text: 'Every authorization is declined until it is resumed.',
    fields: field({ name: 'reason', label: 'Reason', hint: 'optional' }),
  })
  const end = confirmed({
    ...{
      id: 'terminate',
      action: path + '/terminate',
      button: { label: 'Terminate', mood: 'danger' },
    },
    title: 'Terminate this card?',
    text: 'It is never used again. This cannot be undone.',
    fields: select({ name: 'reason', label: 'Reason', options: TERMINATE_REASONS }),
  })
  return html`${status === 'active' && at.may('suspendCard') ? suspend : null}${
    status === 'suspended' && at.may('resumeCard')
      ? buttonForm(path + '/resume', { label: 'Resume', mood: 'primary' })
      : null
  }${status === 'issued' && at.may('activateCard') ? buttonForm(path + '/activate', { label: 'Activate', mood: 'primary' }) : null}${
    status !== 'terminated' && at.may('terminateCard') ? end : null
  }`
}

const TERMINATE_REASONS = [
  ['requested', 'requested'],
  ['lost', 'lost'],
  ['stolen', 'stolen'],
] as const

const idOf = (at: Visit): string => at.params['id'] ?? ''

export const cardMoves = [
  action({
    path: '/cards/:id/suspend',
    label: 'Suspend the card.',
    operation: 'suspendCard',
    done: 'The card is suspended.',
    input: (form, at) => ({
      id: idOf(at),
      ...(form('reason') === '' ? {} : { reason: form('reason') }),
    }),
  }),
  action({
    path: '/cards/:id/resume',
    label: 'Resume the card.',
    operation: 'resumeCard',
    done: 'The card is active again.',
    input: (_form, at) => ({ id: idOf(at) }),
  }),
  action({
    path: '/cards/:id/activate',
    label: 'Activate the card.',
    operation: 'activateCard',
    done: 'The card is active.',
    input: (_form, at) => ({ id: idOf(at) }),
  }),
  action({
    path: '/cards/:id/terminate',
    label: 'Terminate the card for ever.',
    operation: 'terminateCard',
    done: 'The card is terminated.',
    input: (form, at) => ({ id: idOf(at), reason: form('reason') }),
  }),
]
