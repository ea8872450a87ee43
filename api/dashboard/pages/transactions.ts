// Transactions: every authorization and what became of it.
import type { CardTransaction } from '../../../client/generated.ts'
import { html } from '../../../shared/html.ts'
import type { DecidedBy } from '../../../shared/wire/decision-record.ts'
import { firstUse, simulated } from '../first-rows.ts'
import { columnsFor, type ListColumn, list } from '../list.ts'
import { call, type Visit, type Way } from '../page.ts'
import { idLink } from '../parts/id.ts'
import { seconds } from '../parts/moment.ts'
import { money, moneyText } from '../parts/money.ts'
import { panel } from '../parts/panel.ts'
import type { Column } from '../parts/table.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { ADVICE, declineCategories, retryByDay } from './decline-pictures.ts'
import { manyDays, reasonsByDay } from './statistics.ts'

const COLUMNS: readonly ListColumn<CardTransaction>[] = [
  { label: 'Merchant', cell: ({ merchant }) => merchant.name || merchant.id },
  {
    label: 'Amount',
    isNumber: true,
    cell: ({ amount_cents, currency }) => money(amount_cents, currency),
    text: ({ amount_cents, currency }) => moneyText(amount_cents, currency),
  },
  {
    label: 'Status',
    cell: ({ status, decline_reason: reason }) =>
      html`${tag(status)}${reason === null ? null : html` <span class="soft">${wordsOf(reason)}</span>`}`,
  },
  { label: 'Card', cell: ({ card }) => html`<code>…${card.last4}</code>` },
  { label: 'Time', cell: ({ created }) => seconds(created) },
]

/** Columns for a panel of another page. */
export function transactionColumns(at: Visit): readonly Column<CardTransaction>[] {
  return columnsFor(at, COLUMNS, (id) => idLink(at, id))
}

const STATES = [
  ...['authorized', 'declined', 'reversed', 'expired', 'partially_captured', 'captured'],
  ...['partially_refunded', 'refunded'],
]

export const transactions = list({
  path: '/transactions',
  title: 'Transactions',
  menu: { group: 'Now', label: 'Transactions' },
  operation: 'listCardTransactions',
  filters: [
    { name: 'status', label: 'Status', options: STATES },
    { name: 'merchant_name', label: 'Merchant' },
    { name: 'card_id', label: 'Card id' },
    { name: 'mcc', label: 'Category code' },
    { name: 'stand_in', label: 'Stand-in', options: ['true', 'false'] },
    { name: 'late_answer', label: 'Late answer', options: ['true', 'false'] },
  ],
  columns: COLUMNS,
  href: ({ id }) => '/transactions/' + id,
  empty: 'No card was used yet. Each authorization of a card becomes a row, whoever decided it.',
  begin: (at) => firstUse(at) ?? CARDS,
})

const CARDS: Way = { path: '/cards', label: 'See the cards', operation: 'listCards' }

export const declines = list({
  path: '/declines',
  title: 'Declines',
  menu: { group: 'Now', label: 'Declines' },
  operation: 'listCardTransactions',
  input: { status: 'declined' },
  async above(at) {
    if (!at.may('getAuthorizationStatistics')) return null
    const [days, { categories }] = await Promise.all([
      manyDays(at),
      at.ask({ categories: call('getAuthorizationStatisticsDeclineCategories', {}) }),
    ])
    const none = days.ok && days.value.total.declined === 0
    // The empty list below says it once.
    if (none && categories.ok && categories.value.declines === 0) return null
    return html`<div class="grid">${panel('Reasons by day', days, reasonsByDay)}${panel('Another try may pass', days, retryByDay)}</div>${panel('Where they happen', categories, (of) => declineCategories(at, of))}`
  },
  filters: [
    { name: 'merchant_name', label: 'Merchant' },
    { name: 'card_id', label: 'Card id' },
    { name: 'mcc', label: 'Category code' },
    { name: 'min_amount_cents', label: 'At least, minor units' },
  ],
  columns: [
    ...COLUMNS.slice(0, 2),
    { label: 'Reason', cell: ({ decline_reason: reason }) => wordsOf(reason ?? '') },
    {
      label: 'Try again',
      cell: ({ decision }) =>
        tag(adviceText(decision?.retry_advice), adviceMood(decision?.retry_advice)),
    },
    { label: 'Decided by', cell: ({ decision }) => DECIDERS[decision?.decided_by ?? 'system'] },
    ...COLUMNS.slice(3),
  ],
  href: ({ id }) => '/transactions/' + id,
  empty: 'No card was declined. A declined authorization becomes a row, with its reason.',
  begin: firstUse,
  first: simulated(
    call('createSimulateCardNetworkScenario', { card_id: 'card_…', scenario: 'wrong_expiry' }),
  ),
})

/** Deciders in the words of the tenant. */
const DECIDERS: { readonly [decider in DecidedBy]: string } = {
  ...{ static_controls: 'your controls', tenant: 'your answer', stand_in: 'stand-in' },
  ...{ system: 'us', network: 'the network', sponsor_bank: 'the sponsor bank' },
}

type Advice = NonNullable<CardTransaction['decision']>['retry_advice'] | undefined

/** The words of the picture above the list. */
function adviceText(advice: Advice): string {
  return ADVICE.find(([name]) => name === advice)?.[1] ?? 'never'
}

function adviceMood(advice: Advice): 'good' | 'warn' | 'plain' {
  if (advice === 'later') return 'good'
  return advice === null || advice === undefined || advice === 'never' ? 'plain' : 'warn'
}
