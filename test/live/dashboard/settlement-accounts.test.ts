// The page of a settlement account: disabling it asks for the person's second factor.
import { test } from 'tap'
import { enterAs, startDashboard } from '../../harness/dashboard.ts'
import { sendConfirmed } from '../../harness/dashboard-form.ts'
import { visit } from '../../harness/visit.ts'

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
  t.notMatch(await shown(), 'Disable this account?', 'it cannot be disabled again')
})
