// Guides of how calls are made: credentials, second factors, lists, repetition, limits, versions.

import { html } from '../../../../shared/html.ts'
import { CSV_ROWS_MAX, PAGE_DEFAULT, PAGE_MAX } from '../../../../shared/limits.ts'
import { VERSION_CHANGES } from '../../../http/versions/chain.ts'
import { code, type Page, table } from '../layout.ts'

export function authenticationPage(): Page {
  const body = html`<h1>Authentication</h1>
<p class="lead">Every call carries <code>Authorization: Bearer</code> and an API key.</p>
<h2 id="keys">Keys</h2>
${table(
  ['Prefix', 'Use'],
  [
    html`<tr><th scope="row"><code>svc_sk_sandbox_</code></th><td>Secret key of the sandbox, on servers only.</td></tr>`,
    html`<tr><th scope="row"><code>svc_sk_live_</code></th><td>Secret key of live, on servers only.</td></tr>`,
    html`<tr><th scope="row"><code>svc_pk_sandbox_</code>, <code>svc_pk_live_</code></th><td>Publishable key: may stand in a page or an app and makes the calls that are marked so.</td></tr>`,
  ],
)}
<p>A key belongs to one environment; what it makes is invisible to the other. Its scope is <code>read</code>, <code>write</code> or <code>admin</code>, and each includes the ones before. A call beyond the scope is refused with <a href="/docs/errors#insufficient_scope"><code>insufficient_scope</code></a> and <code>required_scope</code>. <code>cidrs</code> restricts the addresses from which a key may be used.</p>
<h2 id="rotation">Rotate a key</h2>
<p>Make a new key, roll it out, call <code>POST /v1/api_keys/{id}/mark_pending</code> on the old one (it works for 24 hours more), watch <code>last_used_at</code>, then revoke it.</p>
<h2 id="factors">Calls that a person approves</h2>
<p>Calls of which the reference says <i>second factor</i> need a fresh one: those that change keys, people, addresses of money, the plan, the version of the account or all of a sandbox. The first answer is 403 <a href="/docs/errors#factor_required"><code>factor_required</code></a>.</p>
<ol>
<li>Show <code>error.challenge_url</code> to an owner or admin of the account, who signs in with password and TOTP or a recovery code, and approves.</li>
<li>Poll <code>error.challenge.status_url</code> with your key: 202 with <code>Retry-After</code> while the person decides, 200 with <code>token</code> when approved, 403 <code>factor_denied</code>, 410 <code>factor_expired</code>.</li>
<li>Repeat the same call, with the same body and <code>Svc-Factor: &lt;token&gt;</code>. The token is good for that method, path and body, once, for five minutes. The challenge waits 15 minutes.</li>
</ol>`
  return { path: '/docs/authentication', title: 'Authentication', body }
}

export function listsPage(): Page {
  const body = html`<h1>Lists</h1>
<p class="lead">Lists answer <code>{"data": […], "has_more": true, "next_cursor": "…"}</code>, newest first, ${PAGE_DEFAULT} at a time and ${PAGE_MAX} at most.</p>
${code(`curl -g "$SVC_URL/v1/cards?limit=100&status=active&created[gte]=2026-11-01" \\
  -H "Authorization: Bearer $SVC_KEY"`)}
<h2 id="pages">Page on</h2>
<p>Send <code>next_cursor</code> as <code>starting_after</code> until <code>has_more</code> is false, when <code>next_cursor</code> is null. <code>ending_before</code> walks backward; the two exclude each other. A cursor is a position: it still works when the resource there is gone. It belongs to one list and one <code>sort</code>. An id of the list works as a cursor too.</p>
<h2 id="csv">A list as a file</h2>
<p><code>format=csv</code> answers any list with one CSV file (RFC 4180, UTF-8): the pages from here on, with the same filters, at most ${CSV_ROWS_MAX} rows, or as many as <code>limit</code> says. A file with that many rows may not be the end: begin the next with <code>starting_after</code> and the id of its last row. Columns are the fields of the item in the newest version, <code>address.city</code> for a field of an object; deeper values are JSON. A text that a spreadsheet would run as a formula has an apostrophe in front. Each page behind the file takes a call of the limit; the transfer waits for it. A transfer that breaks off is not whole.</p>
<h2 id="parameters">Parameters and their defaults</h2>
${table(
  ['Parameter', 'Default', 'Rule'],
  [
    html`<tr><th scope="row"><code>limit</code></th><td>${PAGE_DEFAULT}</td><td>1 to ${PAGE_MAX}; more is refused.</td></tr>`,
    html`<tr><th scope="row"><code>order</code></th><td><code>desc</code></td><td><code>asc</code>: oldest first.</td></tr>`,
    html`<tr><th scope="row"><code>sort</code></th><td><code>created</code></td><td>Where a list offers other fields.</td></tr>`,
    html`<tr><th scope="row"><code>created[gte]</code>, <code>[gt]</code>, <code>[lte]</code>, <code>[lt]</code></th><td>no bound</td><td>RFC 3339 date and time, or a date, which is 00:00 UTC. <code>created_after</code> is <code>created[gt]</code>.</td></tr>`,
  ],
)}
<p>Filters are combined with and. A filter that is left out restricts nothing; an unknown parameter is refused with <a href="/docs/errors#parameter_unknown"><code>parameter_unknown</code></a>.</p>`
  return { path: '/docs/lists', title: 'Lists', body }
}

export function repetitionPage(): Page {
  const body = html`<h1>Repeat calls safely</h1>
<p class="lead">Give every write an <code>Idempotency-Key</code> of your choice, up to 255 characters.</p>
<p>A call that is repeated under its key within 24 hours is carried out once. Its first answer comes again with <code>Idempotent-Replayed: true</code> and <code>Svc-Original-Request</code>. Refusals keep nothing: a corrected call may use the same key. Once a call was carried out, another method, path or body under its key is 422 <a href="/docs/errors#idempotency_key_reused"><code>idempotency_key_reused</code></a> with <code>resource_id</code>. While the first call is at work, the second waits two seconds and is then 409 <a href="/docs/errors#idempotency_key_in_use"><code>idempotency_key_in_use</code></a>: repeat it.</p>
<h2 id="when">When to repeat</h2>
<p>After a broken connection, 429, 503, 500 and 409 <code>idempotency_key_in_use</code>, not before <code>Retry-After</code> seconds (<code>error.retry_after_ms</code> is exact). The client package does this by itself.</p>
<h2 id="limits">Rate limits</h2>
<p>Calls are counted in buckets, per account, environment and minute; bursts may be twice the limit. Each answer tells the bucket’s state in <code>X-RateLimit-Limit</code>, <code>-Remaining</code>, <code>-Reset</code> and <code>-Resource</code>.</p>
${table(
  ['Bucket', 'Calls a minute'],
  (
    [
      ['read', 'every GET', 1000],
      ['passes_write', 'writes of passes and scans', 500],
      ['cards_write', 'writes of cards, cardholders, controls, disputes', 200],
      ['templates_write', 'writes of pass templates and images', 60],
      ['admin_write', 'writes that need the scope admin', 60],
      ['count', 'counts, in read as well', 60],
    ] as const
  ).map(
    ([bucket, what, limit]) =>
      html`<tr><th scope="row"><code>${bucket}</code> <span class="type">${what}</span></th><td>${limit}</td></tr>`,
  ),
)}
<p>An account may have 64 connections open at once. <code>rate_limits</code> of <code>GET /v1/account</code> has the limits that hold for you.</p>`
  return { path: '/docs/idempotency', title: 'Idempotency and limits', body }
}

export function versionsPage(): Page {
  const body = html`<h1>Versions</h1>
<p class="lead">An account is pinned to a dated version. Answers and events come in it until you change the pin.</p>
<p><code>Svc-Version</code> of an answer names its version; sent with a request, it shows that one answer in another version. <code>PATCH /v1/account</code> with <code>{"api_version": "…"}</code> changes the pin for both environments, after a <a href="/docs/authentication#factors">second factor</a>. Within a version only optional fields are added. An older version answers for at least 24 months after the next one.</p>
${VERSION_CHANGES.map(
  ({ version, changes }) => html`<h2 id="${version}">${version}</h2>
<p><a href="/openapi.json?version=${version}">openapi.json of ${version}</a></p>
${changes.length === 0 ? html`<p>The first version.</p>` : html`<ul>${changes.map(([kind, about]) => html`<li><code>${kind}</code>: ${about}</li>`)}</ul>`}`,
)}`
  return { path: '/docs/versions', title: 'Versions', body }
}
