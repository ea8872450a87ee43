// The pages that are about no single resource: overview, events, errors.
import { ERRORS } from '../../../shared/error-catalog.ts'
import { ERROR_REFERENCE } from '../../../shared/error-reference.ts'
import { type Html, html } from '../../pages/html.ts'
import type { OpenApiDocument } from '../openapi.ts'
import { CODES_BY_STATUS } from '../operation.ts'
import type { Schema } from '../schemas.ts'
import { fieldList } from './fields.ts'
import { type Page, pathOfTag, prose } from './layout.ts'
import { describedOperations, methodMark } from './resource-page.ts'

export function overviewPage(document: OpenApiDocument): Page {
  const resources = document.tags.filter(({ name }) => name !== 'Webhooks')
  const body = html`<h1>svc API</h1>
<p class="lead">Issue cards, set what they may be used for, decide authorizations in real time, and hear about everything that happens.</p>
<pre tabindex="0"><code>curl "$SVC_URL/v1/cards?limit=10" \\
  -H "Authorization: Bearer $SVC_KEY"</code></pre>
<h2 id="authentication">Authentication</h2>
<p>Every call carries <code>Authorization: Bearer</code> and an API key. Its prefix says what it is: <code>svc_sk_sandbox_…</code> and <code>svc_sk_live_…</code> are secret and belong on servers only; <code>svc_pk_…</code> may be seen in a browser and can do what is marked so. A key has the scope <code>read</code>, <code>write</code> or <code>admin</code>; each includes the ones before. Every operation here names the scope it needs.</p>
<h2 id="lists">Lists</h2>
<p>Lists answer <code>{"data": […], "has_more": true, "next_cursor": "…"}</code>, newest first. Send <code>next_cursor</code> as <code>starting_after</code> for the next page; with <code>ending_before</code> a list is walked backward. A cursor is a place and not a resource: it still works when what stood there is gone or the filters change. It belongs to one list and one <code>sort</code>. An id of the list works as a cursor too. Filters are combined with and; what we do not know is refused.</p>
<h2 id="idempotency">Repeating a call</h2>
<p>Give every write an <code>Idempotency-Key</code> of your choice. A call that is repeated under it within 24 hours is carried out once, and its first answer is given again with <code>Idempotent-Replayed: true</code>.</p>
<h2 id="approval">Calls that a person approves</h2>
<p>What changes keys, the version of the account or all of a sandbox is answered with 403 <a href="/docs/errors#factor_required"><code>factor_required</code></a> at first. Show <code>error.challenge_url</code> to an owner or admin, who signs in there and approves; ask <code>error.challenge.status_url</code> until it is <code>completed</code>, and repeat the same call with its <code>token</code> as <code>Svc-Factor</code>. A token is good for that method, path and body, once, for five minutes.</p>
<h2 id="sandbox">The sandbox</h2>
<p>Identities are verified by a provider that plays its part: it approves everybody, except by these last names. <code>Reject</code> is rejected and <code>Review</code> requires action; <code>Late</code> is approved after 15 seconds, <code>Twice</code> is told twice and <code>Backwards</code> in the wrong order, <code>Lost</code> is found out only because we ask again, and of <code>Never</code> nothing is ever found out.</p>
<h2 id="card-numbers">Showing a card’s number</h2>
<p>A number never passes through your servers. Make a <a href="/docs/cards#createCardRevealToken">reveal token</a>, hand it to your page, and let the page send <code>POST /v1/card_reveals</code> with <code>{"token": "rvl_…"}</code>, without a key. The answer holds <code>pan</code>, <code>cvc</code>, <code>exp_month</code> and <code>exp_year</code>, null where they were not asked for. The token shows them once; used, unknown and run out read the same (404).</p>
<h2 id="limits">Rate limits</h2>
<p>Calls are counted in buckets, per tenant and minute; bursts may be twice the limit. Every answer says how the bucket stands in <code>X-RateLimit-Limit</code>, <code>-Remaining</code>, <code>-Reset</code> and <code>-Resource</code>. After <a href="/docs/errors#tenant_limit">429</a> wait for <code>Retry-After</code> seconds.</p>
<h2 id="errors">Errors</h2>
<p>Errors have one form: <code>error.type</code>, <code>code</code>, <code>message</code>, <code>param</code> and <code>request_id</code>. <a href="/docs/errors">Every code, with its cause and its cure</a>.</p>
<h2 id="versions">Versions</h2>
<p>Answers and events come in the version you are pinned to; <code>Svc-Version</code> in the answer names it. Sent with a request, <code>Svc-Version</code> shows that one answer in another version; <a href="/docs/account#updateAccount"><code>PATCH /v1/account</code></a> changes the pin, and events follow it. This reference is of ${document.info.version}.</p>
<p><code>2026-12-01</code>: <code>replaces</code>, <code>suspended_by</code>, <code>suspend_reason</code> and <code>terminate_reason</code> of cards and <code>frozen_reason</code> of cardholders are always there, null where they have no value. <code>2026-11-20</code> leaves them out then.</p>
<h2 id="operations">Operations</h2>
${resources.map(({ name }) => operationsOf(document, name))}`
  return { path: '/docs', title: 'Overview', body }
}

function operationsOf(document: OpenApiDocument, tag: string): Html {
  const path = pathOfTag(tag)
  return html`<h3><a href="${path}">${tag}</a></h3><ul class="contents">${describedOperations(
    document,
  )
    .filter(({ operation }) => operation.tags.includes(tag))
    .map(
      ({ method, path: of, operation }) =>
        html`<li><a href="${path}#${operation.operationId}">${methodMark(method)} <code>${of}</code></a><span>${operation.summary}</span></li>`,
    )}</ul>`
}

export function errorsPage(): Page {
  const body = html`<h1>Errors</h1>
<p class="lead">Programs read <code>error.code</code>; people read <code>error.message</code>. <code>error.request_id</code> names the request in our log.</p>
<pre tabindex="0"><code>${JSON.stringify(EXAMPLE_ERROR, null, 2)}</code></pre>
<p>Repeat after 429, 503 and 409 <code>idempotency_key_in_use</code>, not before <code>Retry-After</code>. Everything else needs another request.</p>
${[...CODES_BY_STATUS]
  .sort(([a], [b]) => a - b)
  .map(
    ([status, codes]) => html`<h2 id="${'status-' + status}">${status}</h2>
${codes.map(errorEntry)}`,
  )}`
  return { path: '/docs/errors', title: 'Errors', body }
}

const EXAMPLE_ERROR = {
  error: {
    type: 'invalid_request',
    code: 'parameter_unknown',
    message: ERRORS.parameter_unknown.message,
    param: 'colour',
    request_id: 'req_01m7wdgzf0fs28n3488hcbjt71',
  },
}

function errorEntry(code: keyof typeof ERRORS): Html {
  const { type, message } = ERRORS[code]
  const { cause, cure } = ERROR_REFERENCE[code]
  return html`<section class="error" id="${code}">
<h3><a href="#${code}"><code>${code}</code></a> <span class="type">${type}</span></h3>
<p>${message}</p>
<dl class="why"><dt>Cause</dt><dd>${prose(cause)}</dd><dt>Cure</dt><dd>${prose(cure)}</dd></dl>
</section>`
}

/** The fields of a resource stand on its own page. */
const CLOSED_DEPTH = Number.MAX_SAFE_INTEGER

interface Webhook {
  post: {
    description: string
    requestBody: { content: { 'application/json': { schema: { allOf: readonly Schema[] } } } }
  }
}

export function eventsPage(document: OpenApiDocument): Page {
  const { schemas } = document.components
  const webhooks = Object.entries(document.webhooks as { [type: string]: Webhook })
  const body = html`<h1>Webhooks and events</h1>
<p class="lead">Everything that happens is an event. Your endpoints receive it signed, at least once, and any answer of the 2xx family within 15 seconds takes it; otherwise it is tried five times in all.</p>
<h2 id="signature">The signature</h2>
<p><code>Svc-Signature: t=&lt;unix seconds&gt;,v1=&lt;hex&gt;</code>: the HMAC-SHA256 of <code>&lt;t&gt;.&lt;raw body&gt;</code>, keyed by the endpoint’s secret as it was shown. While a secret is rotated there are two <code>v1</code>, the old one first. Compare in constant time, over the bytes as they came, and refuse a <code>t</code> that is more than 300 seconds away.</p>
<pre tabindex="0"><code>import { verifyWebhook } from '@svc/client'

const event = verifyWebhook(rawBody, request.headers['svc-signature'], [secret])</code></pre>
<p>It throws with <code>malformed_header</code>, <code>invalid_signature</code> or <code>timestamp_out_of_tolerance</code>: answer 400 with that. A header with a space in it, a second <code>t</code>, a sign or a leading nought is malformed. Whole receivers in Node, Python and Go come with the client, in <code>receivers/</code>.</p>
<p>The same secret signs the <a href="https://www.standardwebhooks.com">Standard Webhooks</a> headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code>, so its verifiers in other languages work unchanged.</p>
<h2 id="envelope">The envelope</h2>
${fieldList({ $ref: '#/components/schemas/Event' }, schemas, false)}
<h2 id="types">Types</h2>
<ul class="contents">${webhooks.map(([type, { post }]) => html`<li><a href="#${type}"><code>${type}</code></a><span>${post.description}</span></li>`)}</ul>
${webhooks.map(([type, { post }]) => {
  const data = post.requestBody.content['application/json'].schema.allOf[1]?.properties?.['data']
  return html`<section class="error" id="${type}"><h3><a href="#${type}"><code>${type}</code></a></h3>
<p>${post.description}</p>
<details><summary><code>data</code></summary>${fieldList(data ?? {}, schemas, false, CLOSED_DEPTH)}</details></section>`
})}`
  return { path: '/docs/webhooks', title: 'Webhooks and events', body }
}
