// Pages of the enumerations: every value with its meaning and its remedy.
import {
  DECLINE_REASONS,
  type DeclineReason,
  outwardReason,
  responseCodeOf,
  TENANT_REASONS,
} from '../../../shared/decline-reason.ts'
import { type Html, html } from '../../../shared/html.ts'
import { RULE_CATALOG, type RuleId } from '../../../shared/rule-catalog.ts'
import {
  catalogOf,
  DECLINE_CATALOG,
  FAILURE_CATALOGS,
  STATE_CATALOGS,
  TRANSACTION_CATALOGS,
  type ValueCatalog,
} from '../value-catalogs.ts'
import { type Page, prose, stackedTable } from './layout.ts'

const DECLINES_PATH = '/docs/decline-reasons'
const TRANSACTIONS_PATH = '/docs/transaction-values'
const STATES_PATH = '/docs/stop-reasons'
export const FAILURES_PATH = '/docs/failures'

/** Where the values of a component are explained, or null. */
export function valuesPathOf(title: string): string | null {
  if (catalogOf(title) === undefined) return null
  if (title === DECLINE_CATALOG.title) return DECLINES_PATH
  return pathOf(title) + '#' + title
}

function pathOf(title: string): string {
  const isIn = (catalogs: readonly ValueCatalog[]) => catalogs.some((one) => one.title === title)
  if (isIn(TRANSACTION_CATALOGS)) return TRANSACTIONS_PATH
  return isIn(FAILURE_CATALOGS) ? FAILURES_PATH : STATES_PATH
}

/** The page of decline reasons, with the code and the advice that the network gets. */
export function declinesPage(): Page {
  const reasons = Object.keys(DECLINE_REASONS) as DeclineReason[]
  const body = html`<h1>Decline reasons</h1>
<p class="lead"><code>decline_reason</code> of a transaction and of its decision. A reason decides what the network tells the merchant: <code>response_code</code> is ISO 8583 field 39, and <code>retry_advice</code> says whether the merchant may try again.</p>
<p>Reasons marked <b>reply</b> may stand in the reply of your real-time endpoint. A reason that would reveal a review or a suspicion reaches the network under another name. <code>decline_detail</code> names the limit or control as <code>scope:id</code>, for example <code>card:lim_…</code>. See also <a href="/docs/transaction-values#RetryAdvice">retry_advice</a>.</p>
${stackedTable(
  ['Reason', 'Meaning', 'Remedy', 'Code', 'Retry'],
  reasons.map((reason) => declineRow(reason)),
)}`
  return { path: DECLINES_PATH, title: 'Decline reasons', body }
}

function declineRow(reason: DeclineReason): Html {
  const { meaning = '', remedy = '' } = DECLINE_CATALOG.values[reason] ?? {}
  const outward = outwardReason(reason)
  return html`<tr id="${reason}"><th scope="row"><a href="#${reason}"><code>${reason}</code></a>${
    TENANT_REASONS.has(reason) ? html` <span class="tag">reply</span>` : null
  }${outward === reason ? null : html` <span class="tag">network reads ${outward}</span>`}</th>
<td data-head="Meaning">${prose(meaning)}</td><td data-head="Remedy">${prose(remedy)}</td><td data-head="Code"><code>${responseCodeOf(reason)}</code></td><td data-head="Retry">${DECLINE_REASONS[reason].retry.replace('_', ' ')}</td></tr>`
}

export function transactionValuesPage(): Page {
  const body = html`<h1>Values of transactions</h1>
<p class="lead">Flags, who decided, how the question to your endpoint went, and the rules in a trace.</p>
${TRANSACTION_CATALOGS.map(catalogSection)}
<h2 id="rules">Decision rules</h2>
<p><code>trace</code> of a decision lists the rules in the order in which they were judged, with the values that each one saw; the first that fails declines.</p>
${stackedTable(['Rule', 'Passes when', 'Inputs'], (Object.keys(RULE_CATALOG) as RuleId[]).map(ruleRow))}`
  return { path: TRANSACTIONS_PATH, title: 'Transaction values', body }
}

function ruleRow(id: RuleId): Html {
  return html`<tr id="${'rule-' + id}"><th scope="row"><code>${id}</code></th><td data-head="Passes when">${RULE_CATALOG[id].condition}</td><td data-head="Inputs">${RULE_CATALOG[id].inputs.map((input) => html`<code>${input}</code> `)}</td></tr>`
}

export function stopReasonsPage(): Page {
  const body = html`<h1>Why something is stopped</h1>
<p class="lead">Suspended and terminated cards, suspended programs and accounts, frozen cardholders, disabled endpoints, subscriptions that are not paid: what each reason means, and how to go on.</p>
${STATE_CATALOGS.map(catalogSection)}`
  return { path: STATES_PATH, title: 'Stop reasons', body }
}

export function failuresPage(): Page {
  const body = html`<h1>Why something failed</h1>
<p class="lead">Attempts of webhooks that did not arrive, and money that did not move: what each value means, and what you can do.</p>
${FAILURE_CATALOGS.map(catalogSection)}`
  return { path: FAILURES_PATH, title: 'Failures', body }
}

function catalogSection({ title, heading, about, open, values }: ValueCatalog): Html {
  return html`<h2 id="${title}">${heading}</h2>
<p>${prose(about)}${open ? ' New values may appear.' : null}</p>
${stackedTable(
  ['Value', 'Meaning', 'Remedy'],
  Object.entries(values).map(
    ([value, { meaning, remedy }]) =>
      html`<tr id="${title + '-' + value}"><th scope="row"><code>${value}</code></th><td data-head="Meaning">${prose(meaning)}</td><td data-head="Remedy">${prose(remedy)}</td></tr>`,
  ),
)}`
}
