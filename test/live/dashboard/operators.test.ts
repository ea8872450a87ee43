// The pages of operators: who waits, the work itself with a passkey, and nothing for anyone else.
import { test } from 'tap'
import { DESK_PAGES } from '../../../api/dashboard/operator/index.ts'
import { MOVES } from '../../../api/dashboard/operator/moves.ts'
import { verifyLog } from '../../../api/platform/audit/index.ts'
import { ROUTES } from '../../../api/routes.ts'
import { INSTALLATION_LOG } from '../../../api/write/audit.ts'
import { apiKeyHash } from '../../../shared/api-key.ts'
import { isoInstant, unixSeconds } from '../../../shared/clock.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn } from '../../harness/dashboard.ts'
import { HOSTILE_ID, makeHostile } from '../../harness/hostile-text.ts'
import { axeProblems } from '../../harness/judge.ts'
import {
  cutTables,
  dialogPictures,
  dialogProblems,
  focusProblems,
  lowTargets,
  overflows,
} from '../../harness/looks.ts'
import { ceremonyOn } from '../../harness/member-passkeys.ts'
import { registerClient } from '../../harness/oauth.ts'
import { deskAddress, perform, signMove, startDesk } from '../../harness/operator-desk.ts'
import { openOperator } from '../../harness/operator-person.ts'
import { seedPerson } from '../../harness/person.ts'
import { cookieOf, enter, isSignedIn, visit } from '../../harness/visit.ts'

const FORM = { form_id: 'f'.repeat(24) }

test('each move is a call of the operators’ API', (t) => {
  const calls = ROUTES.filter(({ caller }) => caller === 'operator').map(
    ({ method, paths }) => method + ' ' + paths[0]?.replaceAll(/:(\w+)/g, '{$1}'),
  )
  for (const [name, { method, path }] of Object.entries(MOVES)) {
    const named = path.startsWith('/chains/') ? path.replace('{id}', '{environment}') : path
    t.ok(calls.includes(method + ' /operator/v1' + named), name)
  }
  t.end()
})

test('each page of operators, for eyes and readers of screens', async (t) => {
  const desk = await startDesk()
  const { api } = desk
  const wide = {
    name: 'Operations and reconciliation',
    cidrs: ['10.20.30.0/24', '2001:db8:aaaa:bbbb::/64'],
    expires_at: unixSeconds(api.clock.nowMs) + 86_400,
  }
  const made = await api.operate('POST', '/operators', wide)
  t.equal(made.status, 201, made.text)
  const { person } = await openOperator(api, made.body.id)
  const email = 'operations-and-reconciliation@payments.northwind.example'
  await api.sql`update identities set email = ${email} where id = ${person.identityId}`
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, desk, { width: 1280 })
  for (const { path } of DESK_PAGES) {
    const name = path.slice(1).replaceAll(/[/:]+/g, '-')
    const answer = await page.goto(api.url + deskAddress(desk, path))
    t.equal(answer?.status(), 200, name)
    const found = await page.evaluate<{ headings: number; curl: string; texts: string[] }>(`({
      headings: document.querySelectorAll('h1').length,
      curl: document.querySelector('details.api').textContent,
      texts: [...document.querySelectorAll('.problem')].map((each) => each.textContent),
    })`)
    t.equal(found.headings, 1, name)
    t.match(found.curl, '/operator/v1/', name + ' has its curl')
    const problems = found.texts.filter((text) => !text.includes('took too long'))
    t.same(problems, [], name)
    for (const [width, dark] of [
      [1280, false],
      [768, true],
      [390, true],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
      await picture(page, name + '-' + width + (dark ? '-dark' : ''))
      t.equal(await overflows(page), false, name + ' fits ' + width)
      t.same(await lowTargets(page, width < 600 ? 44 : 32), [], name + ' ' + width)
      if (width !== 768) t.same(await axeProblems(page), [], name + ' ' + width)
      if (width === 1280) t.same(await cutTables(page), [], name)
    }
    t.same(await dialogProblems(page), [], name)
    await dialogPictures(page, name)
    t.same(await focusProblems(page), [], name)
  }
  t.same(errors, [])
})

test('26: pages of operators show hostile texts of tenants as text', async (t) => {
  const desk = await startDesk()
  const { api } = desk
  await makeHostile(api.sql, api.tenant.tenantId)
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, desk, { width: 390, scripts: false })
  for (const { path } of DESK_PAGES) {
    await page.goto(api.url + deskAddress(desk, path))
    const alive = `document.querySelectorAll('#${HOSTILE_ID}').length`
    t.equal(await page.evaluate(alive), 0, path)
    t.equal(await overflows(page), false, path + ' fits')
  }
  t.same(errors, [])
})

test('the queue shows the oldest first, and an empty desk says so', async (t) => {
  const { api, cookie } = await startDesk()
  const read = async (path = '/operator') => (await visit(api, path, { cookie })).text()
  const text = await read()
  for (const kind of ['Application for live', 'Program', 'Sanctions alert', 'Quote'])
    t.match(text, '>' + kind + '<')
  await api.sql`update tenants set kyb_status = 'approved'`
  await api.sql`update kyb_applications set decision = 'approved', decided_at = 1`
  await api.sql`update programs set status = 'active'`
  await api.sql`delete from sanctions_alerts`
  await api.sql`update billing_quotes set status = 'withdrawn'`
  await api.sql`delete from billing_exceptions`
  t.match(await read(), 'Nobody waits for you.')
  await api.sql`delete from oauth_grants`
  await api.sql`delete from oauth_clients`
  const none = await read('/operator/clients')
  t.notMatch(none, / download>CSV|class="filters"/, 'nothing to filter or to save')
  t.match(none, 'No platform acts for tenants.')
  t.match(none, /curl -X POST [^ ]*\/operator\/v1\/oauth_clients[\s\S]*SVC_OPERATOR_KEY/)
  t.match(await read('/operator/clients?status=active'), 'Nothing matches these filters.')
})

test('lists of operators name tenants, and their files have ids', async (t) => {
  const { api, cookie } = await startDesk()
  const { tenantId } = api.tenant
  const own = '/operator/programs?tenant_id=' + tenantId
  const read = async (path: string) => (await visit(api, path, { cookie })).text()
  const link = 'href="/operator/tenants/' + tenantId + '"><span class="id" title="' + tenantId
  t.match(await read(own), link + '">Test</span>')
  const file = await read(own + '&format=csv')
  t.match(file, ',' + tenantId + ',')
  t.notMatch(file, ',Test,')
})

test('the queue hides nobody behind older rows, or behind a list that does not answer', async (t) => {
  const { api, cookie, things } = await startDesk()
  const read = async (path = '/operator') => (await visit(api, path, { cookie })).text()
  await api.sql`
    insert into billing_quotes (
      id, tenant_id, environment, status, volumes, contact, created_at, decline_reason
    )
    select 'quo_0' || lpad(n::text, 4, '0'), tenant_id, environment, 'declined', volumes,
      '{"name": "Old", "email": "old@example.com"}', 0, 'No'
    from billing_quotes, generate_series(1, 30) n where id = ${things.get('quotes') ?? ''}`
  t.match(await read(), '>Quote<')
  const first = await read('/operator/quotes')
  t.match(first, 'starting_after=')
  const link = '/operator/quotes/' + things.get('quotes') + '"'
  t.match(await read('/operator/quotes?status=requested'), link)
  t.notMatch(await read('/operator/quotes?status=declined'), link)
  const waiting = await api.operate('GET', '/kyb_applications')
  // Other tests of the process have applications as well.
  const applied: { tenant_id: string; status: string }[] = waiting.body.data
  t.match(
    applied.filter(({ tenant_id }) => tenant_id === api.tenant.tenantId),
    [{ status: 'submitted' }],
  )
  await api.sql`delete from billing_quotes`
  await api.sql`update programs set status = 'active'`
  await api.sql`delete from sanctions_alerts`
  await api.sql`delete from billing_exceptions`
  await api.sql`alter table kyb_applications rename to kyb_applications_away`
  try {
    const text = await read()
    t.match(text, 'others gave no answer')
    t.notMatch(text, 'Nobody waits for you.')
  } finally {
    await api.sql`alter table kyb_applications_away rename to kyb_applications`
  }
})

test('the page of withdrawals shows each tenant’s, and a passkey cancels one', async (t) => {
  const desk = await startDesk()
  const { api, cookie, things } = desk
  const id = things.get('payment_withdrawals') ?? ''
  // Other tests of the process have withdrawals as well, more than a page.
  const own = '/operator/withdrawals?tenant_id=' + api.tenant.tenantId
  t.match(await (await visit(api, own, { cookie })).text(), '/operator/do/cancel_withdrawal/' + id)
  const page = await visit(api, '/operator/do/cancel_withdrawal/' + id, { cookie, form: FORM })
  t.match(await page.text(), '/operator/v1/payment_withdrawals/' + id + '/cancel')
  const statuses = () => api.sql`select status from payment_withdrawals where id = ${id}`
  t.match(await statuses(), [{ status: 'needs_confirmation' }], 'the first form asks')
  t.equal((await perform(desk, 'cancel_withdrawal', id, {})).status, 303)
  t.match(await statuses(), [{ status: 'canceled' }])
})

test('the page of rates shows what is in force, and a passkey publishes a table', async (t) => {
  const desk = await startDesk()
  const { api, cookie, operator } = desk
  const read = async (path = '/operator/rates') => (await visit(api, path, { cookie })).text()
  t.match(await read(), /EUR\/USD[\s\S]*1\.0850[\s\S]*ECB/)
  const fields = {
    ...{ source: 'Bank of X', rate_at: isoInstant(api.clock.nowMs - 1000) },
    rates: 'EUR/USD 1.09\r\n\r\nUSD/JPY;155.25\r\n',
  }
  const form = { ...FORM, ...fields, confirm_large_changes: 'false' }
  const asked = await visit(api, '/operator/do/publish_rates/-', { cookie, form })
  t.match(await asked.text(), /EUR\/USD 1\.09, USD\/JPY 155\.25/)
  const done = await perform(desk, 'publish_rates', '-', fields)
  t.equal(done.status, 303, await done.text())
  const text = await (await visit(api, '/operator/rates', { cookie: operator.cookie })).text()
  t.match(text, /USD\/JPY[\s\S]*155\.25[\s\S]*Bank of X[\s\S]*\+0\.46 %/)
  for (const rates of ['EUR/USD', 'EUR/USD 1.09 x', 'EUR USD 1.09']) {
    const wrong = await visit(api, '/operator/do/publish_rates/-', {
      ...{ cookie: operator.cookie, form: { ...form, rates } },
    })
    t.equal(wrong.status, 422, rates)
    t.match(await wrong.text(), 'Type on each line: pair, rate.')
  }
  const later = { ...fields, rate_at: isoInstant(api.clock.nowMs) }
  const far = await perform(desk, 'publish_rates', '-', { ...later, rates: 'EUR/USD 2' })
  t.equal(far.status, 400)
  t.match(await far.text(), 'EUR/USD from 1.09 to 2')
  await api.sql`update fx_rates set rate_at = rate_at - 432000001`
  const old = await (await visit(api, '/operator/rates', { cookie: operator.cookie })).text()
  t.match(old, 'older than five days')
})

test('the page of settlements shows failed batches, and cancels by an id', async (t) => {
  const desk = await startDesk()
  const { api, cookie, things } = desk
  await api.sql`update settlement_batches set review = null where review is not null`
  const text = await (await visit(api, '/operator/settlements', { cookie })).text()
  t.match(text, 'No failed batch waits for a review.')
  t.notMatch(text, 'Nothing was settled yet.')
  t.match(text, 'Id of the batch')
  const [batch] = await api.sql`
    update settlement_batches set status = 'submitted'
    where id = ${things.get('settlement_batches') ?? ''} returning id`
  const form = { ...FORM, id: batch?.['id'] }
  const page = await visit(api, '/operator/do/cancel_batch/-', { cookie, form })
  t.match(await page.text(), '/operator/v1/settlement_batches/' + batch?.['id'] + '/cancel')
  const canceled = await perform(desk, 'cancel_batch', '-', { id: batch?.['id'] })
  t.equal(canceled.status, 303)
})

test('days of an override are whole days of the tenant’s clock, from the first form', async (t) => {
  const { api, operator, cookie } = await startDesk()
  const { tenantId } = api.tenant
  const aheadMs = 40 * 86_400_000
  await api.sql`
    insert into sandbox_clocks (tenant_id, offset_ms) values (${tenantId}, ${aheadMs})
    on conflict (tenant_id) do update set offset_ms = excluded.offset_ms`
  const path = '/operator/do/override_dunning/' + tenantId
  const form = { environment: 'sandbox', state: 'active', reason: 'Talks', expires_at: '30' }
  const sent = { ...FORM, ...form }
  const page = await (await visit(api, path, { cookie, form: sent })).text()
  const moment = /name="expires_at_moment" value="(\d+)"/.exec(page)?.[1] ?? ''
  const now = Math.floor((api.clock.nowMs + aheadMs) / 1000)
  t.equal(Number(moment), now + 1 + 30 * 86_400)
  const { challenge, ceremony } = await ceremonyOn(new Response(page))
  api.clock.nowMs += 3000
  const signed = { ...sent, ...operator.passkey.assert(challenge), ceremony }
  const done = await visit(api, path, { cookie, form: { ...signed, expires_at_moment: moment } })
  // The passkey signed this moment; the tenant of the test has no subscription.
  t.equal(done.status, 409)
  t.match(await done.text(), 'invalid_state')
})

test('an operator works with a passkey, and the log has its evidence', async (t) => {
  const desk = await startDesk()
  const { api, things, operator, cookie } = desk
  const { tenantId, programId } = api.tenant
  const [log] = await api.sql<{ seq: number }[]>`
    select coalesce(max(seq), 0)::integer as seq from audit_log where tenant_id = 'installation'`
  const suspended = await perform(desk, 'suspend_tenant', tenantId, {
    ...{ suspended_by: 'regulator', reason: 'An <b>order</b>' },
  })
  t.equal(
    suspended.headers.get('location'),
    '/operator/tenants/' + tenantId + '?done=suspend_tenant',
  )
  const page = await visit(api, suspended.headers.get('location') ?? '', { cookie })
  const text = await page.text()
  t.match(text, 'The tenant is suspended.')
  t.match(text, 'An &lt;b&gt;order&lt;/b&gt;')
  const works: [string, string, { [name: string]: string }?][] = [
    ['resume_tenant', tenantId],
    ['activate_program', programId],
    ['grant_realtime', tenantId, { entitled: 'true' }],
    ['grant_payments', tenantId, { entitled: 'false' }],
    ['lift_limits', tenantId, { factor: '2', seconds: '60' }],
    ['restore_limits', tenantId],
    ['review_alert', things.get('sanctions_alerts') ?? '', { decision: 'dismiss', note: '' }],
    ['decline_quote', things.get('quotes') ?? '', { reason: 'Too small' }],
  ]
  for (const [name, id, fields] of works) {
    const answer = await perform(desk, name, id, fields)
    t.equal(answer.status, 303, name)
  }
  const rows = await api.sql`
    select l.action, l.approved_by, e.evidence is not null as proved from audit_log l
    left join factor_evidence e on e.audit_id = l.id
    where l.tenant_id = 'installation' and l.actor_id = ${operator.operatorId}
      and l.seq > ${log?.seq ?? 0} order by l.seq`
  t.equal(rows.length, works.length + 1)
  t.ok(rows.every(({ approved_by: by, proved }) => proved && by === operator.operatorId))
  const verified = await verifyLog(api.sql, INSTALLATION_LOG, { from: 1, rowsMax: 1000 })
  t.match(verified, { valid: true })
  const { body: second } = await api.operate('POST', '/operators', { name: 'Second' })
  const colleague = await seedPerson(api.sql, api.other.tenantId, 'analyst')
  const link = async (email: string) => {
    const { status } = await perform(desk, 'link_operator', second.id, { email })
    const [row] = await api.sql<{ identity: string | null }[]>`
      select identity_id as identity from operators where id = ${second.id}`
    return [status, row?.identity]
  }
  t.same(await link('nobody@new.example'), [400, null])
  t.same(await link(operator.person.email), [409, null], 'one person is one operator')
  t.same(await link(colleague.email), [303, colleague.identityId])
  t.same(await link(''), [303, null])
  const made = await perform(desk, 'make_client', '-', {
    ...{ name: 'Ledger', environment: 'sandbox', kind: 'confidential' },
    ...{ redirect_uris: 'https://ledger.example/', scopes: 'card:read' },
  })
  t.equal(made.status, 201)
  t.match(await made.text(), /data-secret[\s\S]*<code class="value">svc_\w{40}/)
})

test('a passkey’s answer is good for one call only', async (t) => {
  const { api, operator, cookie } = await startDesk()
  const { tenantId } = api.tenant
  const suspend = '/operator/do/suspend_tenant/'
  const form = { ...FORM, suspended_by: 'regulator', reason: 'One' }
  const signed = async () => {
    await api.sql`delete from sign_in_tries`
    const page = await visit(api, suspend + tenantId, { cookie, form })
    const { challenge, ceremony } = await ceremonyOn(page)
    return { ...form, ...operator.passkey.assert(challenge), ceremony }
  }
  const send = async (path: string, sent: { [name: string]: string }) =>
    (await visit(api, path, { cookie, form: sent })).status
  t.equal(await send(suspend + tenantId, { ...(await signed()), reason: 'Another' }), 422)
  t.equal(await send(suspend + api.other.tenantId, await signed()), 422, 'another tenant')
  t.equal(await send('/operator/do/resume_tenant/' + tenantId, await signed()), 422)
  t.equal(await send(suspend + tenantId, { ...(await signed()), signature: 'AAAA' }), 422)
  const [tenant] = await api.sql`select suspended_at from tenants where id = ${tenantId}`
  t.equal(tenant?.['suspended_at'], null)
  const right = await signed()
  t.equal(await send(suspend + tenantId, right), 303)
  await api.sql`delete from sign_in_tries`
  const other = { ...right, form_id: 'g'.repeat(24) }
  const again = await visit(api, suspend + tenantId, { cookie, form: other })
  t.equal(again.status, 422, 'it was used in another form')
  const text = await again.text()
  t.match(text, 'This form was sent before')
  t.match(text, 'href="/operator/tenants/' + tenantId + '"')
  t.notMatch(text, 'Nothing was')
})

test('30: a move that is sent twice acts once, and its operator stays signed in', async (t) => {
  const desk = await startDesk()
  const { api, operator } = desk
  const { tenantId } = api.tenant
  const before = operator.cookie
  const keys = () => api.sql`select 1 from api_keys where created_by = ${operator.operatorId}`
  const fields = { environment: 'sandbox', scope: 'read', name: 'Twice' }
  const { path, form } = await signMove(desk, 'issue_key', tenantId, fields)
  const send = (cookie: string) => visit(api, path, { cookie, form })
  const [first, second] = [await send(before), await send(before)]
  t.same([first.status, second.status], [201, 201])
  t.match(await first.text(), /data-secret[\s\S]*<code class="value">svc_sk_sandbox_\w{49}</)
  const repeat = await second.text()
  t.match(repeat, 'shown before')
  t.notMatch(repeat, 'svc_sk_sandbox_')
  t.equal((await keys()).length, 1)
  const cookies = [cookieOf(first), cookieOf(second)] as const
  for (const cookie of cookies) t.match(cookie, /^svc=[\w-]{43}$/)
  t.equal(new Set([before, ...cookies]).size, 3, 'each answer has a cookie of its own')
  api.clock.nowMs += 10_000
  t.ok(await isSignedIn(api, cookies[1]), 'the cookie of the last answer goes on')
  t.notOk(await isSignedIn(api, cookies[0]))
  t.notOk(await isSignedIn(api, before), 'the cookie of before the passkey has ended')
  const reloaded = await send(cookies[1])
  t.equal(reloaded.status, 201)
  t.equal(cookieOf(reloaded), '', 'a reload renews nothing')
  await api.sql`delete from sign_in_tries`

  operator.cookie = cookies[1]
  const both = await signMove(desk, 'issue_key', tenantId, fields)
  const answers = await Promise.all(
    [1, 2].map(() => visit(api, both.path, { cookie: cookies[1], form: both.form })),
  )
  t.same(
    answers.map(({ status }) => status),
    [201, 201],
  )
  t.equal((await keys()).length, 2)
  const rows = await api.sql`
    select l.id from audit_log l join factor_evidence e on e.audit_id = l.id
    where l.tenant_id = 'installation' and l.actor_id = ${operator.operatorId}
      and l.action like '%/api_keys'`
  t.equal(rows.length, 2, 'one row with evidence for each move')
  const replays = await api.sql`
    select 1 from audit_log
    where tenant_id = ${api.other.tenantId} and action = 'passkey replayed'`
  t.equal(replays.length, 0, 'the second click is no replay')
})

test('a move that the API refused is made by the same form once it may be', async (t) => {
  const desk = await startDesk()
  const { api, operator } = desk
  const { tenantId } = api.tenant
  await api.sql`update tenants set suspended_at = 1, suspended_by = 'regulator', suspend_reason = 'x'
    where id = ${tenantId}`
  const fields = { environment: 'sandbox', scope: 'read', name: 'Later' }
  const { path, form } = await signMove(desk, 'issue_key', tenantId, fields)
  const refused = await visit(api, path, { cookie: operator.cookie, form })
  t.equal(refused.status, 403)
  t.match(await refused.text(), 'account_suspended')
  await api.sql`
    update tenants set suspended_at = null, suspended_by = null, suspend_reason = null
    where id = ${tenantId}`
  const made = await visit(api, path, { cookie: cookieOf(refused), form })
  t.equal(made.status, 201)
  t.match(await made.text(), 'svc_sk_sandbox_')
})

test('another secret of a platform needs the passkey of an operator, with its evidence', async (t) => {
  const desk = await startDesk()
  const { api, operator } = desk
  const { id, secret } = await registerClient(api, { kind: 'confidential' })
  const bare = await api.operate('POST', '/oauth_clients/' + id + '/rotate_secret')
  t.match(bare, { status: 403, body: { error: { code: 'factor_required' } } }, bare.text)
  t.equal(new URL(bare.body.error.challenge_url).pathname, '/operator/clients')
  const hashOf = async () => {
    const [row] = await api.sql`select secret_hash from oauth_clients where id = ${id}`
    return row?.['secret_hash'].toString('hex')
  }
  t.equal(await hashOf(), apiKeyHash(secret ?? '').toString('hex'), 'the key alone changed nothing')
  const other = await registerClient(api, { kind: 'confidential' })
  const signed = await signMove(desk, 'rotate_client', other.id)
  const path = '/operator/do/rotate_client/' + id
  const moved = await visit(api, path, { cookie: operator.cookie, form: signed.form })
  t.equal(moved.status, 422, 'the passkey signed about another platform')
  t.equal(await hashOf(), apiKeyHash(secret ?? '').toString('hex'))
  const made = await perform(desk, 'rotate_client', id)
  t.equal(made.status, 201)
  const [, shown = ''] = /<code class="value">(svc_\w+)</.exec(await made.text()) ?? []
  t.equal(await hashOf(), apiKeyHash(shown).toString('hex'))
  const [row] = await api.sql`
    select l.approved_by, e.evidence from audit_log l join factor_evidence e on e.audit_id = l.id
    where l.tenant_id = 'installation' and l.resource_id = ${id} order by l.seq desc limit 1`
  t.equal(row?.['approved_by'], operator.operatorId)
  t.equal(row?.['evidence'].credentialId, operator.passkey.keep().id)
  const verified = await verifyLog(api.sql, INSTALLATION_LOG, { from: 1, rowsMax: 1000 })
  t.match(verified, { valid: true })
})

test('27: pages and moves of operators do not exist for anyone else', async (t) => {
  const desk = await startDesk()
  const { api, operator } = desk
  await api.sql`delete from sign_in_tries`
  const byCode = await enter(api, operator.person)
  const unknown = await (
    await visit(api, '/account/passkeys/none/remove', { cookie: byCode })
  ).text()
  for (const cookie of ['', byCode]) {
    for (const { path } of DESK_PAGES) {
      const answer = await visit(api, deskAddress(desk, path), { cookie })
      t.equal(answer.status, 404, path)
      t.equal(await answer.text(), unknown)
    }
    for (const name of Object.keys(MOVES)) {
      const path = '/operator/do/' + name + '/' + api.tenant.tenantId
      t.equal((await visit(api, path, { cookie, form: FORM })).status, 404, name)
    }
  }
  const foreign = { cookie: desk.cookie, form: FORM, headers: { origin: 'https://evil.example' } }
  const path = '/operator/do/suspend_tenant/' + api.tenant.tenantId
  t.equal((await visit(api, path, foreign)).status, 403, '18: a form of another site')
  t.equal(
    (await api.call('GET', '/operator/v1/tenants', { headers: { cookie: desk.cookie } })).status,
    404,
  )
})
