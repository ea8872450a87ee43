// Stand-in: who decided while we were silent, and would you have agreed?
import type { CardTransaction, StandInReport } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { action, call, page, type Visit } from '../page.ts'
import { figures, percent } from '../parts/figure.ts'
import { field, form, hidden } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { seconds } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { none, panel } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { tag, wordsOf } from '../parts/tag.ts'

const WEEK_MS = 7 * 86_400_000
const OPEN_SHOWN = 25

export const standIn = page({
  path: '/stand_in',
  title: 'Stand-in',
  menu: { group: 'Now', label: 'Stand-in' },
  operations: ['getStandInReport', 'listCardTransactions'],
  async view(at) {
    const since = at.query.get('since') ?? new Date(at.now - WEEK_MS).toISOString().slice(0, 10)
    const { report, open } = await at.ask({
      report: call('getStandInReport', { 'created[gte]': since }),
      open: call('listCardTransactions', { stand_in_acknowledged: 'false', limit: OPEN_SHOWN }),
    })
    const content = html`<header class="head"><h1>Stand-in</h1><p>Your controls decide where your answer does not come in time.</p></header>
<form method="get" action="${url(at.to('/stand_in'))}" class="filters">${field({ name: 'since', label: 'Since', type: 'date', value: since })}<button>Show</button></form>
${panel('Decided for you, not acknowledged', open, ({ data, has_more: isMore }) => openView(at, data, isMore))}
${panel('Since ' + dayWords(since), report, (of) => reportView(at, of))}`
    return { title: 'Stand-in', content }
  },
})

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** `20 Nov 2026`; another text as it is. */
function dayWords(day: string): string {
  const at = Date.parse(day)
  return Number.isNaN(at) ? day : DAY.format(at)
}

function reportView(at: Visit, of: StandInReport): Html {
  const { compared, late, decided } = of
  if (of.questions + decided.approved + decided.declined + late.approved + late.declined === 0)
    return none(
      at,
      'You were not asked in this time, and stand-in decided nothing. A program asks your endpoint before it approves.',
      null,
      { path: '/programs', label: 'See the programs', operation: 'listPrograms' },
    )
  const outcomes = Object.entries(of.outcomes)
  return html`<div class="stack">${figures([
    { label: 'Requests to you', value: countText(of.questions) },
    { label: 'Stand-in approved', value: countText(of.decided.approved) },
    { label: 'Stand-in declined', value: countText(of.decided.declined) },
    {
      label: 'Late answers that disagreed',
      value: countText(late.disagreed),
      note: countText(late.approved + late.declined) + ' late',
    },
  ])}${table({
    label: 'Verdicts compared',
    rows: [
      {
        name: 'Stand-in would approve',
        you: compared.both_approve,
        not: compared.only_stand_in_approves,
      },
      {
        name: 'Stand-in would decline',
        you: compared.only_tenant_approves,
        not: compared.both_decline,
      },
    ],
    columns: [
      { label: 'Compared with your answers', cell: ({ name }) => name },
      { label: 'You approved', isNumber: true, cell: ({ you }) => countText(you) },
      { label: 'You declined', isNumber: true, cell: ({ not }) => countText(not) },
    ],
  })}${rateLines(of)}<p class="soft">${outcomes.map(([name, count]) => wordsOf(name) + ' ' + countText(count)).join(' · ')}</p></div>`
}

/** How often stand-in would have disagreed; a share of nothing is none. */
function rateLines({ false_approve_rate: approve, false_decline_rate: decline }: StandInReport) {
  const rates: [number | null, string, string][] = [
    [approve, 'approved', 'declined'],
    [decline, 'declined', 'approved'],
  ]
  return rates.map(([share, stood, you]) =>
    share === null
      ? null
      : html`<p>Stand-in would have ${stood} ${percent(share)} of what you ${you}.</p>\n`,
  )
}

/** Decisions that nobody of the tenant has acknowledged. */
function openView(at: Visit, open: readonly CardTransaction[], isMore: boolean): Html {
  if (open.length === 0)
    return none(at, 'Nothing is open. A decision of stand-in stays here until you acknowledge it.')
  const shown = table({
    label: 'Open decisions of stand-in',
    rows: open,
    href: ({ id }) => at.to('/transactions/' + id),
    columns: [
      { label: 'Merchant', cell: ({ merchant }) => merchant.name || merchant.id },
      {
        label: 'Amount',
        isNumber: true,
        cell: ({ amount_cents: cents, currency }) => moneyText(cents, currency),
      },
      { label: 'State', cell: ({ status }) => tag(status) },
      { label: 'Why you were silent', cell: causeOf },
      { label: 'Your late answer', cell: lateOf },
      { label: 'Card', cell: ({ card }) => idLink(at, card.id, '…' + card.last4) },
      { label: 'When', cell: ({ created }) => seconds(created) },
    ],
  })
  if (!at.may('acknowledgeStandIn')) return shown
  const label = isMore ? 'Acknowledge these ' + open.length : 'Acknowledge all ' + open.length
  return html`${shown}${form({
    action: at.to('/stand_in/acknowledge'),
    fields: hidden('ids', open.map(({ id }) => id).join(' ')),
    button: { label, mood: 'plain' },
  })}`
}

function causeOf({ decision }: CardTransaction): string {
  return wordsOf(decision?.stand_in_detail?.cause ?? decision?.webhook?.outcome ?? '')
}

function lateOf({ decision }: CardTransaction): string {
  const late = decision?.webhook?.late_answer ?? null
  if (late === null) return 'none'
  return wordsOf(late.outcome) + (late.disagrees ? ', disagrees' : '')
}

export const acknowledgeOpen = action({
  path: '/stand_in/acknowledge',
  label: 'Acknowledge the shown decisions of stand-in.',
  operation: 'acknowledgeStandIn',
  done: 'The decisions are acknowledged.',
  input: (sent) => ({
    transaction_ids: sent('ids')
      .split(' ')
      .filter((id) => id !== ''),
  }),
  next: () => '/stand_in',
})
