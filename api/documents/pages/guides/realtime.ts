// The guide of the real-time endpoint: the request, the reply, and what follows from each failure.
import { TENANT_REASONS } from '../../../../shared/decline-reason.ts'
import { html } from '../../../../shared/html.ts'
import { OUTCOME_REFERENCE } from '../../../../shared/transaction-reference.ts'
import { code, type Page, prose, stackedTable, table } from '../layout.ts'

export function realtimePage(): Page {
  const body = html`<h1>Decide in real time</h1>
<p class="lead">Before an authorization is approved, the service asks your endpoint. You have 1.5 seconds from the moment the network’s message arrived.</p>
<h2 id="setup">Set it up</h2>
<ol>
<li>An operator grants the entitlement: <code>entitlements.realtime</code> of <code>GET /v1/account</code> becomes true. Without it a program refuses <code>realtime: true</code> with <a href="/docs/errors#feature_not_enabled"><code>feature_not_enabled</code></a>.</li>
<li>Make a webhook endpoint and call <code>POST /v1/webhook_endpoints/{id}/make_realtime</code>. One endpoint per environment is asked.</li>
<li>Set <code>realtime: true</code> on each program whose cards you decide.</li>
<li>In the sandbox, <code>POST /v1/webhook_endpoints/{id}/certify</code> sends 27 questions, good and hostile, and reports every wrong reply.</li>
</ol>
<h2 id="request">The request</h2>
<p>You are asked about authorizations and increments that every rule and spending control has passed already: you can only narrow. The body is the <a href="/docs/webhooks#envelope">event envelope</a> with <code>type</code> <code>card.transaction.authorization_request</code> and the pending transaction in <code>data.transaction</code>.</p>
${code(`POST /your/path HTTP/1.1
Content-Type: application/json
User-Agent: Svc-Realtime/1
Svc-Event-Id: areq_…
Svc-Signature: t=1795176000,v1=…
Svc-Deadline-Ms: 1483
webhook-id: areq_…
webhook-timestamp: 1795176000
webhook-signature: v1,…`)}
<p>Verify <code>Svc-Signature</code> as with <a href="/docs/webhooks#signature">every webhook</a>. <code>Svc-Deadline-Ms</code> says how many milliseconds are left for your whole reply. <code>data.transaction.controls_snapshot</code> has the headroom of each limit, so that you can decide without a call back. The same <code>authorization_request.id</code> may come again after a restart of the service: answer it the same way.</p>
<h2 id="reply">The reply</h2>
${code(`HTTP/1.1 200 OK
Content-Type: application/json

{"approve": true}`)}
${code(`{"approve": false, "decline_reason": "insufficient_funds"}`)}
${table(
  ['Field', 'Rule'],
  [
    html`<tr><th scope="row"><code>approve</code></th><td>Required, a JSON boolean. <code>false</code> declines whatever else the body holds.</td></tr>`,
    html`<tr><th scope="row"><code>decline_reason</code></th><td>Optional. One of the values below; any other text of up to 64 characters counts as <code>tenant_declined</code> and is kept.</td></tr>`,
    html`<tr><th scope="row"><code>approved_amount_cents</code></th><td>Optional, from 1 to the amount asked for. Less is a partial approval where <code>partial_approval_capable</code> is true, else a decline.</td></tr>`,
    html`<tr><th scope="row"><code>metadata</code></th><td>Optional, up to 20 texts of 2 KB together, kept with the transaction.</td></tr>`,
    html`<tr><th scope="row"><code>request_id</code></th><td>Optional echo of <code>authorization_request.id</code>.</td></tr>`,
  ],
)}
<p>A bad optional field is dropped and named in <code>webhook.dropped_fields</code>; your decision still counts. The body is JSON in UTF-8 of at most 16 KB. Redirects are not followed.</p>
<h3 id="reply-reasons">Values of decline_reason</h3>
<p>${[...TENANT_REASONS].map((reason) => html`<a href="/docs/decline-reasons#${reason}"><code>${reason}</code></a> `)}</p>
<h2 id="failures">When no usable reply comes</h2>
<p>Stand-in decides: the controls have passed, so it approves within the caps of the program’s <code>stand_in_policy</code>, or declines where <code>stand_in</code> is <code>decline</code>. <code>webhook.outcome</code> says what happened:</p>
${stackedTable(
  ['Outcome', 'Meaning', 'Remedy'],
  Object.entries(OUTCOME_REFERENCE).map(
    ([outcome, { meaning, remedy }]) =>
      html`<tr><th scope="row"><a href="/docs/transaction-values#TenantOutcome-${outcome}"><code>${outcome}</code></a></th><td data-head="Meaning">${prose(meaning)}</td><td data-head="Remedy">${prose(remedy)}</td></tr>`,
  ),
)}
<p>A question is sent once. It is sent again only where a reused connection breaks before the first byte of a reply.</p>
<h2 id="late">Late replies</h2>
<p>A reply after the deadline changes nothing. It is recorded as <code>late_approve</code> or <code>late_decline</code> for 10 seconds after the call; <code>GET /v1/card_transactions?late_answer=true</code> lists them, and <code>GET /v1/stand_in/report</code> compares stand-in with your replies.</p>
<h2 id="breaker">The circuit breaker</h2>
<p>Ten failures in a row, or more than half of at least 20 calls within 10 seconds, open the breaker of the endpoint: stand-in then answers at once. One question a second is sent as a probe, and a good reply closes the breaker. Read its state in <code>realtime.breaker</code> of the endpoint.</p>
<h2 id="follow">What follows</h2>
<p>Every decision becomes an event, <code>card.transaction.authorized</code> or <code>card.transaction.declined</code>, with <a href="/docs/transaction-values#DecidedBy"><code>decided_by</code></a>.</p>`
  return { path: '/docs/realtime', title: 'Decide in real time', body }
}
