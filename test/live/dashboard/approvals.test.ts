// Approvals in forms of the dashboard: nothing that is kept lets anyone guess the call, and only
// the form that was approved uses its approval.
import { hash } from 'node:crypto'
import { test } from 'tap'
import { SEAL_CONTEXTS, unseal } from '../../../shared/keyring.ts'
import { MASTER_KEYS } from '../../harness/api.ts'
import { enterAs, startDashboard } from '../../harness/dashboard.ts'
import { askOn } from '../../harness/dashboard-form.ts'
import { issue } from '../../harness/issuing.ts'
import { addPasskey } from '../../harness/member-passkeys.ts'
import { enter, visit } from '../../harness/visit.ts'

const PIN = '4821'

type Form = { [name: string]: string }

/** A signed-in person with a passkey, a card, and the form of its PIN. */
async function open() {
  const dashboard = await startDashboard()
  const { api, person, root } = dashboard
  const { passkey, cookie } = await addPasskey(api, person, dashboard.cookie)
  const { id } = await issue(api, 'virtual')
  const path = root + '/cards/' + id + '/set_pin'
  const send = async (form: Form, by = cookie) => {
    await api.sql`delete from sign_in_tries`
    return visit(api, path, { cookie: by, form })
  }
  const isSet = async () =>
    (await api.sql`select 1 from cards where id = ${id} and pin_verifier is not null`).length === 1
  return { ...dashboard, passkey, cookie, id, path, send, isSet }
}

test('15: nothing that is kept of an approval by passkey lets anyone guess a PIN', async (t) => {
  const { api, person, passkey, cookie, id, path, send, isSet } = await open()
  const asked = await askOn(api, path, { cookie, form: { pin: PIN } })
  const done = await send({ ...asked.form, ...passkey.assert(asked.challenge) })
  t.equal(done.status, 303)
  t.ok(await isSet())
  const [challenge] = await api.sql`
    select sealed, assertion::text as assertion, c::text as text from factor_challenges c
    where assertion is not null and path = ${'/v1/cards/' + id + '/pin'}`
  const [proof] = await api.sql`
    select e.evidence, e::text as text from factor_evidence e join audit_log l on l.id = e.audit_id
    where l.resource_id = ${id} and l.approved_by = ${person.id}`
  const nonce = Buffer.from(proof?.['evidence'].nonce, 'base64url')
  const client = Buffer.from(proof?.['evidence'].clientDataJson, 'base64url').toString()
  const kept = challenge?.['text'] + proof?.['text'] + client
  t.match(kept, proof?.['evidence'].signature)

  const opened = unseal(MASTER_KEYS, SEAL_CONTEXTS.factorChallenge, challenge?.['sealed'])
  const print = opened.ok ? JSON.parse(opened.value.toString()).fingerprint : ''
  const head = ['PUT', '/v1/cards/' + id + '/pin', '', person.id, ''].join('\n')
  // Every part of it that is as long as a hash in one of the encodings.
  const parts = new Set<string>()
  for (const length of [43, 44, 64])
    for (let at = 0; at + length <= kept.length; at++) parts.add(kept.slice(at, at + length))
  const found: string[] = []
  const guessed: string[] = []
  for (let number = 0; number < 10_000; number++) {
    const pin = String(number).padStart(4, '0')
    for (const body of [JSON.stringify({ pin }), pin]) {
      const guess = hash('sha256', head + body, 'buffer')
      if (guess.toString('hex') === print) found.push(pin)
      const signed = hash('sha256', Buffer.concat([nonce, guess]), 'buffer')
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        if ([guess, signed].some((bytes) => parts.has(bytes.toString(encoding)))) guessed.push(pin)
    }
  }
  t.same(guessed, [])
  t.same(found, [PIN], 'the guess has the form of the call')
  const key = api.tenant.keys.admin
  const verified = await api.call('GET', '/v1/audit_log/verify', { key })
  t.match(verified.body, { valid: true, broken: null })
})

test('15: an approval is used by the form and the session that proved it, and by no other', async (t) => {
  const { api, person, passkey, cookie, path, send, isSet } = await open()
  const asked = await askOn(api, path, { cookie, form: { pin: PIN } })
  const proof = passkey.assert(asked.challenge)
  // The approval is made; the call beside it is another one, so that nothing is done.
  const mixed = await send({ ...asked.form, ...proof, pin: '4822' })
  t.match(await mixed.text(), 'Confirm that it is you')
  const [row] = await api.sql`
    select state, used_at from factor_challenges
    where assertion is not null and tenant_id = ${api.tenant.tenantId}`
  t.match(row, { state: 'approved', used_at: null })
  const session = /svc=[\w-]{43}/.exec(mixed.headers.get('set-cookie') ?? '')?.[0] ?? ''
  t.not(session, '')
  const another = await enter(api, person)
  const tries: [string, Form, string][] = [
    ['no proof', asked.form, session],
    ['a wrong code', { ...asked.form, code: '000000' }, session],
    ['another answer', { ...asked.form, ...proof, signature: 'AAAA' }, session],
    ['another session', { ...asked.form, ...proof }, another],
  ]
  for (const [name, form, by] of tries) {
    const answer = await send(form, by)
    t.match(await answer.text(), 'Confirm that it is you', name)
    t.notOk(await isSet(), name)
  }
  const repeated = await send({ ...asked.form, ...proof }, session)
  t.equal(repeated.status, 303)
  t.ok(await isSet(), 'the form that proved it')
})

test('15: a challenge of one session is approved in no other of its person', async (t) => {
  const { api, person, passkey, cookie, path, send, isSet } = await open()
  const asked = await askOn(api, path, { cookie, form: { pin: PIN } })
  const another = await enter(api, person)
  const answer = await send({ ...asked.form, ...passkey.assert(asked.challenge) }, another)
  t.match(await answer.text(), 'Confirm that it is you')
  t.notOk(await isSet())
})

test('15: the key of an approved call is worth nothing to another person', async (t) => {
  const { api, passkey, cookie, id, root } = await open()
  const path = root + '/cards/' + id + '/reveal'
  const asked = await askOn(api, path, { cookie, form: {} })
  const form = { ...asked.form, ...passkey.assert(asked.challenge) }
  const shown = await visit(api, path, { cookie, form })
  t.equal(shown.status, 201)
  const own = await visit(api, path, { cookie, form: { form_id: asked.form['form_id'] ?? '' } })
  t.equal(own.status, 201, 'the person’s own repeat')
  const { cookie: other } = await enterAs(api, 'owner')
  const foreign = await visit(api, path, {
    cookie: other,
    form: { form_id: asked.form['form_id'] ?? '' },
  })
  t.not(foreign.status, 201)
  t.notMatch(await foreign.text(), 'Number of the card')
})
