// Empty panels inside a page: each says in a sentence which rows it would have, and shows the
// command of the call that makes the first one, with the ids of its page. The API takes it.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { refusalOf, sendCommand } from '../../harness/curl.ts'
import { enterAs, openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { axeProblems } from '../../harness/judge.ts'
import { overflows } from '../../harness/looks.ts'
import { seedCardholder } from '../../harness/tenant.ts'

/** Panels whose call is about another resource than that of the page, or about none. */
const NAMELESS = new Set(['What its drafts said meanwhile', 'Scans', 'Usage of this month', 'Plan'])

interface EmptyPanel {
  title: string
  sentence: string
  command: string | null
}

/** The empty panels of a page, each with its sentence and its command. */
async function emptyPanels(page: Page): Promise<EmptyPanel[]> {
  return page.evaluate<EmptyPanel[]>(`[...document.querySelectorAll('.none')].map((none) => ({
    title: none.closest('.panel').querySelector('h2').textContent,
    sentence: none.querySelector('p').textContent,
    command: none.querySelector('.how code')?.textContent ?? null,
  }))`)
}

test('an empty panel of a resource shows the call that fills it', async (t) => {
  const dashboard = await startDashboard()
  const { api, things, root } = dashboard
  const { sql, tenant } = api
  api.names.find = async () => ({ ok: true, addresses: ['93.184.216.34'] }) as never
  const key = tenant.keys.admin
  const make = async (path: string, body: object): Promise<string> => {
    const made = await api.call('POST', '/v1/' + path, { key, body })
    t.ok(made.status < 300, path + ' ' + made.text)
    return made.body.id
  }
  const cardholder = await seedCardholder(sql, tenant)
  const card = await make('cards', { cardholder_id: tenant.cardholderId, type: 'virtual' })
  const control = await make('spending_controls', {
    scope: 'card',
    subject_id: card,
    state: 'draft',
  })
  const endpoint = await make('webhook_endpoints', { url: 'https://new.example/svc' })
  const pass = await make('passes', {
    ...{ template_id: things.get('pass_templates'), card_id: card },
  })
  await sql`delete from dispute_evidence`
  // An installation judges one backtest at a time.
  await sql`delete from spending_control_backtests`
  const { body: events } = await api.call('GET', '/v1/events?limit=1', { key })
  const wanted: [path: string, panels: string[]][] = [
    ['/cards/' + card, ['Latest transactions', 'Limits that bind it', 'In wallets']],
    ['/cardholders/' + cardholder, ['Cards', 'Sanctions alerts']],
    [
      '/controls/' + control,
      ['What its drafts said meanwhile', 'What this draft would have changed'],
    ],
    ['/disputes/' + things.get('disputes'), ['Evidence']],
    ['/passes/' + pass, ['Scans']],
    ['/templates/' + things.get('pass_templates'), ['Into wallets and out of them']],
    ['/events/' + events.data[0].id, ['Deliveries']],
    [
      '/webhooks/' + endpoint,
      ['Last 24 hours', 'Latest deliveries', 'Sent again', 'Certification'],
    ],
    ['/billing', ['Usage of this month', 'Plan']],
  ]
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280, scripts: false })
  for (const [path, panels] of wanted) {
    await page.goto(api.url + root + path)
    const found = await emptyPanels(page)
    const commands = new Map(found.map(({ title, command }) => [title, command]))
    for (const title of panels) {
      const command = commands.get(title) ?? ''
      t.match(command, /^curl /, path + ' ' + title)
      if (command === '') continue
      const [, id = ''] = /\/(\w+_\w+)$/.exec(path) ?? []
      if (!NAMELESS.has(title)) t.match(command, id, title + ' names the resource of its page')
      t.equal(refusalOf(command, await sendCommand(api, command, key)), null, title)
    }
  }
  await page.goto(api.url + root + '/cards/' + card)
  const left = (await emptyPanels(page)).map(({ title }) => title)
  t.notOk(left.includes('Limits that bind it'), 'the command filled the panel')
  t.notOk(left.includes('In wallets'))
  t.same(errors, [])
})

test('pages of a tenant with nothing say what would be there', async (t) => {
  const { api } = await startDashboard()
  const tenantId = newId('ten', api.clock.nowMs)
  await api.sql`
    insert into tenants (id, name, api_version, created_at)
    values (${tenantId}, 'Bare', '2026-12-01', ${api.clock.nowMs})`
  const { cookie } = await enterAs(api, 'owner', tenantId)
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, { api, cookie }, { width: 1280 })
  const wanted: [path: string, panels: string[]][] = [
    ['/overview', ['Answers of your endpoint, 24 h', 'Disputes due']],
    ['/live', ['Before this page was opened']],
    ['/settlements', ['Not settled yet']],
    ['/billing', ['Usage of this month', 'Invoices', 'Quotes', 'Plan']],
    ['/sandbox', ['Send an authorization', 'Play a story']],
    ['/stand_in', ['Decided for you, not acknowledged']],
  ]
  for (const [path, panels] of wanted) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(api.url + '/d/' + tenantId + '/sandbox' + path)
    const found = await emptyPanels(page)
    for (const { sentence } of found) t.match(sentence, /^[A-Z].* .*[.]$/, path)
    for (const title of panels)
      t.ok(
        found.some((one) => one.title === title),
        path + ' ' + title,
      )
    for (const { command } of found.filter((one) => one.command !== null)) {
      const text = command ?? ''
      const answer = await sendCommand(api, text, api.tenant.keys.admin)
      t.equal(refusalOf(text, answer), null, text)
    }
    await page.evaluate(`for (const how of document.querySelectorAll('.how')) how.open = true`)
    await picture(page, 'bare' + path.replaceAll('/', '-') + '-1280')
    t.same(await axeProblems(page), [], path)
    await page.setViewportSize({ width: 390, height: 900 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(page, 'bare' + path.replaceAll('/', '-') + '-390-dark')
    t.equal(await overflows(page), false, path + ' fits')
  }
  t.same(errors, [])
})
