// The editor of a control: common terms as fields, all others as JSON.
import type { SpendingControl } from '../../../client/generated.ts'
import { html, url } from '../../../shared/html.ts'
import { CATEGORY_NAMES } from '../../../shared/mcc-categories.ts'
import {
  action,
  call,
  FieldProblem,
  type Form,
  type Problem,
  page,
  type Shown,
  type Visit,
} from '../page.ts'
import { area, field, form, hidden, select } from '../parts/form.ts'
import { amountText, centsIn } from '../parts/money.ts'

const LISTS = [
  'blocked_categories',
  'blocked_mccs',
  'allowed_mccs',
  'blocked_countries',
  'allowed_countries',
  'blocked_merchant_ids',
] as const
const LIST_LABELS: { readonly [name in (typeof LISTS)[number]]: string } = {
  blocked_categories: 'Blocked categories',
  blocked_mccs: 'Blocked category codes',
  allowed_mccs: 'Allowed category codes',
  blocked_countries: 'Blocked countries',
  allowed_countries: 'Allowed countries',
  blocked_merchant_ids: 'Blocked merchant ids',
}
const INTERVALS = ['per_authorization', 'daily', 'weekly', 'monthly', 'yearly', 'all_time'] as const
const LIMITS_MAX = 4

type Values = (name: string) => string

/** False for limits that the fields cannot show: they then stand whole among the further terms. */
function hasFields({ limits }: SpendingControl): boolean {
  const plain = limits.every(
    ({ rolling_seconds: seconds, filters }) => seconds === null && filters === null,
  )
  return plain && limits.length <= LIMITS_MAX
}

/** The fields of an existing control. */
function valuesOf(of: SpendingControl): Values {
  const known = new Map<string, string>([
    ['version', String(of.version)],
    ['state', of.state],
    ...LISTS.map((name): [string, string] => [name, (of[name] ?? []).join(', ')]),
    ...(hasFields(of)
      ? []
      : [['more', JSON.stringify({ limits: of.limits }, null, 2)] as [string, string]]),
    ...(hasFields(of) ? of.limits : []).flatMap((limit, at): [string, string][] => [
      ['interval_' + at, limit.interval],
      [
        'amount_' + at,
        limit.amount_cents === null ? '' : amountText(limit.amount_cents, limit.currency),
      ],
      ['count_' + at, limit.count === null ? '' : String(limit.count)],
      ['zone_' + at, limit.time_zone],
      ['currency_' + at, limit.currency],
    ]),
  ])
  return (name) => known.get(name) ?? ''
}

/** The limits in use, at least one; the others open under them. */
function limitFields(value: Values) {
  const rows = Array.from({ length: LIMITS_MAX }, (_unused, at) => {
    return html`<div class="pair">${select({
      name: 'interval_' + at,
      label: 'Limit ' + (at + 1),
      value: value('interval_' + at),
      options: [['', 'none'], ...INTERVALS.map((one) => [one, one.replaceAll('_', ' ')] as const)],
    })}${field({ name: 'amount_' + at, label: 'Amount', hint: 'at most', value: value('amount_' + at) })}${field({ name: 'currency_' + at, label: 'Currency', value: value('currency_' + at) || 'USD', max: 3 })}${field({ name: 'count_' + at, label: 'Times', hint: 'at most', value: value('count_' + at) })}${field({ name: 'zone_' + at, label: 'Time zone', value: value('zone_' + at) || 'UTC' })}</div>`
  })
  const used = rows.findLastIndex((_row, at) => value('interval_' + at) !== '')
  const shown = Math.max(1, used + 1)
  const others = rows.slice(shown)
  return html`${rows.slice(0, shown)}${
    others.length === 0
      ? null
      : html`<details><summary>Further limits</summary><div class="form">${others}</div></details>`
  }`
}

function fieldsOf(value: Values) {
  return html`${limitFields(value)}${html`<div class="pair wide">${LISTS.map((name) => area({ name, label: LIST_LABELS[name], hint: 'separated by commas', value: value(name), rows: 2 }))}</div>`}<details><summary>Every category</summary><p class="soft">${CATEGORY_NAMES.join(', ')}</p></details>${area({ name: 'more', label: 'Further terms', hint: 'JSON, as in the API reference', value: value('more'), rows: 4 })}`
}

/** True for the form of an existing control, which sends every term. */
export function isEdit(sent: Form): boolean {
  return sent('version') !== ''
}

/** The terms of the form. Throws `FieldProblem` for a text that is no amount, count or JSON. */
export function termsIn(sent: Form): object {
  const limits = Array.from({ length: LIMITS_MAX }, (_unused, at) => limitIn(sent, at)).filter(
    (limit) => limit !== null,
  )
  const lists = LISTS.map((name) => {
    const words = sent(name)
      .split(/[\s,]+/)
      .filter((word) => word !== '')
    return [name, words.length === 0 ? null : words]
  })
  return { ...Object.fromEntries(lists), limits, ...jsonIn(sent('more')) }
}

function limitIn(sent: Form, at: number): object | null {
  const interval = sent('interval_' + at)
  if (interval === '') return null
  const [amount, count, currency] = [
    sent('amount_' + at),
    sent('count_' + at),
    sent('currency_' + at),
  ]
  const cents =
    amount === '' ? null : centsIn(amount, /^[A-Z]{3}$/.test(currency) ? currency : 'USD')
  if (amount !== '' && cents === null)
    throw new FieldProblem('amount_' + at, 'Type an amount such as 500.00.')
  if (count !== '' && !/^\d{1,9}$/.test(count))
    throw new FieldProblem('count_' + at, 'Type a whole number.')
  return {
    ...{ interval, currency, time_zone: sent('zone_' + at) },
    ...(cents === null ? {} : { amount_cents: cents }),
    ...(count === '' ? {} : { count: Number(count) }),
  }
}

function jsonIn(text: string): object {
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The sentence below says it.
  }
  throw new FieldProblem('more', 'Type a JSON object, or nothing.')
}

const SCOPES = ['card', 'cardholder', 'program', 'payment_account'] as const

function newForm(at: Visit, value: Values, problem: Problem | null): Shown {
  const fields = html`<div class="pair">${select({ name: 'scope', label: 'Binds a', value: value('scope'), options: SCOPES.map((one) => [one, one.replaceAll('_', ' ')] as const) })}${field({ name: 'subject_id', label: 'Its id', placeholder: 'card_…, ch_…, prog_… or pacc_…', value: value('subject_id'), required: true })}</div>${hidden('replaces', value('replaces'))}${fieldsOf(value)}`
  return shown(
    'Write a control',
    'It begins as a draft: it reports, and binds nothing until it is activated.',
    form({ action: at.to('/controls/new'), fields, button: { label: 'Save the draft' }, problem }),
    problem,
  )
}

function shown(title: string, text: string, content: object, problem: Problem | null): Shown {
  return {
    title,
    status: problem === null ? 200 : 422,
    content: html`<header class="head"><h1>${title}</h1><p>${text}</p></header><section class="panel">${content as never}</section>`,
  }
}

export const newControl = page({
  path: '/controls/new',
  title: 'Write a control',
  operations: ['createSpendingControl'],
  async view(at) {
    const from = at.query.get('from')
    if (from === null) return newForm(at, (name) => at.query.get(name) ?? '', null)
    const of = await at.need(call('getSpendingControl', { id: from }))
    const [known, own] = [
      valuesOf(of),
      new Map([
        ['scope', of.scope],
        ['subject_id', of.subject_id],
        ['replaces', of.id],
      ]),
    ]
    return newForm(at, (name) => own.get(name) ?? known(name), null)
  },
})

export const makeControl = action({
  path: '/controls/new',
  label: 'Write a control.',
  operation: 'createSpendingControl',
  done: 'The draft is saved.',
  input: (sent) => ({
    ...{ scope: sent('scope') as 'card', subject_id: sent('subject_id'), state: 'draft' },
    ...(sent('replaces') === '' ? {} : { metadata: { replaces: sent('replaces') } }),
    ...termsIn(sent),
  }),
  next: (made) => '/controls/' + made.id,
  again: async (at, sent, problem) => newForm(at, sent, problem),
})

function editForm(at: Visit, value: Values, problem: Problem | null): Shown {
  const path = at.to('/controls/' + (at.params['id'] ?? ''))
  const fields = html`${hidden('version', value('version'))}${hidden('state', value('state'))}${fieldsOf(value)}`
  const isDraft = value('state') === 'draft'
  const text = isDraft
    ? 'It is a draft: it binds nothing until it is activated.'
    : 'It is active: the change binds every authorization as soon as it is saved. To try it first, draft a change instead.'
  return shown(
    'Edit the control',
    text,
    form({
      action: path + '/edit',
      fields,
      button: { label: isDraft ? 'Save the draft' : 'Save and bind' },
      beside: at.may('createSpendingControlBacktest')
        ? html`<button class="plain" formaction="${url(path + '/backtests')}">Judge the last 7 days by these terms</button>`
        : null,
      problem,
    }),
    problem,
  )
}

export const editControl = page({
  path: '/controls/:id/edit',
  title: 'Edit the control',
  operations: ['updateSpendingControl', 'getSpendingControl'],
  async view(at) {
    const of = await at.need(call('getSpendingControl', { id: at.params['id'] ?? '' }))
    return editForm(at, valuesOf(of), null)
  },
})

export const saveControl = action({
  path: '/controls/:id/edit',
  label: 'Change the control.',
  operation: 'updateSpendingControl',
  done: 'The change is saved.',
  input: (sent, at) => ({
    id: at.params['id'] ?? '',
    if_version: Number(sent('version')),
    ...termsIn(sent),
  }),
  again: async (at, sent, problem) => editForm(at, sent, problem),
})
