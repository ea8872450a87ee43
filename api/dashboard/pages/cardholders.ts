// Cardholders: who is blocked, and by whom?
import type { Card, Cardholder } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { simulated } from '../first-rows.ts'
import { list } from '../list.ts'
import {
  action,
  call,
  type Form,
  type Outcome,
  type Problem,
  page,
  type Shown,
  type Visit,
} from '../page.ts'
import { whole } from '../parts/code.ts'
import { facts, ownFacts } from '../parts/facts.ts'
import { figures } from '../parts/figure.ts'
import { buttonForm, confirmed, field, form, hidden, select } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { seconds } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { namesOf } from '../parts/names.ts'
import { empty, listLink, none, panel, section } from '../parts/panel.ts'
import { alertTag, tag, wordsOf } from '../parts/tag.ts'
import { controlsOf, controlsPanel } from './bound-controls.ts'
import { accountsPanel } from './payment-account-parts.ts'

export const cardholders = list({
  path: '/cardholders',
  title: 'Cardholders',
  menu: { group: 'Issuing', label: 'Cardholders' },
  operation: 'listCardholders',
  filters: [
    { name: 'status', label: 'Status', options: ['active', 'inactive'] },
    { name: 'email', label: 'Email' },
    { name: 'program_id', label: 'Program id' },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    {
      label: 'State',
      cell: (of) =>
        html`${tag(of.frozen ? 'frozen' : of.status)} ${tag('identity ' + of.kyc.status, of.kyc.status === 'approved' ? 'good' : 'warn')}`,
    },
    { label: 'Email', cell: ({ email }) => email },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/cardholders/' + id,
  empty: 'No cardholder yet. A card belongs to one.',
  create: { path: '/cardholders/new', label: 'Add a cardholder', operation: 'createCardholder' },
})

export const cardholder = page({
  path: '/cardholders/:id',
  title: 'Cardholder',
  operations: ['getCardholder', 'listCards'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { cards, accounts, alerts, controls }] = await Promise.all([
      at.need(call('getCardholder', { id })),
      at.ask({
        cards: call('listCards', { cardholder_id: id, limit: 25 }),
        accounts: call('listPaymentAccounts', { cardholder_id: id, limit: 10 }),
        alerts: call('listSanctionsAlerts', { cardholder_id: id, limit: 10 }),
        controls: controlsOf({ scope: 'cardholder', id }),
      }),
    ])
    const named = await namesOf(at, [of.program_id])
    const content = html`<header class="head"><h1>${of.name}</h1>${tag(of.frozen ? 'frozen' : of.status)}<span class="actions">${moves(at, of)}</span><p><code>${of.id}</code></p></header>
${stateStrip(of, cards)}
<div class="grid">${section(
      'Details',
      facts([
        ['Email', of.email],
        ['Phone', of.phone],
        ['Born', of.date_of_birth],
        [
          'Address',
          of.address === null
            ? null
            : [of.address.line1, of.address.postal_code, of.address.city, of.address.country].join(
                ', ',
              ),
        ],
        ['Program', named(of.program_id)],
        ['Made', seconds(of.created)],
        ...ownFacts(of),
      ]),
    )}<div class="stack">
${panel('Cards', cards, ({ data }) => html`${data.length === 0 ? none(at, 'None yet. A card of any kind belongs to its cardholder.', call('createCard', { cardholder_id: id, type: 'virtual' })) : html`<ul class="bars">${data.map((one) => html`<li><span>${idLink(at, one.id, '…' + one.last4)} ${one.type}</span>${tag(one.status)}</li>`)}</ul>`}${at.may('createCard') ? cardForm(at, of) : null}`, listLink(at, '/cards?cardholder_id=' + id, 'All cards'))}
${accountsPanel(at, of, accounts)}
${controlsPanel(at, { scope: 'cardholder', id }, controls)}
${panel('Sanctions alerts', alerts, ({ data }) => (data.length === 0 ? none(at, 'None: no listed person has a name like this one.', simulated(call('sanctionsHitSimulateCardholder', { id }))(at)) : html`<ul class="bars">${data.map((one) => html`<li><span>${idLink(at, one.id, one.hits[0]?.name)}</span>${alertTag(one.status)}</li>`)}</ul>`))}
</div></div>
${whole(of, 'The cardholder as the API shows it')}`
    return { title: of.name, content }
  },
})

/** Everything that blocks the cardholder, beside each other. */
function stateStrip(
  of: Cardholder,
  cards: Outcome<{ data: readonly Card[]; has_more: boolean }>,
): Html {
  const active = cards.ok ? cards.value.data.filter(({ status }) => status === 'active') : []
  return figures([
    {
      ...{ label: 'Identity', value: wordsOf(of.kyc.status) },
      mood: of.kyc.status === 'approved' ? 'good' : 'warn',
    },
    {
      ...{ label: 'Sanctions', value: wordsOf(of.screening.status) },
      mood: of.screening.status === 'clear' ? 'good' : 'warn',
    },
    of.frozen
      ? {
          ...{ label: 'Frozen', value: 'by ' + wordsOf(of.frozen_by ?? 'us') },
          ...{ note: of.frozen_reason, mood: 'bad' },
        }
      : { label: 'Frozen', value: 'no' },
    {
      label: 'Active cards',
      value: cards.ok
        ? countText(active.length) + (cards.value.has_more ? ' or more' : '')
        : 'no answer',
    },
  ])
}

/** From these a check may begin; a cardholder with all details is checked from the beginning. */
const CHECKABLE: ReadonlySet<string> = new Set(['not_started', 'requires_action', 'rejected'])

function moves(at: Visit, { id, frozen, kyc }: Cardholder): Html {
  const path = at.to('/cardholders/' + id)
  return html`${CHECKABLE.has(kyc.status) && at.may('verifyCardholder') ? buttonForm(path + '/verify', { label: 'Check the identity', mood: 'plain' }) : null}${
    !frozen && at.may('freezeCardholder')
      ? confirmed({
          ...{ id: 'freeze', action: path + '/freeze', button: { label: 'Freeze' } },
          title: 'Freeze this cardholder?',
          text: 'Every card is declined until the cardholder is released.',
          fields: field({ name: 'reason', label: 'Reason', hint: 'optional' }),
        })
      : null
  }${frozen && at.may('unfreezeCardholder') ? buttonForm(path + '/unfreeze', { label: 'Release' }) : null}`
}

/** The reason why the API would issue no card; null where it would. */
function whyNoCard({ status, kyc, frozen }: Cardholder): string | null {
  if (status !== 'active') return 'An inactive cardholder gets no card.'
  if (frozen) return 'A frozen cardholder gets no card.'
  const reasons = kyc.reasons.length === 0 ? '.' : ': ' + kyc.reasons.join(', ') + '.'
  switch (kyc.status) {
    case 'approved':
      return null
    case 'pending':
      return 'The identity is being checked. A card can be issued once it is approved: load the page again in a moment.'
    case 'requires_action':
      return 'The check of the identity asks for more' + reasons
    case 'rejected':
      return 'The identity was rejected' + reasons + ' No card can be issued.'
    default:
      return 'A card needs a checked identity.'
  }
}

function cardForm(at: Visit, of: Cardholder): Html {
  const { id } = of
  const why = whyNoCard(of)
  if (why !== null) return html`<p class="soft">${why}</p>`
  return html`<details><summary>Issue a virtual card</summary>${form({
    action: at.to('/cards/new'),
    fields: html`${hidden('cardholder_id', id)}${field({ name: 'currency', label: 'Currency', hint: 'empty: the program’s', max: 3 })}${field({ name: 'external_id', label: 'External id', hint: 'optional' })}`,
    button: { label: 'Issue the card' },
  })}</details>`
}

function newForm(
  at: Visit,
  sent: Form | null,
  problem: Problem | null,
  programs: readonly (readonly [string, string])[],
): Shown {
  const value = (name: string): string => sent?.(name) ?? ''
  const line = (name: string, label: string, hint?: string): Html =>
    field({ name, label, value: value(name), ...(hint === undefined ? {} : { hint }) })
  const fields = html`${select({ name: 'program_id', label: 'Program', value: value('program_id'), options: programs })}<div class="pair">${line('first_name', 'First name')}${line('last_name', 'Last name')}</div>${line('email', 'Email')}<div class="pair">${line('date_of_birth', 'Born', 'YYYY-MM-DD')}${line('phone', 'Phone')}</div>${line('line1', 'Street')}<div class="pair">${line('postal_code', 'Postal code')}${line('city', 'City')}${line('country', 'Country', 'two letters')}</div>${line('external_id', 'External id', 'optional')}`
  return {
    title: 'Add a cardholder',
    status: problem === null ? 200 : 422,
    content: html`<header class="head"><h1>Add a cardholder</h1><p>The check of the identity needs both names, the date of birth and the address.</p></header><section class="panel narrow">${form({ action: at.to('/cardholders/new'), fields, button: { label: 'Add the cardholder' }, problem })}</section>`,
  }
}

/** A program that issues cards. */
const isActive = ({ status }: { status: string }): boolean => status === 'active'

async function withPrograms(at: Visit, sent: Form | null, problem: Problem | null): Promise<Shown> {
  const { data } = await at.need(call('listPrograms', { limit: 100 }))
  if (data.length === 0) return noProgram(at)
  return newForm(
    at,
    sent,
    problem,
    data
      .toSorted((one, other) => Number(isActive(other)) - Number(isActive(one)))
      .map((of) => [of.id, of.name + (isActive(of) ? '' : ', ' + of.status)] as const),
  )
}

/** A tenant whose live is not open yet has no program. */
function noProgram(at: Visit): Shown {
  const isLive = at.environment === 'live'
  const content = empty({
    sentence:
      'There is no program yet, and a cardholder belongs to one.' +
      (isLive ? ' The application for live asks for the first.' : ''),
    action: isLive
      ? { href: at.to('/going_live'), label: 'Going live' }
      : { href: at.to('/programs/new'), label: 'Make a program' },
  })
  const title = 'Add a cardholder'
  return { title, content: html`<header class="head"><h1>${title}</h1></header>${content}` }
}

export const newCardholder = page({
  path: '/cardholders/new',
  title: 'Add a cardholder',
  operations: ['createCardholder', 'listPrograms'],
  view: (at) => withPrograms(at, null, null),
})

const NAMES = ['first_name', 'last_name', 'email', 'phone', 'date_of_birth', 'external_id'] as const

export const cardholderMoves = [
  action({
    path: '/cardholders/new',
    label: 'Add a cardholder.',
    operation: 'createCardholder',
    done: 'The cardholder is added.',
    input: (sent) => ({
      program_id: sent('program_id'),
      ...Object.fromEntries(
        NAMES.map((name) => [name, sent(name)]).filter(([, value]) => value !== ''),
      ),
      ...(sent('line1') === ''
        ? {}
        : {
            address: {
              line1: sent('line1'),
              city: sent('city'),
              postal_code: sent('postal_code'),
              country: sent('country'),
            },
          }),
    }),
    next: (made) => '/cardholders/' + made.id,
    again: withPrograms,
  }),
  action({
    path: '/cardholders/:id/freeze',
    label: 'Freeze the cardholder.',
    operation: 'freezeCardholder',
    done: 'The cardholder is frozen.',
    input: (sent, at) => ({
      id: at.params['id'] ?? '',
      ...(sent('reason') === '' ? {} : { reason: sent('reason') }),
    }),
  }),
  action({
    path: '/cardholders/:id/unfreeze',
    label: 'Release the cardholder.',
    operation: 'unfreezeCardholder',
    done: 'The cardholder is released.',
    input: (_sent, at) => ({ id: at.params['id'] ?? '' }),
  }),
  action({
    path: '/cardholders/:id/verify',
    label: 'Check the identity of the cardholder.',
    operation: 'verifyCardholder',
    done: 'The check of the identity has begun.',
    input: (_sent, at) => ({ id: at.params['id'] ?? '' }),
  }),
  action({
    path: '/cards/new',
    label: 'Issue a virtual card.',
    operation: 'createCard',
    done: 'The card is issued.',
    input: (sent) => ({
      ...{ cardholder_id: sent('cardholder_id'), type: 'virtual' as const },
      ...(sent('currency') === '' ? {} : { currency: sent('currency') }),
      ...(sent('external_id') === '' ? {} : { external_id: sent('external_id') }),
    }),
    next: (made) => '/cards/' + made.id,
  }),
]
