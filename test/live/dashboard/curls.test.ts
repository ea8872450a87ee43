// The calls behind each page, as commands: each works from a terminal with a key, and has none.
import { test } from 'tap'
import { PAGES } from '../../../api/dashboard/pages/table.ts'
import { openBrowser } from '../../harness/browser.ts'
import { sendCommand } from '../../harness/curl.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { addressOf } from '../../harness/dashboard-pages.ts'
import { OWN_WORDS } from '../../harness/furnished.ts'
import { visit } from '../../harness/visit.ts'

/** Pages of a form alone: they read nothing. */
const READS_NOTHING = /\/(?:new|search)$/

test('the commands of each page get the answers of its panels', async (t) => {
  const dashboard = await startDashboard()
  const { api } = dashboard
  const browser = await openBrowser(t)
  const look = { width: 1280, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  const sent = new Map<string, number>()
  for (const { path } of PAGES) {
    await page.goto(api.url + addressOf(dashboard, path))
    const [markup, ...commands] = await page.evaluate<string[]>(`[
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('details.api pre')].map((each) => each.textContent),
    ]`)
    t.ok(commands.length > 0 || READS_NOTHING.test(path), path + ' shows its calls')
    for (const command of commands) {
      t.match(command, '-H "Authorization: Bearer $SVC_KEY"')
      if (sent.has(command)) continue
      const { status } = await sendCommand(api, command, api.tenant.keys.admin)
      sent.set(command, status)
      // Nobody has applied for live yet.
      t.equal(status, command.includes('/account/kyb') ? 404 : 200, command)
    }
    t.notMatch(markup, /svc_sk_\w{20}/, path + ' has no key')
  }
  t.ok(sent.size > 60, sent.size + ' commands')
  t.same(errors, [])
})

test('search finds by id, last four, email, external id and merchant', async (t) => {
  const { api, root, cookie, things } = await startDashboard()
  const { tenant } = api
  const { body: card } = await api.call('GET', '/v1/cards/' + tenant.cardId, {
    key: tenant.keys.read,
  })
  const transaction = things.get('card_transactions') ?? ''
  const { body: of } = await api.call('GET', '/v1/card_transactions/' + transaction, {
    key: tenant.keys.read,
  })
  const email = 'ada.search@tenant.example'
  await api.sql`
    update cardholders set details = coalesce(details, '{}') || jsonb_build_object('email', ${email}::text)
    where id = ${tenant.cardholderId}`
  const found = async (text: string) => {
    const answer = await visit(api, root + '/search?q=' + encodeURIComponent(text), { cookie })
    return answer.status === 303 ? (answer.headers.get('location') ?? '') : await answer.text()
  }
  t.equal(await found(tenant.cardId), root + '/cards/' + tenant.cardId)
  t.match(await found(card.last4), root + '/cards/' + tenant.cardId)
  t.match(await found(email), root + '/cardholders/' + tenant.cardholderId)
  t.match(await found(OWN_WORDS.external_id), root + '/passes/' + things.get('passes'))
  t.match(await found(of.merchant.name), root + '/transactions/' + transaction)
  t.match(await found('nowhere-to-be-found'), 'Nothing in the sandbox has this text.')
  t.match(await found('<b>bold</b>'), '&lt;b&gt;bold')
})
