// Two operators on pages: a call that makes a credential waits, another operator approves it, and
// the same form then makes it.
import { test } from 'tap'
import { seedOperator } from '../harness/operator.ts'
import { perform, signMove, startDesk } from '../harness/operator-desk.ts'
import { visit } from '../harness/visit.ts'

test('a key waits on the pages for a second operator, and is made by the same form', async (t) => {
  const desk = await startDesk({ twoOperators: true })
  const { api, operator } = desk
  const second = await seedOperator(api.sql)
  const { tenantId } = api.tenant
  const fields = { environment: 'sandbox', scope: 'read', name: 'Ledger' }
  const waits = await perform(desk, 'issue_key', tenantId, fields)
  t.equal(waits.status, 403)
  t.match(await waits.text(), 'A second operator has to approve this call')

  const path = '/operator/v1/operator_approvals'
  const asked = (await api.call('GET', path + '?limit=1', { key: second })).body.data[0]
  t.match(asked, { status: 'pending', operator_id: operator.operatorId })
  const page = await visit(api, '/operator/approvals', { cookie: operator.cookie })
  t.match(await page.text(), 'Give a tenant a secret key.')
  const own = await perform(desk, 'approve_call', asked.id)
  t.equal(own.status, 400, 'nobody approves an own call')
  const approved = await api.call('POST', path + '/' + asked.id + '/approve', { key: second })
  t.equal(approved.status, 200, approved.text)

  const made = await perform(desk, 'issue_key', tenantId, fields)
  t.equal(made.status, 201)
  t.match(await made.text(), /svc_sk_sandbox_\w+/)
  const [row] = await api.sql`
    select l.actor_id, l.approved_by, e.evidence is not null as proved from audit_log l
    left join factor_evidence e on e.audit_id = l.id
    where l.tenant_id = 'installation' and l.action = 'POST /operator/v1/tenants/:id/api_keys'
      and l.actor_id = ${operator.operatorId}`
  t.same(row, {
    ...{ actor_id: operator.operatorId, approved_by: approved.body.decided_by, proved: true },
  })
  const again = await perform(desk, 'issue_key', tenantId, fields)
  t.equal(again.status, 403, 'an approval makes one key')
})

test('an operator approves the call of another with a passkey, and adds a person', async (t) => {
  const desk = await startDesk({ twoOperators: true })
  const { api } = desk
  const second = await seedOperator(api.sql)
  const path = '/operator/v1/operators'
  const body = { name: 'Eve' }
  const refused = await api.call('POST', path, { key: second, body })
  const { resource_id: id } = refused.body.error
  const approved = await perform(desk, 'approve_call', id)
  t.equal(approved.status, 303, await approved.text())
  const made = await api.call('POST', path, { key: second, body })
  t.equal(made.status, 201, made.text)

  const fields = { email: 'grace@approvals.example', name: 'Grace', role: 'owner' }
  const waits = await perform(desk, 'add_person', api.tenant.tenantId, fields)
  t.equal(waits.status, 403)
  const approvals = '/operator/v1/operator_approvals'
  const asked = (await api.call('GET', approvals + '?limit=1', { key: second })).body.data[0]
  await api.call('POST', approvals + '/' + asked.id + '/approve', { key: second })
  const added = await perform(desk, 'add_person', api.tenant.tenantId, fields)
  const text = await added.text()
  t.equal(added.status, 201, text)
  t.match(text, 'Recovery codes')
})

test('an operator whose credential has ended has no pages, and approves nothing', async (t) => {
  const desk = await startDesk({ twoOperators: true })
  const { api, operator } = desk
  const second = await seedOperator(api.sql)
  const path = '/operator/v1/operators'
  const refused = await api.call('POST', path, { key: second, body: { name: 'Mallory' } })
  const { resource_id: id } = refused.body.error
  const shown = () => visit(api, '/operator/approvals', { cookie: operator.cookie })
  await api.sql`
    update operators set expires_at = ${api.clock.nowMs + 1} where id = ${operator.operatorId}`
  t.match(await (await shown()).text(), 'Make an operator.')
  const { path: form, form: signed } = await signMove(desk, 'approve_call', id)
  await api.sql`
    update operators set expires_at = ${api.clock.nowMs} where id = ${operator.operatorId}`
  t.notMatch(await (await shown()).text(), 'Make an operator.')
  const sent = await visit(api, form, { cookie: operator.cookie, form: signed })
  t.not(sent.status, 303, 'the page is closed')
  const approvals = '/operator/v1/operator_approvals/'
  t.equal((await api.call('GET', approvals + id, { key: second })).body.status, 'pending')
  await api.sql`update operators set expires_at = null where id = ${operator.operatorId}`
  t.match(await (await shown()).text(), 'Make an operator.')
})
