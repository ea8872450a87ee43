// A tenant as an operator sees it: its state, its rights, its billing, its people.
import { type Html, html, url } from '../../../shared/html.ts'
import type { TenantBilling } from '../../../shared/schemas/billing-subscription.ts'
import type { OperatorPerson } from '../../../shared/schemas/person.ts'
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import { curlText } from '../curl.ts'
import { whole } from '../parts/code.ts'
import { type Fact, facts } from '../parts/facts.ts'
import { seconds } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { commandOf, panel, section } from '../parts/panel.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { type Desk, type DeskPage, type Listed, need, read, segment } from './desk.ts'
import { move } from './list.ts'

export const tenant: DeskPage = {
  path: '/operator/tenants/:id',
  title: 'Tenant',
  async view(desk) {
    const path = '/operator/v1/tenants/' + segment(desk, 'id')
    const [of, people, sandbox, live] = await Promise.all([
      need<Tenant>(desk, path),
      read<Listed<OperatorPerson>>(desk, path + '/people?limit=25'),
      read<TenantBilling>(desk, path + '/billing/sandbox'),
      read<TenantBilling>(desk, path + '/billing/live'),
    ])
    const { id, status } = of
    const suspended =
      status === 'suspended' ? move('resume_tenant', id) : move('suspend_tenant', id)
    const review =
      of.kyb_status === 'pending'
        ? null
        : html`<a class="button plain" href="${url('/operator/kyb/' + encodeURIComponent(id))}">${of.kyb_status === 'submitted' ? 'Review the application' : 'The application'}</a>`
    return {
      title: of.name,
      content: html`<header class="head"><h1>${of.name}</h1>${tag(status)}<span class="actions">${review}${suspended}</span><p><code>${id}</code></p></header>
<div class="grid"><div class="stack">
${section(
  'Business',
  facts([
    ['Legal name', of.legal_name],
    ['Country', of.country],
    ['KYB', tag(of.kyb_status)],
    ...known('Decided', of.kyb_decided_at === null ? null : seconds(of.kyb_decided_at)),
    ...known('Because', of.kyb_reason),
    ...known('Suspended by', of.suspended_by === null ? null : wordsOf(of.suspended_by)),
    ...known('Suspended because', of.suspend_reason),
    ['API version', of.api_version],
    ['Since', seconds(of.created)],
  ]),
)}
${panel('People', people, (listed) => peopleList(desk, id, listed))}
</div><div class="stack">
${section(
  'Rights',
  html`${facts([
    ['Real-time decisions', of.realtime_entitled ? 'yes' : 'no'],
    ['Payments in live', of.payments_entitled ? 'yes' : 'no'],
    [
      'Raised limits',
      of.rate_limit_overrides.length === 0
        ? 'none'
        : html`${of.rate_limit_overrides.map(({ factor, expires_at: end }) => html`${countText(factor)} times until ${seconds(end)} `)}`,
    ],
  ])}<div class="actions">${move('grant_realtime', id)}${move('grant_payments', id)}${move('lift_limits', id)}${of.rate_limit_overrides.length === 0 ? null : move('restore_limits', id)}</div>`,
)}
${section('Work', html`<div class="actions">${move('issue_key', id)}${move('add_person', id)}${move('settle_now', id)}${move('give_credit', id)}${move('adjust_usage', id)}<a class="button plain" href="${url('/operator/tenants/' + encodeURIComponent(id) + '/plan')}">Enterprise plan</a>${move('override_dunning', id)}${move('end_override', id)}</div>`)}
${panel('Billing in live', live, (billing) => billingFacts(billing))}
${panel('Billing in the sandbox', sandbox, (billing) => billingFacts(billing))}
</div></div>${whole(of, 'The tenant as the API shows it')}`,
    }
  },
}

/** A row that only some tenants have. */
function known(name: string, value: Html | string | null): readonly Fact[] {
  return value === null ? [] : [[name, value]]
}

function billingFacts({ billed, subscription }: TenantBilling): Html {
  if (!billed) return html`<p class="soft">It is not billed here.</p>`
  const { status, plan, dunning_override: override, credit_cents: credit } = subscription
  return facts([
    ['Status', tag(status)],
    ['Plan', plan === null ? null : plan.key],
    ['Overdue since', seconds(subscription.overdue_since)],
    [
      'Override',
      override === null ? null : html`${override.state} until ${seconds(override.expires_at)}`,
    ],
    ['Credit', credit === 0 ? null : moneyText(credit, subscription.currency ?? 'USD')],
  ])
}

function peopleList(
  { apiUrl }: Desk,
  id: string,
  { data: people, has_more: isMore }: Listed<OperatorPerson>,
): Html {
  if (people.length === 0)
    return html`<div class="none"><p>It has none. The first one is an owner.</p>${commandOf(
      curlText({
        ...{ method: 'POST', address: apiUrl + '/operator/v1/tenants/' + id + '/people' },
        body: { email: 'ada@example.com', name: 'Ada Lovelace', role: 'owner' },
        credential: 'SVC_OPERATOR_KEY',
      }),
      'It has no person.',
    )}</div>`
  return html`<ul class="bars">${people.map(
    ({ name, email, role, status }) =>
      html`<li><span>${name} <span class="soft">${email}</span></span><span>${role} ${tag(status)}</span></li>`,
  )}</ul>${isMore ? html`<p><a href="${url('/operator/tenants/' + encodeURIComponent(id) + '/people')}">All people</a></p>` : null}`
}
