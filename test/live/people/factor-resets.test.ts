// An operator gives an owner in live another second factor: it waits a day, the owners are told,
// and each of them can cancel it.
import { Secret, TOTP } from 'otpauth'
import { test } from 'tap'
import { applyFactorResets } from '../../../api/access/members/index.ts'
import { insertMember } from '../../../api/access/people/index.ts'
import { tx } from '../../../api/database/transaction.ts'
import { newId } from '../../../shared/id.ts'
import { openInstallation } from '../../harness/installation.ts'
import { runJob } from '../../harness/jobs.ts'
import { openReceiver, sendMails } from '../../harness/mail.ts'
import { seedPerson } from '../../harness/person.ts'
import { claim, enter, isSignedIn, visit } from '../../harness/visit.ts'

const DAY_MS = 24 * 3_600_000

async function open(t: Parameters<typeof openReceiver>[0]) {
  const api = await openInstallation()
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  const { tenantId } = api.tenant
  const lost = await seedPerson(api.sql, tenantId)
  const second = await seedPerson(api.sql, tenantId)
  const reset = await api.operate('POST', '/people/' + lost.id + '/reset_factor')
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  const link = /https?:\/\/\S+\/factor_resets\/\S+/.exec(peer.mails[0]?.text ?? '')?.[0] ?? 'x:'
  const codeNow = () => {
    const totp = new TOTP({ secret: Secret.fromBase32(reset.body.totp_secret) })
    return totp.generate({ timestamp: api.clock.nowMs })
  }
  const apply = () => runJob(applyFactorResets, { sql: api.sql, now: api.clock.nowMs })
  return { api, lost, second, reset, peer, path: new URL(link).pathname, codeNow, apply }
}

test('the reset of an owner works after a day, and every owner is told at once', async (t) => {
  const { api, lost, second, reset, peer, codeNow, apply } = await open(t)
  t.match(reset, { status: 200, body: { id: lost.id, totp_secret: /^[A-Z2-7]{32}$/ } }, reset.text)
  t.equal(reset.body.works_at, Math.floor((api.clock.nowMs + DAY_MS) / 1000))
  t.same(peer.mails.map(({ recipients }) => recipients[0]).toSorted(), [
    ...[lost.email, second.email].toSorted(),
  ])
  const cookie = await enter(api, lost)
  t.ok(await isSignedIn(api, cookie), 'the factor of before works')
  t.equal(await apply(), 0, 'nothing is due')
  const again = await api.operate('POST', '/people/' + lost.id + '/reset_factor')
  t.match(again, { status: 409, body: { error: { code: 'already_exists' } } })
  api.clock.nowMs += DAY_MS
  await api.sql`update sessions set seen_at = ${api.clock.nowMs}, ends_at = ${api.clock.nowMs + DAY_MS}`
  t.ok((await apply()) >= 1, 'with those of other tests')
  t.equal(await apply(), 0, 'once')
  t.notOk(await isSignedIn(api, cookie), 'every session ended')
  await api.sql`delete from sign_in_tries`
  t.equal((await visit(api, '/sign-in', { form: claim(api, lost) })).status, 422)
  const form = claim(api, lost, { code: codeNow() })
  t.equal((await visit(api, '/sign-in', { form })).status, 303)
  const log = await api.sql`
    select actor_type, action, resource_id from audit_log where tenant_id = ${api.tenant.tenantId}
      and resource_id = ${lost.id} order by seq`
  t.match(log, [
    { actor_type: 'operator', action: 'POST /operator/v1/people/:id/reset_factor' },
    { actor_type: 'operator', action: 'factor_reset_applied' },
  ])
})

test('an owner of another tenant waits too, and the owners there are told', async (t) => {
  const api = await openInstallation()
  await api.sql`delete from sign_in_tries`
  await api.sql`delete from mails`
  const [here, there] = [api.tenant.tenantId, api.other.tenantId]
  const lost = await seedPerson(api.sql, here, 'analyst')
  const second = await seedPerson(api.sql, there)
  const member = { tenantId: there, identityId: lost.identityId, createdAt: api.clock.nowMs }
  const owner = { ...member, id: newId('user', api.clock.nowMs), role: 'owner' as const }
  await tx(api.sql, (sql) => insertMember(sql, owner))
  const reset = await api.operate('POST', '/people/' + lost.id + '/reset_factor')
  t.equal(reset.body.works_at, Math.floor((api.clock.nowMs + DAY_MS) / 1000), reset.text)
  const peer = await openReceiver(t)
  await sendMails(api.sql, peer, { now: api.clock.nowMs })
  t.ok(peer.mails.some(({ recipients }) => recipients[0] === second.email))
  const logged = async (action: string) => {
    const rows = await api.sql`
      select tenant_id, resource_id from audit_log
      where action = ${action} and resource_id in (${lost.id}, ${owner.id})
        and tenant_id in (${here}, ${there}) order by resource_id`
    return rows.map(({ tenant_id, resource_id }) => [tenant_id, resource_id])
  }
  const both = [[here, lost.id] as const, [there, owner.id] as const]
  const rows = both.toSorted(([, one], [, other]) => (one < other ? -1 : 1))
  t.same(await logged('POST /operator/v1/people/:id/reset_factor'), rows)
  api.clock.nowMs += DAY_MS
  t.ok((await runJob(applyFactorResets, { sql: api.sql, now: api.clock.nowMs })) >= 1)
  t.same(await logged('factor_reset_applied'), rows)
})

test('any owner cancels the reset by the link, once, without signing in', async (t) => {
  const { api, lost, path, apply } = await open(t)
  t.match(await (await visit(api, path)).text(), /Cancel the factor reset/)
  const foreign = { 'sec-fetch-site': 'cross-site' }
  t.equal((await visit(api, path, { form: {}, headers: foreign })).status, 403)
  t.equal((await visit(api, '/factor_resets/' + 'x'.repeat(43))).status, 410, 'another link')
  t.equal((await visit(api, path, { form: {} })).status, 200)
  t.equal((await visit(api, path, { form: {} })).status, 410)
  api.clock.nowMs += DAY_MS
  t.equal(await apply(), 0)
  t.equal((await visit(api, '/sign-in', { form: claim(api, lost) })).status, 303)
  const log = await api.sql`
    select actor_type, actor_id from audit_log where tenant_id = ${api.tenant.tenantId}
      and action = 'POST /factor_resets/:token'`
  t.match(log, [{ actor_type: 'person', actor_id: null }])
  t.equal((await api.operate('POST', '/people/' + lost.id + '/reset_factor')).status, 200)
})

test('an owner who is signed in stands in the log; a link after the day opens nothing', async (t) => {
  const first = await open(t)
  const cookie = await enter(first.api, first.second)
  t.equal((await visit(first.api, first.path, { cookie, form: {} })).status, 200)
  const [row] = await first.api.sql`
    select actor_id from audit_log where tenant_id = ${first.api.tenant.tenantId}
      and action = 'POST /factor_resets/:token'`
  t.equal(row?.['actor_id'], first.second.id)
  const late = await open(t)
  late.api.clock.nowMs += DAY_MS
  t.equal((await visit(late.api, late.path)).status, 410)
  t.equal((await visit(late.api, late.path, { form: {} })).status, 410)
})
