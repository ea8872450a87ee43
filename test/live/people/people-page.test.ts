// The dashboard's pages of a tenant's people in a browser and by hand: invite, send again, revoke,
// and the changes of a member. The numbers are rows of the table of bad input.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { verifyLog } from '../../../api/platform/audit/index.ts'
import type { PersonRole } from '../../../shared/schemas/person.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn } from '../../harness/dashboard.ts'
import { askOn, sendConfirmed } from '../../harness/dashboard-form.ts'
import { openReceiver, sendMails } from '../../harness/mail.ts'
import { addPasskey } from '../../harness/member-passkeys.ts'
import { type Person, seedPerson } from '../../harness/person.ts'
import { cookieOf, enter, visit } from '../../harness/visit.ts'

async function open(role: PersonRole = 'owner') {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  await api.sql`delete from invitations where tenant_id = ${api.tenant.tenantId}`
  const person = await seedPerson(api.sql, api.tenant.tenantId, role)
  const root = '/d/' + api.tenant.tenantId + '/sandbox'
  return { api, person, root, cookie: await enter(api, person) }
}

/** Fills the code of the page that asks for the second factor, and sends it by the keyboard. */
async function prove(page: Page, api: TestApi, person: Person): Promise<void> {
  await api.sql`delete from sign_in_tries`
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  await page.locator('input[name=code]').fill(person.codeAt(api.clock.nowMs))
  await page.keyboard.press('Enter')
}

async function subjects(t: Parameters<typeof openReceiver>[0], api: TestApi): Promise<string[]> {
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  return peer.mails.map(({ subject, recipients }) => subject + ' > ' + recipients[0])
}

function lastRow({ sql, tenant }: TestApi) {
  return sql`
    select l.actor_id, l.action, l.approved_by, e.evidence from audit_log l
    left join factor_evidence e on e.audit_id = l.id
    where l.tenant_id = ${tenant.tenantId} and l.environment = 'sandbox' order by l.seq desc limit 1`
}

test('an owner invites, sends again and revokes, without scripts', async (t) => {
  const { api, person, root } = await open()
  const browser = await openBrowser(t)
  for (const [width, dark] of [
    [390, true],
    [1280, false],
  ] as const) {
    await api.sql`delete from sign_in_tries`
    const cookie = await enter(api, person)
    const look = width + (dark ? '-dark' : '-light')
    const { page, errors } = await openSignedIn(
      browser,
      { api, cookie },
      { width, dark, scripts: false },
    )
    await page.goto(api.url + '/account')
    await page.getByRole('link', { name: 'People' }).click()
    await page.waitForURL(/\/sandbox\/people$/)
    await page.getByRole('link', { name: 'Invite a person' }).click()
    const email = look + '@invited.example'
    await page.locator('input[name=email]').fill(email)
    await page.locator('select[name=role]').selectOption('support')
    await picture(page, 'invite-' + look)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await prove(page, api, person)
    await page.getByRole('heading', { name: 'The invitation is sent' }).waitFor()
    api.clock.nowMs += 30_000
    await picture(page, 'invited-' + look)
    t.match(await subjects(t, api), [new RegExp('^Invitation to .* > ' + email)])

    await page.goto(api.url + root + '/invitations')
    await page.getByRole('link', { name: email }).first().click()
    await page.getByRole('heading', { name: email }).waitFor()
    await page.getByRole('button', { name: 'Send again…' }).click()
    await page.locator('dialog[open]').getByRole('button', { name: 'Send again' }).click()
    await prove(page, api, person)
    await page.getByRole('heading', { name: 'The invitation is sent' }).waitFor()
    api.clock.nowMs += 30_000
    t.equal((await subjects(t, api)).length, 1)
    await page.getByRole('link', { name: 'Invitations' }).last().click()
    await page.getByRole('link', { name: email }).first().click()
    await page.getByRole('button', { name: 'Revoke…' }).click()
    await page.locator('dialog[open]').getByRole('button', { name: 'Revoke' }).click()
    await prove(page, api, person)
    await page.getByText('The invitation is revoked').waitFor()
    api.clock.nowMs += 30_000
    t.same(errors, [])
  }
  t.match(
    [...(await lastRow(api))],
    [{ actor_id: person.id, approved_by: person.id, action: 'POST /v1/invitations/:id/revoke' }],
  )
})

test('15: a passkey invites exactly one address with one role, and its evidence is kept', async (t) => {
  const { api, person, root, cookie: first } = await open()
  const { passkey, cookie } = await addPasskey(api, person, first)
  const path = root + '/invitations/new'
  const asked = await askOn(api, path, {
    cookie,
    form: { email: 'ada@invited.example', role: 'support' },
  })
  const proof = passkey.assert(asked.challenge)
  for (const change of [{ email: 'eve@invited.example' }, { role: 'owner' }]) {
    const form = { ...asked.form, ...change }
    const own = await askOn(api, path, {
      cookie,
      form: { email: form.email ?? '', role: form.role ?? '' },
    })
    const { factor_handle = '', ceremony = '' } = own.form
    const answer = await visit(api, path, {
      cookie,
      form: { ...form, factor_handle, ceremony, ...proof },
    })
    t.equal(answer.status, 422, 'the passkey signed another form')
    await api.sql`delete from sign_in_tries`
  }
  const made = async () =>
    (
      await api.sql`select email, role from invitations where tenant_id = ${api.tenant.tenantId}`
    ).map((row) => ({ ...row }))
  t.same(await made(), [])
  const form = { ...asked.form, ...proof }
  t.equal((await visit(api, path, { cookie, form })).status, 200)
  t.same(await made(), [{ email: 'ada@invited.example', role: 'support' }])
  const again = await visit(api, path, { cookie, form })
  t.match(await again.text(), 'The invitation is sent')
  t.equal((await made()).length, 1, 'the same form again acts once, with the same answer')

  const [row] = await lastRow(api)
  t.match(row, { actor_id: person.id, approved_by: person.id, action: 'POST /v1/invitations' })
  t.equal(row?.['evidence'].credentialId, passkey.keep().id)
  const { tenantId } = api.tenant
  t.match(
    await verifyLog(
      api.sql,
      { tenantId, environment: 'sandbox' },
      { from: 1, rowsMax: Number.MAX_SAFE_INTEGER },
    ),
    { valid: true, broken: null },
  )
})

test('15: an approved form with another address is asked for a factor again', async (t) => {
  const { api, person, root, cookie } = await open()
  const path = root + '/invitations/new'
  const asked = await askOn(api, path, { cookie, form: { email: 'a@b.example', role: 'support' } })
  const code = { code: person.codeAt(api.clock.nowMs) }
  const form = { ...asked.form, ...code, email: 'eve@b.example' }
  const answer = await visit(api, path, { cookie, form })
  t.match(await answer.text(), 'Confirm that it is you')
  const rows = await api.sql`select 1 from invitations where tenant_id = ${api.tenant.tenantId}`
  t.equal(rows.length, 0)
})

test('a double click on an invitation acts once', async (t) => {
  const { api, person, root, cookie } = await open()
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(
    browser,
    { api, cookie },
    { width: 1280, scripts: false },
  )
  await page.goto(api.url + root + '/invitations/new')
  await page.locator('input[name=email]').fill('twice@invited.example')
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.locator('input[name=code]').fill(person.codeAt(api.clock.nowMs))
  await page.dblclick('main button.primary')
  await page.getByRole('heading', { name: 'The invitation is sent' }).waitFor()
  t.equal((await subjects(t, api)).length, 1)
  t.same(errors, [])
})

test('two sendings of one confirmed form at once act once, with one answer', async (t) => {
  const { api, person, root, cookie } = await open()
  const path = root + '/invitations/new'
  const form = { email: 'both@invited.example', role: 'support' }
  const asked = await askOn(api, path, { cookie, form })
  const sent = { ...asked.form, code: person.codeAt(api.clock.nowMs) }
  const answers = await Promise.all([1, 2, 3].map(() => visit(api, path, { cookie, form: sent })))
  for (const answer of answers) t.match(await answer.text(), 'The invitation is sent')
  const rows = await api.sql`select 1 from invitations where tenant_id = ${api.tenant.tenantId}`
  t.equal(rows.length, 1)
})

test('22: a developer, and a person of another tenant, find no such page', async (t) => {
  const { api } = await open()
  const developer = await seedPerson(api.sql, api.tenant.tenantId, 'developer')
  const stranger = await seedPerson(api.sql, api.other.tenantId, 'owner')
  for (const [person, status] of [
    [developer, 403],
    [stranger, 404],
  ] as const) {
    await api.sql`delete from sign_in_tries`
    const cookie = await enter(api, person)
    const root = '/d/' + api.tenant.tenantId + '/sandbox'
    for (const path of ['/people', '/invitations', '/invitations/new'])
      t.equal((await visit(api, root + path, { cookie })).status, status, path)
    const form = { email: 'x@y.example', role: 'support' }
    const sent = await sendConfirmed(api, root + '/invitations/new', { cookie, form, by: person })
    t.equal(sent.status, status)
  }
  const rows = await api.sql`select 1 from invitations where tenant_id = ${api.tenant.tenantId}`
  t.equal(rows.length, 0)
})

test('25: on the page too nobody gives a role above their own, nor invites by password alone', async (t) => {
  const { api, person: admin, root, cookie } = await open('admin')
  const path = root + '/invitations/new'
  const form = { email: 'x@invited.example', role: 'owner' }
  const above = await sendConfirmed(api, path, { cookie, form, by: admin })
  t.equal(above.status, 403)
  t.match(await above.text(), /does not cover this/)
  await api.sql`update identities set totp_sealed = null where id = ${admin.identityId}`
  const asked = await sendConfirmed(api, path, {
    ...{ cookie: cookieOf(above), by: admin },
    form: { ...form, role: 'support' },
  })
  t.match(await asked.text(), /a password alone approves nothing/)
  const rows = await api.sql`select 1 from invitations where tenant_id = ${api.tenant.tenantId}`
  t.equal(rows.length, 0)
})

test('an owner changes a role, disables, enables and lets in again, on the page', async (t) => {
  const { api, person, root, cookie: first } = await open()
  const other = await seedPerson(api.sql, api.tenant.tenantId, 'analyst')
  const path = root + '/people/' + other.id
  let cookie = first
  const send = async (move: string, form = {}): Promise<Response> => {
    const answer = await sendConfirmed(api, path + move, { cookie, form, by: person })
    cookie = cookieOf(answer) || cookie
    return answer
  }
  t.match((await send('/role', { role: 'admin' })).headers.get('location'), /done=/)
  t.equal((await send('/disable')).status, 303)
  t.match(await (await visit(api, path, { cookie })).text(), 'comes back with the role of before')
  t.equal((await send('/enable')).status, 303)
  t.match(await (await send('/let_in')).text(), 'on its way by mail')
  const [row] = await api.sql`select role, state from users where id = ${other.id}`
  t.same(row, { role: 'admin', state: 'active' })
  t.equal((await send('/remove')).status, 303)
  t.equal((await visit(api, path, { cookie })).status, 404)
  const last = await sendConfirmed(api, root + '/people/' + person.id + '/disable', {
    ...{ cookie, by: person },
  })
  t.equal(last.status, 409)
  t.match(await last.text(), 'last_owner')
  const foreign = await seedPerson(api.sql, api.other.tenantId, 'analyst')
  const renewed = cookieOf(last)
  const unknown = await visit(api, root + '/people/' + foreign.id, { cookie: renewed })
  t.equal(unknown.status, 404)
})
