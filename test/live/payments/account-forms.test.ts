// Forms that add settlement accounts and scanners; an account is added and disabled with the
// person's second factor.
import { test } from 'tap'
import { randomSecret } from '../../../shared/id.ts'
import { enterAs, startDashboard } from '../../harness/dashboard.ts'
import { sendConfirmed } from '../../harness/dashboard-form.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { PLACE } from '../../harness/silent-chain.ts'
import { cookieOf, visit } from '../../harness/visit.ts'

test('a settlement account is added from its form with a second factor', async (t) => {
  // The first call of a file configures its API.
  const api = await startIssuingApi({ chains: { sandbox: PLACE, live: null } })
  const { cookie, person } = await enterAs(api, 'owner')
  const root = '/d/' + api.tenant.tenantId + '/sandbox'
  const path = root + '/settlement_accounts/new'
  const form = {
    ...{ address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', name: 'Books of Ada' },
    ...{ mcc: '5942', country: 'us', interval: 'daily', hour: '7', external_id: '' },
  }
  const made = async () =>
    (
      await api.sql`
        select address, mcc, country, schedule from settlement_accounts where name = ${form.name}`
    ).map((row) => ({ ...row }))
  t.match(await (await visit(api, path, { cookie })).text(), 'Payments may name it at once.')
  const wrong = await sendConfirmed(api, path, {
    ...{ cookie, by: person, form: { ...form, address: form.address.toLowerCase() + '0' } },
  })
  t.equal(wrong.status, 422)
  t.match(await wrong.text(), 'value="Books of Ada"', 'what was typed stays')
  t.same(await made(), [])
  const asked = await visit(api, path, { cookie, form: { form_id: 'n'.repeat(24), ...form } })
  t.match(await asked.text(), 'Add an address to which captured payments are paid.')
  t.same(await made(), [], 'a session without its second factor adds nothing')
  const done = await sendConfirmed(api, path, { cookie, by: person, form })
  t.equal(done.status, 303, await done.text())
  const account = { address: form.address, mcc: '5942', country: 'US' }
  t.same(await made(), [{ ...account, schedule: { interval: 'daily', hour: 7 } }])
  const location = done.headers.get('location') ?? ''
  t.match(location, root + '/settlement_accounts/sacc_')
  const shown = await visit(api, location, { cookie: cookieOf(done) })
  t.match(await shown.text(), /The settlement account is added\.[\s\S]*daily at 7:00 UTC/)
})

test('a settlement account is disabled from its page with a second factor', async (t) => {
  const dashboard = await startDashboard()
  const { api, cookie, person, root, things } = dashboard
  const path = root + '/settlement_accounts/' + things.get('settlement_accounts')
  const shown = async (by = cookie) => (await visit(api, path, { cookie: by })).text()
  const statusOf = async () =>
    (
      await api.sql<{ status: string }[]>`
        select status from settlement_accounts where id = ${things.get('settlement_accounts') ?? ''}`
    )[0]?.status
  t.match(await shown(), /<code>0x[0-9a-fA-F]{40}<\/code>[\s\S]*continuous/)
  t.match(await shown(), 'Disable this account?')
  t.notMatch(await shown((await enterAs(api, 'analyst')).cookie), 'Disable this account?')

  const asked = await visit(api, path + '/disable', { cookie, form: { form_id: 'f'.repeat(24) } })
  t.match(await asked.text(), 'Disable the settlement account for ever')
  t.equal(await statusOf(), 'usable', 'a session without its second factor changes nothing')
  const done = await sendConfirmed(api, path + '/disable', { cookie, by: person })
  t.equal(done.status, 303, await done.text())
  t.equal(await statusOf(), 'disabled')
  const after = await shown(cookieOf(done))
  t.match(after, /disabled[\s\S]*<code>0x/)
  t.notMatch(after, 'Disable this account?', 'it cannot be disabled again')
})

test('a payment account is suspended, resumed and shown with its share of each payment', async (t) => {
  const { api, cookie, root, things } = await startDashboard()
  const path = root + '/payment_accounts/' + things.get('payment_accounts')
  const shown = async (address = path, by = cookie) =>
    (await visit(api, address, { cookie: by })).text()
  const send = (move: string, form: { [name: string]: string } = {}) =>
    visit(api, path + move, { cookie, form: { form_id: randomSecret(18), ...form } })
  t.match(await shown(), /Free for payments[\s\S]*Latest payments[\s\S]*25\.00 USD/)
  t.match(await shown(root + '/payments/' + things.get('payments')), path, 'a way back')
  const cardholder = root + '/cardholders/' + api.tenant.cardholderId
  t.match(await shown(cardholder), path, 'the cardholder leads to the account')
  t.notMatch(await shown(cardholder), 'Open a payment account', 'one is open')
  const analyst = (await enterAs(api, 'analyst')).cookie
  t.notMatch(await shown(path, analyst), /Suspend this account|Begin a payment|Play the holder/)

  const suspended = await send('/suspend', { reason: 'lost <telephone>' })
  t.equal(suspended.status, 303, await suspended.text())
  t.match(await shown(), /suspended[\s\S]*Suspended because/)
  t.match(await shown(), 'lost &lt;telephone&gt;')
  t.notMatch(await shown(), 'Begin a payment', 'no payment begins meanwhile')
  t.equal((await send('/resume')).status, 303)
  t.match(await shown(), 'Begin a payment')
  const form = { settlement_account_id: 'sacc_' + '0'.repeat(26), amount: '12.34' }
  const refused = await send('/pay', form)
  t.equal(refused.status, 422, 'no such account')
  t.match(await refused.text(), /settlement_account_id[\s\S]*value="12\.34"/)
})

test('a mandate is revoked and a withdrawal canceled on the page of their account', async (t) => {
  const { api, cookie, root, things } = await startDashboard()
  const path = root + '/payment_accounts/' + things.get('payment_accounts')
  const shown = async (by = cookie) => (await visit(api, path, { cookie: by })).text()
  t.match(await shown(), /0\.00 USD of 50\.00 USD[\s\S]*Revoke this mandate\?/)
  t.match(await shown(), /1\.00 USD to[\s\S]*Cancel this withdrawal\?/)
  const analyst = (await enterAs(api, 'analyst')).cookie
  t.notMatch(await shown(analyst), /Revoke this mandate|Cancel this withdrawal/)
  for (const move of [
    '/mandates/' + things.get('payment_mandates') + '/revoke',
    '/withdrawals/' + things.get('payment_withdrawals') + '/cancel',
  ]) {
    const form = { form_id: randomSecret(18) }
    const done = await visit(api, path + move, { cookie, form })
    t.equal(done.status, 303, move)
    t.match(done.headers.get('location'), path + '?done=')
  }
  const after = await shown()
  t.match(after, /revoked[\s\S]*canceled/)
  t.notMatch(after, /Revoke this mandate|Cancel this withdrawal/, 'neither can be done again')
})

test('a scanner is registered from its form', async (t) => {
  const { api, cookie, root } = await startDashboard()
  const path = root + '/scanners/new'
  const send = (form: { [name: string]: string }) => visit(api, path, { cookie, form })
  const form = { form_id: 's'.repeat(24), name: 'Gate <7>', external_id: 'gate-7' }
  const done = await send(form)
  t.equal(done.status, 303, await done.text())
  t.match(done.headers.get('location'), root + '/scanners?done=')
  const listed = await (await visit(api, root + '/scanners', { cookie })).text()
  t.match(listed, /Gate &lt;7&gt;[\s\S]*gate-7/)
  const again = await send({ ...form, form_id: 'r'.repeat(24) })
  t.equal(again.status, 422, 'the external id is taken')
  t.match(await again.text(), 'value="gate-7"')
})
