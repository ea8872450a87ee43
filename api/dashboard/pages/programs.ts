// Programs: how does each behave?
import { html } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { action, call, type Form, type Problem, page, type Shown, type Visit } from '../page.ts'
import { whole } from '../parts/code.ts'
import { facts, ifAny, ownFacts } from '../parts/facts.ts'
import { field, form, select } from '../parts/form.ts'
import { exactSpan, seconds } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { namesOf } from '../parts/names.ts'
import { listLink, none, notice, panel, section } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { controlsOf, controlsPanel } from './bound-controls.ts'
import { comparedPeriods, periodLinks, periodOf } from './periods.ts'
import { approval } from './statistics.ts'

export const programs = list({
  path: '/programs',
  title: 'Programs',
  menu: { group: 'Issuing', label: 'Programs' },
  operation: 'listPrograms',
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Currency', cell: ({ currency }) => currency ?? 'by card' },
    { label: 'You are asked', cell: ({ realtime }) => (realtime ? 'yes' : 'no') },
    {
      label: 'Without your answer',
      cell: ({ stand_in: standIn }) => (standIn === 'controls' ? 'controls decide' : 'declined'),
    },
    { label: 'Made', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/programs/' + id,
  empty: 'No program yet. Cards belong to one.',
  create: { path: '/programs/new', label: 'Make a program', operation: 'createProgram' },
})

export const program = page({
  path: '/programs/:id',
  title: 'Program',
  operations: ['getProgram', 'getAuthorizationStatistics'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, days, { controls }] = await Promise.all([
      at.need(call('getProgram', { id })),
      comparedPeriods(at, periodOf(at), { program_id: id }),
      at.ask({ controls: controlsOf({ scope: 'program', id }) }),
    ])
    const named = await namesOf(at, [of.realtime_endpoint_id])
    const rules = table({
      label: 'Fraud rules',
      rows: of.fraud_rules,
      columns: [
        { label: 'Rule', cell: ({ name }) => wordsOf(name) },
        { label: 'State', cell: ({ state }) => tag(state) },
        { label: 'Attempts', isNumber: true, cell: ({ count }) => countText(count) },
        { label: 'Within', isNumber: true, cell: ({ seconds: time }) => exactSpan(time) },
        {
          label: 'Up to',
          isNumber: true,
          cell: ({ amount_cents: cents }) => {
            if (cents === null) return null
            const { currency } = of
            return currency === null
              ? countText(cents) + ' minor units'
              : moneyText(cents, currency)
          },
        },
      ],
    })
    const content = html`<header class="head"><h1>${of.name}</h1>${tag(of.status)}${periodLinks(at, '/programs/' + id)}<p><code>${of.id}</code></p></header>
${of.status === 'pending' ? notice('warn', 'No card can be issued yet: an operator activates the program first.') : null}
${panel('Authorizations', days, approval, listLink(at, '/cardholders?program_id=' + id, 'Its cardholders'))}
<div class="grid">${section(
      'Settings',
      facts([
        ['Currency', of.currency ?? 'each card its own'],
        ['Time zone', of.time_zone],
        ['You are asked', of.realtime ? 'before an approval leaves' : 'never'],
        ...ifAny(
          'Endpoint that is asked',
          of.realtime_endpoint_id === null ? null : named(of.realtime_endpoint_id),
        ),
        ['Without your answer', of.stand_in === 'controls' ? 'controls decide' : 'declined'],
        ['Markup on rates', of.fx_margin_bps / 100 + ' %'],
        ...ifAny('Suspended', of.suspend_reason),
        ...ifAny('Rejected', of.reject_reason),
        ['Made', seconds(of.created)],
        ...ownFacts(of),
      ]),
    )}${section('Fraud rules', of.fraud_rules.length === 0 ? none(at, 'None. A rule suspends a card by itself after as many attempts in a time.', call('updateProgram', { id: of.id, fraud_rules: [CARD_TESTING] })) : rules)}</div>
${controlsPanel(at, { scope: 'program', id }, controls)}
${whole(of, 'The program as the API shows it')}`
    return { title: of.name, content }
  },
})

const CARD_TESTING = {
  ...({ name: 'card_testing', state: 'active' } as const),
  ...{ count: 5, seconds: 600, amount_cents: null },
}

function newForm(at: Visit, sent: Form | null, problem: Problem | null): Shown {
  const value = (name: string): string => sent?.(name) ?? ''
  const fields = html`${field({ name: 'name', label: 'Name', value: value('name'), required: true })}${field({ name: 'currency', label: 'Currency', hint: 'ISO 4217; empty: each card its own', value: value('currency'), max: 3 })}${field({ name: 'time_zone', label: 'Time zone', hint: 'IANA', value: value('time_zone') || 'UTC' })}${select(
    {
      name: 'stand_in',
      label: 'Without your answer',
      value: value('stand_in'),
      options: [
        ['controls', 'controls decide'],
        ['decline', 'decline'],
      ],
    },
  )}`
  return {
    title: 'Make a program',
    status: problem === null ? 200 : 422,
    content: html`<header class="head"><h1>Make a program</h1></header><section class="panel narrow">${form({ action: at.to('/programs/new'), fields, button: { label: 'Make the program' }, problem })}</section>`,
  }
}

export const newProgram = page({
  path: '/programs/new',
  title: 'Make a program',
  operations: ['createProgram'],
  view: (at) => newForm(at, null, null),
})

export const makeProgram = action({
  path: '/programs/new',
  label: 'Make a program.',
  operation: 'createProgram',
  done: 'The program is made.',
  input: (sent) => ({
    ...{
      name: sent('name'),
      time_zone: sent('time_zone'),
      stand_in: sent('stand_in') as 'controls',
    },
    ...(sent('currency') === '' ? {} : { currency: sent('currency') }),
  }),
  next: (made) => '/programs/' + made.id,
  again: async (at, sent, problem) => newForm(at, sent, problem),
})
