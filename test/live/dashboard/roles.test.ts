// Pages and forms of each role. The lists are written by hand: the dashboard is not its own
// witness.
import { test } from 'tap'
import { ACTIONS, PAGES } from '../../../api/dashboard/pages/table.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import { enterAs, startDashboard, type TestDashboard } from '../../harness/dashboard.ts'
import { addressOf } from '../../harness/dashboard-pages.ts'
import { visit } from '../../harness/visit.ts'

const WRITING = [
  ...['/cardholders/new', '/controls/new', '/controls/:id/edit', '/programs/new', '/webhooks/new'],
  ...['/keys/new', '/templates/new', '/templates/:id/edit', '/scanners/new'],
  '/settlement_accounts/new',
]
const PEOPLE = [
  ...['/people', '/people/:id', '/invitations', '/invitations/:id', '/invitations/new'],
]
const SECRET = [
  ...['/keys', '/keys/:id', '/connections', '/connections/:id', '/audit', '/going_live'],
  ...PEOPLE,
]
const SUPPORTED = [
  ...['/overview', '/transactions', '/transactions/:id', '/declines', '/cards', '/cards/:id'],
  ...['/cardholders', '/cardholders/:id', '/alerts', '/alerts/:id', '/controls', '/controls/:id'],
  ...['/disputes', '/disputes/:id', '/search', '/controls/:id/backtests/:backtest'],
]

function isRefused(role: PersonRole, path: string): boolean {
  if (role === 'support') return !SUPPORTED.includes(path)
  if (role === 'analyst') return [...WRITING, ...SECRET].includes(path)
  return role === 'developer' && [...PEOPLE, '/billing'].includes(path)
}

/** Forms of the content; the top of the page has those of every visitor. */
function formsIn(text: string): string[] {
  const main = text.slice(text.indexOf('<main'))
  const found = main.matchAll(/<form method="post" action="[^"]*?\/sandbox([^"]*)"/g)
  return [...found].map(([, path = '']) => path.replace(/\/[a-z]+_[0-9a-z]{26}/, '/:id'))
}

async function pagesOf(dashboard: TestDashboard, cookie: string) {
  const pages = new Map<string, { status: number; text: string }>()
  for (const { path } of PAGES) {
    const answer = await visit(dashboard.api, addressOf(dashboard, path), { cookie })
    pages.set(path, { status: answer.status, text: await answer.text() })
  }
  return pages
}

for (const role of ['owner', 'admin', 'developer', 'analyst', 'support'] as const)
  test('pages and forms of the role ' + role, async (t) => {
    const dashboard = await startDashboard()
    const { cookie } = await enterAs(dashboard.api, role)
    const pages = await pagesOf(dashboard, cookie)
    const forms: string[] = []
    for (const [path, { status, text }] of pages) {
      t.equal(status, isRefused(role, path) ? 403 : 200, path)
      t.equal(text.includes('Not for your role'), isRefused(role, path), path)
      if (!isRefused(role, path)) t.notMatch(text, 'insufficient_scope', path)
      forms.push(...formsIn(text))
    }
    const menu = pages.get('/overview')?.text ?? ''
    for (const { path, menu: place } of PAGES)
      if (place !== undefined)
        t.equal(
          menu.includes('href="' + dashboard.root + path + '"'),
          !isRefused(role, path),
          'the menu and ' + path,
        )
    const found = await visit(dashboard.api, dashboard.root + '/search?q=Corner', { cookie })
    t.notMatch(await found.text(), 'insufficient_scope', 'a search leaves out other parts')
    if (role === 'support') t.same(forms, ['/cards/:id/suspend', '/cardholders/:id/freeze'])
    else if (role === 'analyst') t.same(forms, [])
    else t.ok(forms.length > 25 && forms.includes('/keys/new'))
  })

test('22: each form by hand does nothing for an analyst', async (t) => {
  const dashboard = await startDashboard()
  const { api } = dashboard
  const { person, cookie } = await enterAs(api, 'analyst')
  for (const { path, operation } of ACTIONS) {
    // It changes nothing, and readers may ask.
    if (operation === 'evaluateCard') continue
    const form = {
      form_id: 'f'.repeat(24),
      amount: '1.00',
      seconds: '60',
      api_version: '2026-12-01',
      chosen: 'we_0 evt_0',
    }
    const answer = await visit(api, addressOf(dashboard, path), { cookie, form })
    // A field that cannot be sent is refused before the call.
    t.ok([403, 422].includes(answer.status), path + ' ' + answer.status)
  }
  const rows = await api.sql`select action from audit_log where actor_id = ${person.id}`
  t.same([...rows], [])
})

test('a developer in live reads, and writes webhooks only', async (t) => {
  const { api } = await startDashboard()
  const { cookie } = await enterAs(api, 'developer')
  const root = '/d/' + api.tenant.tenantId + '/live'
  const expected: { readonly [path: string]: number } = {
    ...{ '/overview': 200, '/cards': 200, '/webhooks': 200, '/webhooks/new': 200, '/account': 200 },
    ...{ '/cardholders/new': 403, '/controls/new': 403, '/programs/new': 403, '/keys/new': 403 },
    ...{ '/people': 403, '/audit': 403, '/sandbox': 404 },
  }
  for (const [path, status] of Object.entries(expected))
    t.equal((await visit(api, root + path, { cookie })).status, status, path)
  const menu = await (await visit(api, root + '/overview', { cookie })).text()
  t.notMatch(menu, root + '/sandbox"', 'live has no sandbox')
})
