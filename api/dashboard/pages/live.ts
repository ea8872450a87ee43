// The live page: what happens this second? The rows come from the stream of the API; without
// scripts the page shows the last 25.
import { type Html, html, url } from '../../../shared/html.ts'
import { authorizationOf, firstUse } from '../first-rows.ts'
import { call, page, type Visit } from '../page.ts'
import { none, panel } from '../parts/panel.ts'
import { legendOf } from '../parts/plot.ts'
import { table } from '../parts/table.ts'
import { transactionColumns } from './transactions.ts'

/** Rows of the page without scripts. */
const ROWS = 25

export const live = page({
  path: '/live',
  title: 'Live',
  menu: { group: 'Now', label: 'Live' },
  operations: ['getCardTransactionsStream', 'listCardTransactions'],
  async view(at) {
    const { latest } = await at.ask({ latest: call('listCardTransactions', { limit: ROWS }) })
    const content = html`<header class="head"><h1>Live</h1><span class="actions moves"><label class="inline-label">Show <select id="live-filter"><option value="all">all</option><option value="declined">declined only</option></select></label><button id="live-pause" type="button">Pause</button></span>
<noscript><p>This page moves with scripts only. Here are the latest ${ROWS}; load it again for newer ones.</p></noscript></header>
<div id="live" class="stack moves" data-stream="${at.to('/live/stream')}" data-transaction="${at.to('/transactions/')}">
<p class="notice live-state" id="live-state" role="status">The feed is being opened.</p>
<section class="panel"><header><h2>The last 60 seconds</h2></header><p class="soft live-line" id="live-rate">Waits for the first transaction.</p>
<figure class="charted"><div class="plot"><p class="axis-y live-most" aria-hidden="true"><span id="live-most">1/s</span><span>0</span></p>
<svg class="chart live-bars" id="live-bars" viewBox="0 0 600 80" preserveAspectRatio="none" role="img" aria-label="Transactions in each of the last 60 seconds"></svg>
<p class="axis-x ends" aria-hidden="true"><span>60 s ago</span><span>now</span></p></div>
${legendOf(['approved', 'declined'], (at) => html`<rect class="series-${at === 0 ? 1 : 4}" width="10" height="10" rx="2"/>`)}</figure>
<p class="hearing" id="live-summary" aria-live="polite"></p></section>
<section class="panel"><header><h2>As they happen</h2><small class="zone">times in UTC</small></header><p class="soft live-line" id="live-skipped">None came since this page was opened.</p>
<div class="scroll live-scroll" id="live-scroll" tabindex="0" role="region" aria-label="Transactions as they happen"><table class="fixed"><thead><tr><th scope="col">Merchant</th><th scope="col" class="num">Amount</th><th scope="col">Status</th><th scope="col">Card</th><th scope="col">Time</th></tr></thead><tbody id="live-rows" aria-live="off"></tbody></table>${emptyFeed(at)}</div></section></div>
<div id="live-latest">${panel('Before this page was opened', latest, ({ data }) =>
      data.length === 0
        ? none(
            at,
            'No card was used yet. Each authorization of a card becomes a row.',
            authorizationOf(at),
            firstUse(at),
          )
        : table({
            label: 'Latest transactions',
            rows: data,
            columns: transactionColumns(at),
            href: ({ id }) => at.to('/transactions/' + id),
          }),
    )}</div>`
    return { title: 'Live', content, scripts: ['live-lines.js', 'live.js'] }
  },
})

/** The place of the rows until the first one. Its link opens another tab: this one stays open. */
function emptyFeed(at: Visit): Html {
  const way = firstUse(at)
  const link =
    way === null || !at.may(way.operation)
      ? null
      : html`<a class="button" href="${url(at.to(way.path))}" target="_blank">${way.label} in another tab</a>`
  return html`<div class="live-empty"><p>Each authorization of a card becomes a row here as soon as it is stored, the newest on top.</p>${link}</div>`
}
