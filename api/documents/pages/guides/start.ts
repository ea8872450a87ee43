// Guides to begin with: the overview, the grants of an operator, the sandbox.
import { type Html, html, url } from '../../../../shared/html.ts'
import type { OpenApiDocument } from '../../document.ts'
import { WEBHOOKS_TAG } from '../../tags.ts'
import { CLIENT_PACKAGE_PATH, code, type Page, pathOfTag, table } from '../layout.ts'
import { describedOperations, methodMark } from '../resource-page.ts'

export function overviewPage(document: OpenApiDocument): Page {
  const body = html`<h1>svc API</h1>
<p class="lead">Issue cards and wallet passes, set what cards may be used for, decide authorizations in real time, and hear about everything that happens.</p>
${code(`curl "$SVC_URL/v1/cards?limit=10" \\
  -H "Authorization: Bearer $SVC_KEY"`)}
<h2 id="first">The first card</h2>
<ol>
<li><a href="/docs/programs#createProgram"><code>POST /v1/programs</code></a>: a program; in the sandbox it is active at once, in live an <a href="/docs/grants">operator activates it</a>.</li>
<li><a href="/docs/cardholders#createCardholder"><code>POST /v1/cardholders</code></a> with first and last name, date of birth and address: their identity is verified at once. Wait for <code>cardholder.kyc.completed</code>.</li>
<li><a href="/docs/cards#createCard"><code>POST /v1/cards</code></a>: a virtual card works at once, a physical one after its activation.</li>
<li><a href="/docs/simulate#createSimulateCardNetworkMessage"><code>POST /v1/simulate/card_network/messages</code></a>: an authorization in the sandbox.</li>
<li><a href="/docs/card-transactions#getCardTransaction"><code>GET /v1/card_transactions/{id}</code></a>: the decision, with its <a href="/docs/decline-reasons">reason</a> and its trace.</li>
</ol>
<h2 id="client">The client package</h2>
<p>Typed calls with safe retries, lists page by page, and the verifier of webhooks, for Node.js 20 and later. No dependencies.</p>
${code(`npm install "$SVC_URL${CLIENT_PACKAGE_PATH}"`)}
${code(`import { createClient } from '@svc/client'

const svc = createClient({ baseUrl, key })
const card = await svc.getCard({ id: 'card_…' })
for await (const { id } of svc.listCardTransactions.each({ card_id: card.id })) ids.push(id)`)}
<p>Receivers of webhooks in Node, Python and Go stand in its folder <code>receivers</code>. Other languages: generate a client from <a href="/openapi.json">openapi.json</a>.</p>
<h2 id="conventions">Conventions</h2>
<ul>
<li>JSON in UTF-8. Unknown fields and parameters are refused, never ignored.</li>
<li>Amounts are whole numbers of the currency’s smallest unit. Integer times are Unix seconds, text times RFC 3339.</li>
<li>New optional fields, error codes and values of enumerations may appear: ignore what you do not know.</li>
<li>A card’s number never passes through your servers: make a <a href="/docs/cards#createCardRevealToken">reveal token</a> and let your page send it to <code>POST /v1/card_reveals</code>.</li>
</ul>
${operationIndex(document, '/docs')}`
  return { path: '/docs', title: 'Overview', body }
}

/** Every operation by its resource. */
export function operationIndex(document: OpenApiDocument, root: string): Html {
  const tags = document.tags.filter(({ name }) => name !== WEBHOOKS_TAG)
  return html`<h2 id="operations">Operations</h2>
${tags.map(({ name }) => operationsOf(document, name, root))}`
}

function operationsOf(document: OpenApiDocument, tag: string, root: string): Html {
  const path = pathOfTag(tag, root)
  return html`<h3><a href="${url(path)}">${tag}</a></h3><ul class="contents">${describedOperations(
    document,
  )
    .filter(({ operation }) => operation.tags.includes(tag))
    .map(
      ({ method, path: of, operation }) =>
        html`<li><a href="${url(path + '#' + operation.operationId)}">${methodMark(method)} <code>${of}</code></a><span>${operation.summary}</span></li>`,
    )}</ul>`
}

export function grantsPage(): Page {
  const row = (what: string, how: string, sign: string) =>
    html`<tr><th scope="row">${what}</th><td>${how}</td><td>${sign}</td></tr>`
  const body = html`<h1>What an operator grants</h1>
<p class="lead">Some steps are not yours: ask your contact for them. Each shows in the API when it is done.</p>
${table(
  ['Step', 'What it opens', 'How you see it'],
  [
    row(
      'The account and its people',
      'Owners and admins approve calls that need a second factor.',
      'GET /v1/people',
    ),
    row(
      'The first API key',
      'Everything else; further keys you make yourself.',
      'The key is shown once, to the operator.',
    ),
    row(
      'Verification of your business (KYB)',
      'Live keys and active live programs. Before it: kyb_not_approved.',
      'kyb_status of GET /v1/account is approved',
    ),
    row(
      'Activation of a live program',
      'Cards are issued and authorizations approved. Before it: program_not_active.',
      'program.activated; status is active',
    ),
    row(
      'The real-time entitlement',
      'Programs may set realtime: true. Before it: feature_not_enabled.',
      'entitlements.realtime of GET /v1/account is true',
    ),
    row(
      'Higher rate limits for a while',
      'Load tests in the sandbox.',
      'rate_limits.override of GET /v1/account',
    ),
    row(
      'Review of a sanctions alert',
      'A cardholder frozen by sanctions is active again, or stays frozen.',
      'status of GET /v1/sanctions_alerts',
    ),
    row(
      'Lifting a suspension of an account or a program',
      'Only an operator resumes it.',
      'program.resumed; suspended_by is null',
    ),
    row(
      'Shipment of a physical card, outcome of a dispute',
      'They come from the carrier and the network.',
      'card.shipped, dispute.updated',
    ),
  ],
)}
<p>In the sandbox, programs are active at once, and <code>/v1/simulate/…</code> plays the carrier, the identity provider, the network and the regulator.</p>`
  return { path: '/docs/grants', title: 'What an operator grants', body }
}

export function sandboxPage(): Page {
  const name = (last: string, result: string) =>
    html`<tr><th scope="row"><code>${last}</code></th><td>${result}</td></tr>`
  const body = html`<h1>The sandbox</h1>
<p class="lead">The sandbox runs the same code as live. Your clock, the card network and everybody outside are yours to play; in live these paths are 404.</p>
<h2 id="messages">Simulate the card network</h2>
${code(`curl -X POST "$SVC_URL/v1/simulate/card_network/messages" \\
  -H "Authorization: Bearer $SVC_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"card_id": "card_…", "amount_cents": 1250}'`)}
<p>What you leave out is that of an ordinary purchase. Continue a transaction with <code>kind</code> <code>incremental</code>, <code>reversal</code>, <code>capture</code> or <code>refund</code> and <code>original_network_transaction_id</code>. The answer is the network’s; the transaction and its events follow. <code>POST /v1/simulate/card_network/scenarios</code> plays a whole story.</p>
<h2 id="clock">The clock</h2>
<p><code>POST /v1/sandbox/clock</code> moves your time forward by <code>advance_seconds</code> or <code>to</code> a moment; it never goes back. Holds expire, limits reset, deadlines of disputes and keys in pending revocation run out by it. <code>GET /v1/sandbox/clock</code> reads it.</p>
<h2 id="others">Simulate others</h2>
<p><a href="/docs/simulate">Every simulate call</a>: shipments, verifications, outcomes of disputes, suspensions of programs.</p>
<h2 id="identity">Names that decide a verification</h2>
${table(
  ['Last name', 'Result'],
  [
    name('Reject', 'is rejected'),
    name('Review', 'requires action'),
    name('Late', 'is approved after 15 seconds'),
    name('Twice', 'is told twice'),
    name('Backwards', 'is told in the wrong order'),
    name('Lost', 'is found only because the service asks again'),
    name('Never', 'has no result'),
  ],
)}
<p>Every other name is approved.</p>
<h2 id="wipe">Empty it</h2>
<p><code>POST /v1/sandbox/wipe</code> deletes everything in the sandbox, endpoints too, after a <a href="/docs/authentication#factors">second factor</a>. Keys, people and the audit log stay.</p>`
  return { path: '/docs/testing', title: 'The sandbox', body }
}
