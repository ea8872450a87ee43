// The page of events: how they are signed, sent and tried again, and every type with its data.

import { EVENT_TYPES, type EventType } from '../../../shared/event-catalog.ts'
import { type Html, html } from '../../../shared/html.ts'
import type { OpenApiDocument, Schema } from '../document.ts'
import { EXAMPLE_SECONDS } from '../example-ids.ts'
import { sampleData } from '../sample-event.ts'
import { fieldList } from './fields.ts'
import { code, type Page, prose, table } from './layout.ts'

/** The fields of a resource stand on its own page. */
const CLOSED_DEPTH = Number.MAX_SAFE_INTEGER

interface Webhook {
  post: {
    description: string
    requestBody: { content: { 'application/json': { schema: { allOf: readonly Schema[] } } } }
  }
}

/**
 * The default schedule: a delay counts from the failure before it, and up to a fifth of it is
 * added.
 */
const ATTEMPTS: readonly [attempt: string, after: string, since: string][] = [
  ['1', 'at once', '0 s'],
  ['2', '30 s', '30 s'],
  ['3', '5 min', '5 min 30 s'],
  ['4', '2 h', '2 h 5 min'],
  ['5', '22 h', '24 h 5 min'],
]

export function eventsPage(document: OpenApiDocument): Page {
  const { schemas } = document.components
  const webhooks = Object.entries(document.webhooks as { [type: string]: Webhook })
  const body = html`<h1>Webhooks and events</h1>
<p class="lead">Everything that happens is an event. Your endpoints receive it as a signed <code>POST</code>, at least once; <code>GET /v1/events</code> lists it for 30 days.</p>
<h2 id="endpoint">Make an endpoint</h2>
${code(`curl -X POST "$SVC_URL/v1/webhook_endpoints" \\
  -H "Authorization: Bearer $SVC_KEY" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -H "Content-Type: application/json" \\
  -d '{"url": "https://shop.example/webhooks", "event_types": null}'`)}
<p>The answer shows the signing <code>secret</code> this once. <code>event_types: null</code> sends every type, also types to come. Live takes https only; private addresses are refused.</p>
<h2 id="signature">Verify the signature</h2>
<p><code>Svc-Signature: t=&lt;unix seconds&gt;,v1=&lt;hex&gt;</code> carries the HMAC-SHA256 of <code>&lt;t&gt;.&lt;raw body&gt;</code>, keyed by the UTF-8 bytes of the whole secret as it was shown (<code>whsec_…</code>). While a secret is rotated there are two <code>v1</code>, the old one first. Compare in constant time over the bytes as they came, and refuse a <code>t</code> more than 300 seconds away in either direction.</p>
${code(`import { createHmac, timingSafeEqual } from 'node:crypto'

// nowS: the Unix second at which the request arrived.
function isGenuine(rawBody, header, secret, nowS, toleranceS = 300) {
  const parts = header.split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (Math.abs(nowS - Number(t)) > toleranceS) return false
  const expected = createHmac('sha256', secret).update(t + '.').update(rawBody).digest()
  return parts.some(([name, hex]) => {
    const given = Buffer.from(hex ?? '', 'hex')
    return name === 'v1' && given.length === 32 && timingSafeEqual(given, expected)
  })
}`)}
<p>The <a href="/docs#client">client package</a> has a strict verifier, and whole receivers in Node, Python and Go. Answer a bad signature with 400 and <code>malformed_header</code>, <code>invalid_signature</code> or <code>timestamp_out_of_tolerance</code>. The same secret signs the <a href="https://www.standardwebhooks.com">Standard Webhooks</a> headers <code>webhook-id</code>, <code>webhook-timestamp</code> and <code>webhook-signature</code>, keyed by the base64-decoded part behind <code>whsec_</code>, so those verifiers work unchanged.</p>
<h2 id="answer">Answer</h2>
<p>Any status from 200 to 299 within 15 seconds takes the event; the body is not read. Every other status, a redirect, and silence are a failed attempt. Store the event, answer, and work afterwards. <code>Svc-Event-Id</code> is the same at every attempt: take an event with an id that you know already as done. Events may arrive out of order; <code>sequence</code> orders those of one transaction.</p>
<h2 id="attempts">The five attempts</h2>
${table(
  ['Attempt', 'Delay after the failure before it', 'Earliest time since the event'],
  ATTEMPTS.map(
    ([attempt, after, since]) =>
      html`<tr><th scope="row">${attempt}</th><td>${after}</td><td>${since}</td></tr>`,
  ),
)}
<p>A random part of up to 20 % is added to each delay. <code>Retry-After</code> of a 429 or 503 may lengthen a delay, up to twice and never beyond six hours. Each attempt has the same body, a fresh <code>t</code> and <code>Svc-Attempt: 2/5</code>. At most 100 events a second reach one tenant. An installation may set other delays. <code>GET /v1/webhook_deliveries/{id}/attempts</code> shows each attempt; its <code>error_class</code> says <a href="/docs/failures#DeliveryError">why it failed</a>.</p>
<h2 id="disabled">Bring an endpoint back</h2>
<p>The fifth failed attempt of one delivery disables the endpoint (<code>disabled_reason: retry_exhausted</code>), and <code>webhook_endpoint.disabled</code> goes to all your other enabled endpoints. Open deliveries are held. When your receiver works again:</p>
${code(`curl -X PATCH "$SVC_URL/v1/webhook_endpoints/we_…" \\
  -H "Authorization: Bearer $SVC_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"status": "enabled"}'`)}
<p>Held deliveries begin again with five fresh attempts. Events from the time in between are not sent by themselves: <code>GET /v1/webhook_endpoints/{id}/missed_events</code> lists them, and <code>POST …/recoveries</code> with <code>{"since": "…", "which": "missed"}</code> sends them. <code>POST …/replay</code> sends one event again, <code>POST …/test</code> an invented one, and <code>GET …/statistics</code> says how the endpoint did.</p>
<h2 id="rotation">Rotate the secret</h2>
<p><code>POST …/rotate_secret</code> gives a second secret; both sign until <code>POST …/revoke_old_secret</code>, or until <code>expires_in</code> is over. Give your verifier both meanwhile. A third secret is refused with 409.</p>
<h2 id="envelope">The envelope</h2>
${fieldList({ $ref: '#/components/schemas/Event' }, schemas, false)}
<h2 id="types">Types</h2>
<ul class="contents">${webhooks.map(([type, { post }]) => html`<li><a href="#${type}"><code>${type}</code></a><span>${post.description}</span></li>`)}</ul>
${webhooks.map(([type, { post }]) => eventSection(document, type, post))}`
  return { path: '/docs/webhooks', title: 'Webhooks and events', body }
}

function eventSection(document: OpenApiDocument, type: string, post: Webhook['post']): Html {
  const { schemas } = document.components
  const data = post.requestBody.content['application/json'].schema.allOf[1]?.properties?.['data']
  return html`<section class="error" id="${type}"><h3><a href="#${type}"><code>${type}</code></a></h3>
<p>${prose(post.description)}</p>
<details><summary><code>data</code></summary>${fieldList(data ?? {}, schemas, false, CLOSED_DEPTH)}</details>
${
  type in EVENT_TYPES
    ? html`<details><summary>Example</summary>${code(JSON.stringify(exampleEvent(type as EventType, document), null, 2))}</details>`
    : null
}</section>`
}

function exampleEvent(type: EventType, { info }: OpenApiDocument): object {
  return {
    id: 'evt_01m7wdgzf0e7t5j1vz3cr9m2ka',
    type,
    created: EXAMPLE_SECONDS,
    api_version: info.version,
    data: sampleData(type),
  }
}
