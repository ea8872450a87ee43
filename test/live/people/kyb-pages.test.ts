// Going live on pages: the tenant's application in a browser, and the operator's decision by a
// passkey. The numbers are rows of the table of bad input.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { verifyLog } from '../../../api/platform/audit/index.ts'
import { unlinkOperators } from '../../../api/platform/operators/index.ts'
import { INSTALLATION_LOG } from '../../../api/write/audit.ts'
import type { Passkey } from '../../../scripts/holder-peer/passkey.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import type { TestApi } from '../../harness/api.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { sendConfirmed } from '../../harness/dashboard-form.ts'
import { openInstallation } from '../../harness/installation.ts'
import { addPasskey, ceremonyOn } from '../../harness/member-passkeys.ts'
import { enterBy, openOperator } from '../../harness/operator-person.ts'
import { type Person, seedPerson } from '../../harness/person.ts'
import { claim, cookieOf, enter, isSignedIn, visit } from '../../harness/visit.ts'

const FORM = {
  legal_name: 'Acme <b>GmbH</b>',
  registration_number: 'HRB 1234',
  country: 'de',
  line1: 'Hauptstr. 1',
  city: 'Berlin',
  postal_code: '10115',
  address_country: 'DE',
  website: 'https://acme.example',
  description: 'Cards for the drivers of our vans.',
  program_name: 'Fleet',
  program_currency: 'eur',
}

async function open(role: PersonRole = 'owner') {
  const api = await openInstallation()
  await api.sql`delete from sign_in_tries`
  const { tenantId } = api.tenant
  await api.sql`update tenants set kyb_status = 'pending' where id = ${tenantId}`
  const person = await seedPerson(api.sql, tenantId, role)
  return { api, person, path: '/d/' + tenantId + '/sandbox/going_live' }
}

async function statusOf({ sql, tenant }: TestApi): Promise<string> {
  const [row] = await sql`select kyb_status from tenants where id = ${tenant.tenantId}`
  return row?.['kyb_status']
}

/** Sends the application by hand. */
async function send(api: TestApi, person: Person, change: { [field: string]: string } = {}) {
  await api.sql`delete from sign_in_tries`
  const cookie = await enter(api, person)
  const path = '/d/' + api.tenant.tenantId + '/sandbox/going_live'
  return sendConfirmed(api, path, { cookie, form: { ...FORM, ...change }, by: person })
}

test('an owner applies for live in a browser, without scripts and by keyboard', async (t) => {
  const { api, person, path } = await open()
  const browser = await openBrowser(t)
  const { page, errors } = await openWatched(browser, { width: 390, scripts: false })
  await page.goto(api.url + '/sign-in')
  await page.locator('input[name=email]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.locator('input[name=code]').fill(person.codeAt(api.clock.nowMs))
  api.clock.nowMs += 30_000
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/overview$/)
  await page.goto(api.url + '/account')
  await page.getByRole('link', { name: 'Going live' }).click()
  await page.getByRole('heading', { name: 'Going live' }).waitFor()
  await picture(page, 'going-live-390')
  for (const [name, value] of Object.entries(FORM))
    await page.locator('[name=' + name + ']').fill(value)
  await page.locator('input[name=legal_name]').press('Enter')
  await page.locator('input[name=code]').fill(person.codeAt(api.clock.nowMs))
  api.clock.nowMs += 30_000
  await page.keyboard.press('Enter')
  await page.waitForURL(/going_live\?done=/)
  await picture(page, 'going-live-sent-390')
  t.match(await page.locator('main').textContent(), 'Acme <b>GmbH</b>')
  t.equal(await page.locator('main b').count(), 0)
  t.equal(new URL(page.url()).pathname, path)
  t.same(errors, [])
  t.equal(await statusOf(api), 'submitted')
  const [row] = await api.sql`
    select actor_id, action, approved_by from audit_log where tenant_id = ${api.tenant.tenantId}
    order by seq desc limit 1`
  t.match(row, {
    actor_id: person.id,
    action: 'POST /v1/account/kyb',
    approved_by: person.id,
  })
})

test('wrong details come back with what was typed, and submit nothing', async (t) => {
  const { api, person } = await open()
  for (const [change, sentence] of [
    [{ legal_name: ' ' }, /legal_name/],
    [{ country: 'QQ' }, /must be a country.*<code>country/s],
    [{ address_country: 'xx' }, /must be a country.*<code>address.country/s],
    [{ website: 'javascript:alert(1)' }, /<code>website/],
    [{ program_currency: 'ZZZ' }, /<code>program.currency/],
    [{ description: 'x'.repeat(2001) }, /<code>description/],
  ] as const) {
    const answer = await send(api, person, change)
    const text = await answer.text()
    t.equal(answer.status, 400, JSON.stringify(change))
    t.match(text, sentence)
    t.match(text, 'value="HRB 1234"')
  }
  t.equal(await statusOf(api), 'pending')
})

test('22: only owners and admins of the tenant have the page', async (t) => {
  const { api, path } = await open()
  for (const [tenantId, role, shown, sent] of [
    // A developer has the sandbox, but does not apply.
    [api.tenant.tenantId, 'developer', 200, 403],
    [api.tenant.tenantId, 'analyst', 403, 403],
    [api.tenant.tenantId, 'support', 403, 403],
    [api.other.tenantId, 'owner', 404, 404],
  ] as const) {
    await api.sql`delete from sign_in_tries`
    const person = await seedPerson(api.sql, tenantId, role)
    const cookie = await enter(api, person)
    t.equal((await visit(api, path, { cookie })).status, shown, role)
    t.equal((await send(api, person)).status, sent, role)
  }
  const { headers } = await visit(api, path)
  t.equal(headers.get('location'), '/sign-in?next=' + encodeURIComponent(path))
  t.equal(await statusOf(api), 'pending')
})

/** A decision as the page's form sends it. */
async function decide(
  api: TestApi,
  { cookie, passkey }: { cookie: string; passkey: Passkey },
  move: 'approve' | 'reject',
  more: { [field: string]: string } = {},
) {
  await api.sql`delete from sign_in_tries`
  const path = '/operator/kyb/' + api.tenant.tenantId
  const shown =
    move === 'approve'
      ? visit(api, path, { cookie })
      : visit(api, path + '/reject', { cookie, form: { reason: 'x', ...more } })
  const page = await (await shown).text()
  const part = page.slice(page.indexOf('action="' + path + '/' + move + '"'))
  const { challenge, ceremony } = await ceremonyOn(new Response('<form ' + part))
  const [, form_id = ''] = /name="form_id" value="([^"]*)"/.exec(part) ?? []
  const form = { form_id, ...passkey.assert(challenge), ceremony, ...more }
  return { form, answer: await visit(api, path + '/' + move, { cookie, form }) }
}

test('an operator approves with a passkey: live is open, and both logs tell of it', async (t) => {
  const { api, person } = await open()
  t.equal((await send(api, person)).status, 303)
  const operator = await openOperator(api)
  const list = await (await visit(api, '/operator', { cookie: operator.cookie })).text()
  t.match(list, 'Acme &lt;b&gt;GmbH&lt;/b&gt;')
  const { answer, form } = await decide(api, operator, 'approve')
  t.equal(answer.headers.get('location'), '/operator', await answer.text())
  t.equal(await statusOf(api), 'approved')
  const { tenantId } = api.tenant
  const programs = await api.sql`
    select 1 from programs where tenant_id = ${tenantId} and environment = 'live' and name = 'Fleet'`
  t.equal(programs.length, 1)
  const rows = await api.sql`
    select tenant_id from audit_log where actor_id = ${operator.operatorId}
      and action = 'POST /operator/kyb/:tenantId/approve' order by tenant_id`
  t.same(rows.map((row) => row['tenant_id']).toSorted(), ['installation', tenantId].toSorted())
  const path = '/operator/kyb/' + tenantId + '/approve'
  const other = { ...form, form_id: 'g'.repeat(24) }
  const again = await visit(api, path, { cookie: operator.cookie, form: other })
  t.equal(again.status, 422, 'an answer of a passkey decides once')
})

test('30: a decision that is sent twice is made once, and its operator stays signed in', async (t) => {
  const { api, person } = await open()
  await send(api, person)
  const operator = await openOperator(api)
  const reason = { reason: 'The register shows another name' }
  const { answer, form } = await decide(api, operator, 'reject', reason)
  const path = '/operator/kyb/' + api.tenant.tenantId + '/reject'
  const second = await visit(api, path, { cookie: operator.cookie, form })
  for (const { status, headers } of [answer, second])
    t.same([status, headers.get('location')], [303, '/operator'])
  const [first, last] = [cookieOf(answer), cookieOf(second)]
  t.match(last, /^svc=[\w-]{43}$/)
  t.not(last, first)
  api.clock.nowMs += 10_000
  t.ok(await isSignedIn(api, last), 'the cookie of the last answer goes on')
  t.notOk(await isSignedIn(api, operator.cookie))
  const rows = await api.sql`
    select 1 from audit_log where tenant_id = 'installation'
      and actor_id = ${operator.operatorId} and action like '%/reject'`
  t.equal(rows.length, 1)
  const replays = await api.sql`
    select 1 from audit_log
    where tenant_id = ${api.other.tenantId} and action = 'passkey replayed'`
  t.equal(replays.length, 0, 'the second click is no replay')
})

test('an operator rejects with a reason, which the tenant reads, and applies again', async (t) => {
  const { api, person, path } = await open()
  await send(api, person)
  const operator = await openOperator(api)
  const without = await decide(api, operator, 'reject')
  t.equal(without.answer.status, 422, 'a reason is needed')
  const reason = 'The register shows another name <i>'
  const { answer } = await decide(api, operator, 'reject', { reason })
  t.equal(answer.status, 303)
  t.equal(await statusOf(api), 'rejected')
  await api.sql`delete from sign_in_tries`
  const cookie = await enter(api, person)
  const shown = await (await visit(api, path, { cookie })).text()
  t.match(shown, 'The register shows another name &lt;i&gt;')
  t.match(shown, 'value="HRB 1234"', 'the details of before are there')
  t.equal((await send(api, person)).status, 303)
})

test('an operator\u2019s passkey signs exactly the decision, and the evidence is verified', async (t) => {
  const { api, person } = await open()
  await send(api, person)
  const operator = await openOperator(api)
  const { cookie, passkey } = operator
  const path = '/operator/kyb/' + api.tenant.tenantId
  const signed = async (reason: string) => {
    await api.sql`delete from sign_in_tries`
    const page = visit(api, path + '/reject', { cookie, form: { reason } })
    const { challenge, ceremony } = await ceremonyOn(await page)
    return { ...passkey.assert(challenge), ceremony }
  }
  const decideBy = (move: string, form: { [field: string]: string }) =>
    visit(api, path + '/' + move, { cookie, form })
  const other = await decideBy('reject', { ...(await signed('One')), reason: 'Another' })
  t.equal(other.status, 422, 'the passkey signed another reason')
  t.equal((await decideBy('approve', await signed('One'))).status, 422, 'it signed a rejection')
  const before = { ...(await signed('One')), reason: 'One' }
  await api.sql`
    update kyb_applications set id = 'kyb_' || md5(id) where tenant_id = ${api.tenant.tenantId}`
  t.equal((await decideBy('reject', before)).status, 422, 'it signed about another application')
  t.equal(await statusOf(api), 'submitted')
  await api.sql`delete from sign_in_tries`
  const right = { ...(await signed('One')), reason: 'One' }
  t.equal((await decideBy('reject', right)).status, 303)

  const [row] = await api.sql`
    select l.id, l.approved_by, e.evidence from audit_log l
    join factor_evidence e on e.audit_id = l.id where l.tenant_id = 'installation'
    order by l.seq desc limit 1`
  t.equal(row?.['approved_by'], operator.operatorId)
  t.equal(row?.['evidence'].credentialId, passkey.keep().id)
  const verified = () =>
    verifyLog(api.sql, INSTALLATION_LOG, { from: 1, rowsMax: Number.MAX_SAFE_INTEGER })
  t.match(await verified(), { valid: true, broken: null })
  await api.sql`alter table factor_evidence disable trigger user`
  t.teardown(() => api.sql`alter table factor_evidence enable trigger user`)
  const spoil = (evidence: object) => api.sql`
    update factor_evidence set evidence = ${JSON.stringify(evidence)}::text::jsonb
    where audit_id = ${row?.['id']}`
  await spoil({ ...row?.['evidence'], fingerprint: '00' })
  t.match(await verified(), { valid: false, broken: { problem: 'its evidence was changed' } })
  await spoil(row?.['evidence'])
  t.match(await verified(), { valid: true })
})

test('27: the pages of operators do not exist for anyone else', async (t) => {
  const { api, person } = await open()
  await send(api, person)
  const operator = await openOperator(api)
  const page = '/operator/kyb/' + api.tenant.tenantId
  await api.sql`delete from sign_in_tries`
  const owner = await enter(api, person)
  const ownPasskey = await addPasskey(api, person, owner)
  const byPasskey = await enterBy(api, ownPasskey.passkey)
  await api.sql`delete from sign_in_tries`
  const byCode = await enter(api, operator.person)
  const unknown = await (
    await visit(api, '/account/passkeys/none/remove', { cookie: byPasskey })
  ).text()
  for (const cookie of ['', byPasskey, byCode]) {
    for (const path of ['/operator', page]) {
      const answer = await visit(api, path, { cookie })
      t.equal(answer.status, 404)
      t.equal(await answer.text(), unknown, 'like any page that is none')
    }
    for (const move of ['approve', 'reject']) {
      const form = { reason: 'x', ...claim(api, person) }
      t.equal((await visit(api, page + '/' + move, { cookie, form })).status, 404)
    }
  }
  t.equal(await statusOf(api), 'submitted')
  const revoked = await api.sql`
    update operators set state = 'revoked' where id = ${operator.operatorId} returning 1`
  t.equal(revoked.length, 1)
  t.equal((await visit(api, '/operator', { cookie: operator.cookie })).status, 404)
})

test('a credential names the first person of operators, a passkey each later one', async (t) => {
  const { api, person } = await open()
  await api.sql`update operators set identity_id = null`
  const { body: made } = await api.operate('POST', '/operators', { name: 'First' })
  const link = (id: string, email: string | null) =>
    api.operate('POST', '/operators/' + id + '/link', { email })
  t.match(await link(made.id, 'nobody@new.example'), { status: 400 })
  t.match(await link('op_none', null), { status: 404 })
  t.match((await link(made.id, person.email)).body, { id: made.id, email: person.email })
  const isRefused = async (email: string | null, message: string): Promise<void> => {
    const { status, body } = await link(made.id, email)
    t.match({ status, ...body.error }, { status: 403, code: 'factor_required' }, message)
    t.match(body.error.challenge_url, /\/operator\/operators$/)
  }
  await isRefused(null, 'a credential alone takes no person away')
  await isRefused('nobody@new.example', 'and names no other')
  const own = '/people/' + person.id
  const moves = [
    await api.operate('PATCH', own, { email: 'thief@new.example' }),
    await api.operate('POST', own + '/reset_factor'),
  ]
  for (const { status, body } of moves)
    t.match(
      { status, ...body.error },
      { status: 403, code: 'factor_required' },
      'nobody becomes it',
    )
  t.equal((await api.operate('PATCH', own, { name: 'Grace' })).status, 200)
  await api.operate('POST', '/operators/' + made.id + '/revoke')
  await isRefused(person.email, 'a revocation opens no way back')
  await tx(api.sql, unlinkOperators)
  const { body: again } = await api.operate('POST', '/operators', { name: 'After a loss' })
  t.equal((await link(again.id, person.email)).status, 200)
})
