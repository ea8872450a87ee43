// The overview: is anything wrong now?
import { type Html, html, url } from '../../../shared/html.ts'
import { type AnswerOf, type Answers, call, type Outcome, page, type Visit } from '../page.ts'
import { type Figure, figures } from '../parts/figure.ts'
import { distance, moment, span, UTC } from '../parts/moment.ts'
import { countText } from '../parts/money.ts'
import { listLink, notice, panel } from '../parts/panel.ts'
import { table } from '../parts/table.ts'
import { wordsOf } from '../parts/tag.ts'
import { deliveryHealth, healthBars } from './delivery-health.ts'
import { dueList, dueNext } from './disputes.ts'
import { firstSteps } from './first-steps.ts'
import { comparedPeriods, lengthOf, type Period, periodLinks, periodOf } from './periods.ts'
import { answerTimes, approval, reasonsOf } from './statistics.ts'
import { transactionColumns } from './transactions.ts'

/** Chosen: a dispute that is due later needs nobody now. */
const WEEK_MS = 7 * 86_400_000
/** Chosen: the first retries of a delivery are over by then. */
const WAITING_S = 3600

function calls(at: Visit) {
  const since = new Date(at.now - lengthOf(periodOf(at)) * 1000).toISOString()
  return {
    account: call('getAccount', {}),
    endpoints: call('listWebhookEndpoints', { limit: 100 }),
    due: dueNext,
    recent: call('listCardTransactions', { limit: 8 }),
    failed: call('listWebhookDeliveries', { state: 'failed', limit: 5, 'created[gte]': since }),
  }
}

type Known = Answers<ReturnType<typeof calls>>

export const overview = page({
  path: '/overview',
  title: 'Overview',
  menu: { group: 'Now', label: 'Overview' },
  operations: [
    'listCardTransactions',
    'getAccount',
    'getAuthorizationStatistics',
    'listWebhookEndpoints',
    'listWebhookEndpointsHealth',
    'listDisputes',
    'listWebhookDeliveries',
  ],
  async view(at) {
    const period = periodOf(at)
    const [known, compared, health] = await Promise.all([
      at.ask(calls(at)),
      comparedPeriods(at, period),
      deliveryHealth(at),
    ])
    const worries = [...worriesOf(at, known), ...waitingOf(at, health)]
    const isKnown = [known.account, known.endpoints, known.due, health].every(({ ok }) => ok)
    const well = isKnown
      ? notice('good', 'All well: nothing is wrong now.')
      : notice('warn', 'A part of this page has no answer: it is not known whether all is well.')
    const isNew = known.recent.ok && known.recent.value.data.length === 0
    const steps = isNew ? await firstSteps(at, known.account) : null
    // A role that does not see the account is not told how it is; praise of nothing says nothing.
    const isTold = at.may('getAccount') && !(isNew && isKnown)
    const state =
      worries.length === 0
        ? isTold
          ? well
          : null
        : html`${worries.map((each) => notice('warn', each))}`
    const content = html`<header class="head"><h1>Overview</h1>${periodLinks(at, '/overview')}<span class="soft">As of ${moment(at.now)}${UTC}</span></header>
${state}${steps}
${panelFigures(known, period)}
<div class="grid wide"><div class="stack">
${panel('Authorizations', compared, approval)}
${panel('Answers of your endpoint, ' + period.label, compared, ({ now }) => answerTimes(at, now))}
</div><div class="stack">
${panel('Declines, ' + period.label, compared, ({ now }) => reasonsOf(at, now), listLink(at, '/declines', 'All declines'))}
${panel('Disputes due', known.due, (listed) => dueList(at, listed), listLink(at, '/disputes', 'All disputes'))}
${panel('Delivery health, 24 h', health, (listed) => healthBars(at, listed), listLink(at, '/webhooks', 'All endpoints'))}
</div></div>
${
  isNew
    ? null
    : panel(
        'Latest transactions',
        known.recent,
        ({ data }) =>
          table({
            label: 'Latest transactions',
            rows: data,
            columns: transactionColumns(at),
            href: ({ id }) => at.to('/transactions/' + id),
          }),
        listLink(at, '/transactions', 'All transactions'),
      )
}`
    return { title: 'Overview', content }
  },
})

function worriesOf(at: Visit, { endpoints, due, account }: Known): Html[] {
  const worries: Html[] = []
  if (account.ok && account.value.status === 'suspended')
    worries.push(html`This account is suspended: ${account.value.suspend_reason ?? 'ask us'}.`)
  for (const { id, url: address, status, realtime } of endpoints.ok ? endpoints.value.data : []) {
    const link = html`<a href="${url(at.to('/webhooks/' + id))}">${address}</a>`
    if (status === 'disabled')
      worries.push(html`The endpoint ${link} is disabled: its events are held.`)
    if (realtime.breaker?.state === 'open')
      worries.push(html`The endpoint ${link} failed too often: stand-in decides.`)
  }
  const [first] = due.ok ? due.value.data : []
  if (first !== undefined && Date.parse(first.evidence_due_by) < at.now + WEEK_MS)
    worries.push(
      html`A <a href="${url(at.to('/disputes/' + first.id))}">dispute</a> needs your response ${distance(Date.parse(first.evidence_due_by), at.now)}.`,
    )
  return worries
}

/** Enabled endpoints whose events wait. */
function waitingOf(at: Visit, health: Awaited<ReturnType<typeof deliveryHealth>>): Html[] {
  const rows = health.ok ? health.value.data : []
  return rows.flatMap(({ id, url: address, status, oldest_age_seconds: age }) =>
    status === 'enabled' && age !== null && age > WAITING_S
      ? html`Events for <a href="${url(at.to('/webhooks/' + id))}">${address}</a> wait, the oldest for ${span(age)}.`
      : [],
  )
}

function panelFigures({ failed, endpoints, due }: Known, { label }: Period): Html {
  const more = (count: number, max: number): string =>
    countText(count) + (count === max ? ' or more' : '')
  const isMine = (outcome: Outcome<unknown>): boolean =>
    outcome.ok || outcome.problem.status !== 403
  const known: [Outcome<unknown>, Figure][] = [
    [
      failed,
      {
        label: 'Failed deliveries, ' + label,
        value: failed.ok ? more(failed.value.data.length, 5) : 'no answer',
        ...(failed.ok && failed.value.data.length > 0 ? { mood: 'bad' as const } : {}),
      },
    ],
    [
      endpoints,
      {
        label: 'Endpoints enabled',
        value: endpoints.ok
          ? countText(endpoints.value.data.filter(({ status }) => status === 'enabled').length)
          : 'no answer',
        note: endpoints.ok ? breakerText(endpoints.value) : null,
      },
    ],
    [due, { label: 'Disputes due', value: due.ok ? more(due.value.data.length, 5) : 'no answer' }],
  ]
  return figures(known.filter(([outcome]) => isMine(outcome)).map(([, figure]) => figure))
}

/** The state of the endpoint that is asked before an approval. */
function breakerText({ data }: AnswerOf<'listWebhookEndpoints'>): string {
  const asked = data.find(({ realtime }) => realtime.breaker !== null)
  if (asked === undefined) return 'none is asked in real time'
  return 'real time: breaker ' + wordsOf(asked.realtime.breaker?.state ?? 'unknown')
}
