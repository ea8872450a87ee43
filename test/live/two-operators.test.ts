// Two operators on pages: a call that makes a credential waits, another operator approves it, and
// the same form then makes it. From the first person on, each such call has a person's passkey.
import { test } from 'tap'
import type { Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { unlinkOperators } from '../../api/platform/operators/index.ts'
import { apiKeyHash } from '../../shared/api-key.ts'
import { ceremonyOn } from '../harness/member-passkeys.ts'
import { seedOperator } from '../harness/operator.ts'
import { perform, signMove, startDesk as startSharedDesk } from '../harness/operator-desk.ts'
import { openOperator } from '../harness/operator-person.ts'
import { visit } from '../harness/visit.ts'

/** The tests share an installation: the operator of this desk is the only one with a person. */
async function startDesk(more: Parameters<typeof startSharedDesk>[0]) {
  const desk = await startSharedDesk(more)
  const { operatorId } = desk.operator
  await desk.api.sql`update operators set identity_id = null where id <> ${operatorId}`
  return desk
}

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

async function idOfKey({ sql }: { sql: Sql }, key: string): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select id from operators where hash = ${apiKeyHash(key)}`
  return row?.id ?? ''
}

/** A desk, credentials of two more operators, and how they call. */
async function openWithCredentials() {
  const desk = await startDesk({ twoOperators: true })
  const { api } = desk
  const keys = [await seedOperator(api.sql), await seedOperator(api.sql)] as const
  const call = (key: string, method: string, path: string, body?: unknown) =>
    api.call(method, '/operator/v1' + path, { key, ...(body !== undefined && { body }) })
  const approve = (key: string, id: string) =>
    call(key, 'POST', '/operator_approvals/' + id + '/approve')
  const idOf = (key: string) => idOfKey(api, key)
  return { ...desk, keys, call, approve, idOf }
}

test('a call that needs a passkey is refused before it waits for a second operator', async (t) => {
  const { api, operator, keys, call, idOf } = await openWithCredentials()
  const [key] = keys
  const person = '/people/' + operator.person.id
  const clientId = 'oac_' + operator.person.id.slice(5)
  await api.sql`
    insert into oauth_clients (id, environment, name, kind, application_type, redirect_uris, scopes,
      created_at)
    values (${clientId}, 'sandbox', 'Pay Co', 'public', 'web', '{https://pay.example/}',
      '{card:read}', 0)`
  const calls: [method: string, path: string, body?: unknown][] = [
    ['POST', '/operators/' + operator.operatorId + '/link', { email: null }],
    ['PATCH', person, { email: 'mallory@two.example' }],
    ['POST', person + '/reset_factor'],
    ['POST', '/oauth_clients/' + clientId + '/rotate_secret'],
  ]
  for (const [method, path, body] of calls) {
    const { status, body: answer } = await call(key, method, path, body)
    t.match({ status, ...answer.error }, { status: 403, code: 'factor_required' }, path)
  }
  const id = await idOf(key)
  t.same(await api.sql`select path from operator_approvals where operator_id = ${id}`, [])
})

test('credentials approve each other until an operator has a person with a passkey', async (t) => {
  const { api, operator, keys, call, approve } = await openWithCredentials()
  const [first, other] = keys
  await tx(api.sql, unlinkOperators)
  const made = async (name: string): Promise<string> =>
    (await call(first, 'POST', '/operators', { name })).body.error.resource_id
  t.equal((await approve(other, await made('By credentials'))).status, 200)

  const link = { email: operator.person.email }
  const path = '/operators/' + operator.operatorId + '/link'
  const waits = await call(first, 'POST', path, link)
  t.equal((await approve(other, waits.body.error.resource_id)).status, 200)
  const linked = await call(first, 'POST', path, link)
  t.equal(linked.body.email, operator.person.email, linked.text)

  const id = await made('By a person')
  const alone = await approve(other, id)
  t.match(alone.body.error, { code: 'factor_required', challenge_url: /\/operator\/approvals$/ })
  t.equal((await call(other, 'GET', '/operator_approvals/' + id)).body.status, 'pending')
  const approved = await perform({ api, operator }, 'approve_call', id)
  t.equal(approved.status, 303, await approved.text())

  await api.sql`update operators set state = 'revoked' where id = ${operator.operatorId}`
  const revoked = await approve(other, await made('After a revocation'))
  t.equal(revoked.body.error?.code, 'factor_required', 'a revocation opens no way back')
  await tx(api.sql, unlinkOperators)
  t.equal((await approve(other, await made('After a loss'))).status, 200)
})

test('a credential approves the call of the only person, and of no person once there are two', async (t) => {
  const { api, operator, keys, approve, idOf } = await openWithCredentials()
  const [key] = keys
  const waiting = async (name: string): Promise<string> => {
    const asked = await perform({ api, operator }, 'make_operator', '-', { name })
    t.equal(asked.status, 403, await asked.text())
    const [row] = await api.sql<{ id: string }[]>`
      select id from operator_approvals
      where operator_id = ${operator.operatorId}
        and fields @> ${JSON.stringify([{ name: 'name', value: name }])}::text::jsonb`
    return row?.id ?? ''
  }
  t.equal((await approve(key, await waiting('One person'))).status, 200)
  const id = await waiting('Two persons')
  const second = await openOperator(api, await idOf(keys[1]))
  t.equal((await approve(key, id)).body.error?.code, 'factor_required')
  const approved = await perform({ api, operator: second }, 'approve_call', id)
  t.equal(approved.status, 303, await approved.text())
})

test('an approval by a credential ends with the first passkey of a person', async (t) => {
  const { api, operator, keys, call, approve } = await openWithCredentials()
  const [first, other] = keys
  await tx(api.sql, unlinkOperators)
  const make = () => call(first, 'POST', '/operators', { name: 'Held for a day' })
  const { resource_id: held } = (await make()).body.error
  t.equal((await approve(other, held)).status, 200)
  const { identityId } = operator.person
  await api.sql`update operators set identity_id = ${identityId} where id = ${operator.operatorId}`
  const refused = await make()
  t.match(refused.body.error, { code: 'second_operator_required', resource_id: /^oap_/ })
  const { resource_id: asked } = refused.body.error
  t.not(asked, held)
  const approved = await perform({ api, operator }, 'approve_call', asked)
  t.equal(approved.status, 303, await approved.text())
  t.equal((await make()).status, 201)
})

test('the last person of operators goes only after a confirmation', async (t) => {
  const { api, operator, keys, call, approve } = await openWithCredentials()
  const { operatorId, person, passkey } = operator
  const [key] = keys
  const shown = await visit(api, '/operator/operators', { cookie: operator.cookie })
  t.match(await shown.text(), /Only <?\w[^<]* has a person/)

  const unlink = (fields: { [name: string]: string } = {}) =>
    perform({ api, operator }, 'link_operator', operatorId, { email: '', ...fields })
  t.equal((await unlink()).status, 403)
  const asked = await call(key, 'GET', '/operator_approvals?limit=1')
  t.equal((await approve(key, asked.body.data[0].id)).status, 200)
  const kept = await unlink()
  t.equal(kept.status, 409)
  t.match(await kept.text(), 'No operator would be left with a person who has a passkey.')

  const [own] = await api.sql<{ id: string }[]>`
    select id from passkeys where identity_id = ${person.identityId}`
  const path = '/account/passkeys/' + own?.id + '/remove'
  const remove = async (): Promise<Response> => {
    await api.sql`delete from sign_in_tries`
    const { cookie } = operator
    const { challenge, ceremony } = await ceremonyOn(await visit(api, path, { cookie }))
    return visit(api, path, { cookie, form: { ...passkey.assert(challenge), ceremony } })
  }
  const last = await remove()
  t.equal(last.status, 422)
  t.match(await last.text(), 'You are the only person of operators.')

  const revoke = (body?: object) => call(key, 'POST', '/operators/' + operatorId + '/revoke', body)
  t.match((await revoke()).body.error, { code: 'last_operator_person' })
  t.match((await revoke({ confirm_last_person: false })).body.error, {
    code: 'last_operator_person',
  })
  const second = await openOperator(api, await idOfKey(api, keys[1]))
  t.equal((await revoke()).status, 200, 'another operator has a person')
  const end = (more: object) =>
    call(key, 'POST', '/operators/' + second.operatorId + '/revoke', more)
  t.equal((await end({})).status, 409)
  t.equal((await end({ confirm_last_person: true })).body.status, 'revoked')
})

test('two revocations at once leave one person of operators', async (t) => {
  const { api, operator, keys, call } = await openWithCredentials()
  const second = await openOperator(api, await idOfKey(api, keys[1]))
  const answers = await Promise.all(
    [operator, second].map(({ operatorId }) =>
      call(keys[0], 'POST', '/operators/' + operatorId + '/revoke'),
    ),
  )
  t.same(answers.map(({ status }) => status).sort(), [200, 409])
})
