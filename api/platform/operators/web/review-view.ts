// The page of an application with its decision.
import { type Html, html, url } from '../../../../shared/html.ts'
import {
  type Problem,
  type ProofForm,
  passkeyForm,
  problemNotice,
} from '../../../access/web/index.ts'
import type { Page } from '../../../http/pages/page.ts'
import { PASSKEY_PROBLEM, PASSKEY_SCRIPT } from '../../../http/pages/passkey-form.ts'
import { applicationFacts, type findApplication } from '../../kyb/index.ts'
import type { TenantRow } from '../../tenants/index.ts'

export interface ReviewPage {
  tenant: TenantRow
  application: NonNullable<Awaited<ReturnType<typeof findApplication>>>
  /** The reason as it was sent. */
  reason: string
  approve: ProofForm
  /** Null: the reason of a rejection is typed first. */
  reject: ProofForm | null
  problem: Problem | null
}

export function reviewPage(page: ReviewPage): Page {
  const { tenant, application, reason, reject, problem } = page
  const path = '/operator/kyb/' + tenant.id
  const isOpen = application.decision === null && tenant.kybStatus === 'submitted'
  const decided = html`<p class="operation">The application was ${application.decision ?? 'changed'}${
    application.reason === null ? '.' : html`: ${application.reason}`
  }</p>`
  const forms = html`${PASSKEY_PROBLEM}
${reject === null ? decisions(page, path) : rejection({ reason, reject }, path)}
<noscript><p class="problem">A decision needs a passkey, and a passkey needs JavaScript.</p></noscript>`
  const content = html`
<header><a href="/operator">Who waits</a><span class="badge">operator</span></header>
<h1>${application.details.legal_name}</h1>
${problemNotice(problem)}
<dl class="facts"><div><dt>Tenant</dt><dd>${tenant.name} <code>${tenant.id}</code></dd></div>
<div><dt>State</dt><dd>${tenant.kybStatus}</dd></div></dl>
${applicationFacts(application)}
${isOpen ? forms : decided}`
  return {
    status: problem?.status ?? 200,
    title: application.details.legal_name,
    content,
    scripts: isOpen ? [PASSKEY_SCRIPT] : [],
  }
}

function decisions({ approve, reason }: ReviewPage, path: string): Html {
  return html`<h2>Approve</h2>
<p>Live opens at once, with the program of the application. An approval is not taken back.</p>
${passkeyForm({ action: path + '/approve', proof: approve, fields: null, label: 'Approve with a passkey' })}
<h2>Reject</h2>
<form method="post" action="${url(path + '/reject')}">
<label>Reason <span>the tenant reads it</span>
<input name="reason" maxlength="500" autocomplete="off" required value="${reason}"></label>
<div class="actions one"><button>Reject with this reason</button></div>
</form>`
}

/** The second step of a rejection: the passkey signs the reason. */
function rejection({ reason, reject }: { reason: string; reject: ProofForm }, path: string): Html {
  const fields = html`<p class="operation">${reason}</p>
<input type="hidden" name="reason" value="${reason}">`
  return html`<h2>Reject</h2>
<p>The tenant reads this reason, and may apply again.</p>
${passkeyForm({ action: path + '/reject', proof: reject, fields, label: 'Reject with a passkey' })}
<p class="note"><a href="${url(path)}">Back to the application</a></p>`
}
