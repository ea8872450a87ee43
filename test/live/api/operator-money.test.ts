// Operators work on money with their passkey: quotes, contracts, usage, and the files of lists.
import { test } from 'tap'
import { DESK_PAGES } from '../../../api/dashboard/operator/index.ts'
import { termValues } from '../../../api/dashboard/operator/money-moves.ts'
import { BILLED, CONTRACT, readBilling } from '../../harness/billing.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { enterAs, openSignedIn } from '../../harness/dashboard.ts'
import { sendConfirmed } from '../../harness/dashboard-form.ts'
import { makeHostile } from '../../harness/hostile-text.ts'
import { axeProblems } from '../../harness/judge.ts'
import { overflows } from '../../harness/looks.ts'
import { deskAddress, perform, startDesk } from '../../harness/operator-desk.ts'
import { cookieOf, visit } from '../../harness/visit.ts'

const TERMS = { ...CONTRACT, interval: 'month', currency: 'USD' } as const

test('a quote is offered, offered anew, accepted and put into force', async (t) => {
  const desk = await startDesk(BILLED)
  const { api, things, operator } = desk
  const quote = things.get('quotes') ?? ''
  const page = async () =>
    (await visit(api, '/operator/quotes/' + quote, { cookie: operator.cookie })).text()
  t.match(await page(), 'Make an offer')
  const given = { tenant_id: api.tenant.tenantId, environment: 'sandbox', expires_at: '30' }
  const typed = { ...termValues(TERMS), ...given }
  const wrong = await perform(desk, 'offer_quote', quote, { ...typed, base_cents: '12.345' })
  t.equal(wrong.status, 422)
  t.match(await wrong.text(), /Type an amount[\s\S]*value="12\.345"/, 'the form again, as typed')
  const refused = await perform(desk, 'offer_quote', quote, { ...typed, rate_factor: '21' })
  t.equal(refused.status, 400)
  t.match(await refused.text(), /rate_factor[\s\S]*name="rate_factor"[^>]*value="21"/)
  const offered = await perform(desk, 'offer_quote', quote, { ...typed, base_cents: '2,500.50' })
  const there = '/operator/quotes/' + quote + '?done=offer_quote'
  t.equal(offered.headers.get('location'), there)
  t.match(await readBilling(api, 'quotes/' + quote), {
    ...{ status: 'offered', offer: { ...TERMS, base_cents: 250_050 } },
    offer_expires_at: Math.floor(api.clock.nowMs / 1000) + 1 + 30 * 86_400,
  })
  t.match(await page(), /Replace the offer[\s\S]*name="base_cents"[^>]*value="2500\.50"/)
  const owner = await enterAs(api, 'owner')
  const billing = '/d/' + api.tenant.tenantId + '/sandbox/billing'
  const shown = async () => (await visit(api, billing, { cookie: owner.cookie })).text()
  const accept = async (text: string) => {
    const [, offer_digest = ''] = /name="offer_digest" value="([0-9a-f]{64})"/.exec(text) ?? []
    const sent = { cookie: owner.cookie, form: { id: quote, offer_digest }, by: owner.person }
    const answer = await sendConfirmed(api, billing + '/accept', sent)
    owner.cookie = cookieOf(answer) || owner.cookie
    return answer
  }
  const first = await shown()
  t.match(first, /2,500\.50 USD a month[\s\S]*Accept the terms/)
  t.equal((await perform(desk, 'offer_quote', quote, typed)).status, 303)
  const replaced = await accept(first)
  t.equal(replaced.status, 409)
  t.match(await replaced.text(), 'The offer was replaced by another one.')
  t.match(await readBilling(api, 'quotes/' + quote), { offer: TERMS, accepted_at: null })
  const second = await shown()
  t.match(second, /49\.00 USD a month[\s\S]*Accept the terms/)
  const accepted = await accept(second)
  t.match(accepted.headers.get('location'), billing + '?done=')
  t.match(
    await (await visit(api, '/operator', { cookie: operator.cookie })).text(),
    '>Accepted plan<',
  )
  const text = await page()
  t.match(text, '/operator/do/provision_quote/' + api.tenant.tenantId)
  t.notMatch(text, 'Replace the offer')
  const form = { environment: 'sandbox', quote_id: quote }
  t.equal((await perform(desk, 'provision_quote', api.tenant.tenantId, form)).status, 303)
  t.match(await readBilling(api, 'subscription'), {
    ...{ status: 'active', plan: { key: 'enterprise', version: quote }, currency: 'USD' },
  })
  t.match(await readBilling(api, 'quotes/' + quote), { status: 'provisioned' })
  t.match(await shown(), /authorizations<\/span><span class="num">0 of 10,000 included/)
  const again = await perform(desk, 'provision_quote', api.tenant.tenantId, form)
  t.equal(again.status, 409)
})

test('a contract is put into force, and usage is corrected', async (t) => {
  const desk = await startDesk(BILLED)
  const { api } = desk
  const { tenantId } = api.tenant
  const terms = Object.entries(termValues(TERMS)).map(([name, value]) => ['terms.' + name, value])
  const form = { environment: 'sandbox', contract: 'C-7', ...Object.fromEntries(terms) }
  const done = await perform(desk, 'provision_contract', tenantId, form)
  t.equal(
    done.headers.get('location'),
    '/operator/tenants/' + tenantId + '?done=provision_contract',
  )
  t.match(await readBilling(api, 'subscription'), { plan: { key: 'enterprise', version: 'C-7' } })
  const usage = { environment: 'sandbox', month: '0', meter: 'authorizations', reason: 'Twice' }
  const lowered = await perform(desk, 'adjust_usage', tenantId, { ...usage, quantity: '-1' })
  t.equal(lowered.status, 400, 'nothing was counted that could be taken away')
  const added = await perform(desk, 'adjust_usage', tenantId, { ...usage, quantity: '20' })
  t.equal(added.status, 303)
  const credit = { environment: 'sandbox', amount_cents: '12.50', reason: 'Sorry' }
  t.equal((await perform(desk, 'give_credit', tenantId, credit)).status, 303)
  t.match(await readBilling(api, 'subscription'), { credit_cents: 1250 })
})

test('the form of an offer in a browser, in both themes and at the ends of the width', async (t) => {
  const desk = await startDesk(BILLED)
  const { api, things } = desk
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, desk, { width: 1280 })
  await page.goto(api.url + '/operator/quotes/' + things.get('quotes'))
  for (const [width, dark] of [
    [1280, false],
    [390, true],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
    t.equal(await overflows(page), false)
    t.same(await axeProblems(page), [])
  }
  const prices = page.getByLabel('Price of 1,000 more')
  t.equal(await prices.count(), 5)
  for (const price of await prices.all()) await price.fill('9')
  await page.getByLabel('Price of an interval').fill('2500')
  await page.getByLabel('Rate limits ×').fill('4')
  await page.getByLabel('Endpoints').fill('12')
  await page.getByRole('button', { name: 'Offer these terms' }).press('Enter')
  await page.getByRole('heading', { name: 'Confirm with a passkey' }).waitFor()
  await picture(page, 'operator-offer-confirm-390-dark')
  const facts = await page.locator('dl.facts').innerText()
  t.match(facts, '2,500.00')
  t.match(facts, 'Cards issued: price of 1,000 more')
  t.equal(await overflows(page), false)
  t.same(await axeProblems(page), [])
  t.same(errors, [])
})

test('each list of operators is a file too, with the rows of its filters', async (t) => {
  const desk = await startDesk()
  const { api, cookie } = desk
  await makeHostile(api.sql, api.tenant.tenantId)
  const lists = DESK_PAGES.filter(({ rows }) => rows !== undefined)
  t.ok(lists.length > 9)
  for (const { path, title } of lists) {
    const answer = await visit(api, deskAddress(desk, path) + '?format=csv', { cookie })
    t.equal(answer.status, 200, title)
    t.match(answer.headers.get('content-type'), 'text/csv')
    t.match(answer.headers.get('content-disposition'), 'attachment; filename="')
    const text = await answer.text()
    t.notMatch(text, /(?:^|,)"?=/m, 'no cell is a formula')
    t.notMatch(text, /●|✕|▲|○|<dialog/)
    t.notMatch(text.split('\r\n', 1)[0], /\bDo\b/)
  }
  const read = async (query: string) =>
    (await visit(api, '/operator/tenants?format=csv' + query, { cookie })).text()
  t.match(await read('&kyb_status=submitted'), '"\'=1+1')
  t.equal((await read('&kyb_status=rejected')).trim().split('\r\n').length, 1, 'the head alone')
  t.equal((await visit(api, '/operator/tenants?format=csv')).status, 404, 'for nobody else')
})

test('a file of operators has every row, page after page', async (t) => {
  const { api, cookie } = await startDesk()
  await api.sql`
    insert into oauth_clients (
      id, environment, name, kind, application_type, redirect_uris, scopes, created_at
    )
    select 'oac_' || lpad(n::text, 26, '0'), 'sandbox', 'Many ' || n, 'public', 'web',
      '{https://platform.example/}', '{read}', n
    from generate_series(1, 230) n on conflict do nothing`
  const text = await (await visit(api, '/operator/clients?format=csv', { cookie })).text()
  t.equal(text.slice(0, 5), 'Name,')
  const many = text.split('\r\n').filter((line) => line.startsWith('Many '))
  t.equal(new Set(many).size, 230)
})

test('a failed payment is queued again by its id', async (t) => {
  const desk = await startDesk(BILLED)
  const { api, things, cookie } = desk
  const { tenantId, keys } = api.tenant
  const id = things.get('payments') ?? ''
  await api.sql`
    insert into payment_captures (id, payment_id, tenant_id, environment, approval_id, bit,
      amount_cents, final, status, failure, created_at)
    values (${'cap_' + id}, ${id}, ${tenantId}, 'sandbox', ${id}, 0, 2500, true, 'failed',
      '{"stage": "transaction", "code": "reverted", "detail": null}', ${api.clock.nowMs})`
  await api.sql`
    update payments set status = 'failed', capture_failed_cents = 2500,
      approval_valid_until = ${api.clock.nowMs * 2} where id = ${id}`
  const shown = await (await visit(api, '/operator/settlements', { cookie })).text()
  t.match(shown, /do\/retry_payment\/-[\s\S]*do\/abandon_payment\/-/)
  const retried = await perform(desk, 'retry_payment', '-', { id })
  t.equal(retried.headers.get('location'), '/operator/settlements?done=retry_payment')
  const { body } = await api.call('GET', '/v1/payments/' + id, { key: keys.read })
  t.match(body, { status: 'capture_pending', capture_pending_cents: 2500 })
  const again = await perform(desk, 'retry_payment', '-', { id })
  t.equal(again.status, 409)
  t.match(await again.text(), 'name="id" type="text" value="' + id + '"')
  t.equal((await perform(desk, 'abandon_payment', '-', { id: 'pay_unknown' })).status, 404)
  t.equal((await perform(desk, 'void_invoice', '-', { id: 'inv_unknown' })).status, 404)
})
