// The live page: what happens this second? The rows come from the stream of the API; without
// scripts the page shows the last 25.
import { html } from '../../../shared/html.ts'
import { call, page } from '../page.ts'
import { panel } from '../parts/panel.ts'
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
    const content = html`<header class="head"><h1>Live</h1><span class="actions"><label class="inline-label" id="live-filter-label" hidden>Show <select id="live-filter"><option value="all">all</option><option value="declined">declined only</option></select></label><button id="live-pause" type="button" hidden>Pause</button></span>
<noscript><p>This page moves with scripts only. Here are the latest ${ROWS}; load it again for newer ones.</p></noscript></header>
<div id="live" data-stream="${at.to('/live/stream')}" data-transaction="${at.to('/transactions/')}">
<p class="notice" id="live-state" role="status" hidden></p>
<section class="panel" id="live-now" hidden><header><h2>The last 60 seconds</h2><p class="soft" id="live-rate">waits for the first transaction</p></header>
<svg class="chart live-bars" id="live-bars" viewBox="0 0 600 80" preserveAspectRatio="none" role="img" aria-label="Transactions in each of the last 60 seconds"></svg>
<p class="soft" id="live-summary" aria-live="polite"></p></section>
<section class="panel" id="live-feed" hidden><header><h2>As they happen</h2><p class="soft" id="live-skipped"></p></header>
<div class="scroll" tabindex="0" role="region" aria-label="Transactions as they happen"><table><thead><tr><th scope="col">Merchant</th><th scope="col" class="num">Amount</th><th scope="col">Status</th><th scope="col">Card</th><th scope="col">Time</th></tr></thead><tbody id="live-rows" aria-live="off"></tbody></table></div></section></div>
<div id="live-latest">${panel('Before this page was opened', latest, ({ data }) =>
      data.length === 0
        ? html`<p class="soft">No card was used yet.</p>`
        : table({
            label: 'Latest transactions',
            rows: data,
            columns: transactionColumns(at),
            href: ({ id }) => at.to('/transactions/' + id),
          }),
    )}</div>`
    return { title: 'Live', content, scripts: ['live.js'] }
  },
})
