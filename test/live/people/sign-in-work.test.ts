// Sign-in and sign-up neither tell whether an account exists nor let anyone guess: the same text,
// status and work for every account, and few tries for an account and for an address. The numbers
// are rows of the table of bad input.
import { test } from 'tap'
import { Agent, request } from 'undici'
import { passwordWork } from '../../../api/access/identities/index.ts'
import { newId } from '../../../shared/id.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { type Person, seedPerson } from '../../harness/person.ts'
import { claim, OWN_SITE, visit } from '../../harness/visit.ts'

async function open() {
  const api = await startTestApi()
  await api.sql`delete from sign_in_tries`
  return { api, person: await seedPerson(api.sql, api.tenant.tenantId) }
}

interface Shape {
  status: number
  text: string
  hashed: number
  verified: number
  /** Counted tries. */
  tries: number
}

const VARYING = /value="[^"]*@[^"]*"|name="(?:ceremony|form)" value="[^"]*"|data-get="[^"]*"/g

/** An answer, and the work of the server for it. */
async function shapeOf(
  api: TestApi,
  path: string,
  form: { [name: string]: string },
): Promise<Shape> {
  await api.sql`delete from sign_in_tries`
  const before = { ...passwordWork }
  const answer = await visit(api, path, { form })
  const text = (await answer.text()).replaceAll(VARYING, '')
  const [row] = await api.sql`select count(*)::int as tries from sign_in_tries`
  return {
    status: answer.status,
    text: text + ' ' + answer.headers.get('location'),
    hashed: passwordWork.hashed - before.hashed,
    verified: passwordWork.verified - before.verified,
    tries: row?.['tries'],
  }
}

test('20: every account costs one verification of a password and gets one answer', async (t) => {
  const { api, person } = await open()
  const { tenantId } = api.tenant
  const disabled = await seedPerson(api.sql, tenantId, 'admin')
  await api.sql`update identities set state = 'disabled' where id = ${disabled.identityId}`
  const bare = await seedPerson(api.sql, tenantId, 'admin')
  await api.sql`update identities set password_hash = null where id = ${bare.identityId}`
  const unknown = { email: 'nobody@tenant.example', password: 'wrong', code: '000000' }
  // The hash for accounts that do not exist is made once for each process.
  await shapeOf(api, '/sign-in', unknown)
  const forms: { [name: string]: { [field: string]: string } } = {
    unknown,
    known: claim(api, person, { password: 'wrong' }),
    'known, wrong code': claim(api, person, { code: '000000' }),
    disabled: claim(api, disabled),
    'without a password': claim(api, bare),
  }
  for (const [name, form] of Object.entries(forms)) {
    const shape = await shapeOf(api, '/sign-in', form)
    t.match(shape, { status: 422, hashed: 0, verified: 1, tries: 2 }, name)
    t.equal(shape.text, (await shapeOf(api, '/sign-in', unknown)).text, name)
  }
})

test('20: a known address signs up with the same answer and work as an unknown one', async (t) => {
  const { api, person } = await open()
  const form = (email: string) => ({
    form: newId('idn', api.clock.nowMs),
    ...{ email, name: 'Grace', company: 'New Ltd', country: 'DE' },
    password: 'a long enough secret',
  })
  const mails = async () => (await api.sql`select 1 from mails`).length
  const before = await mails()
  const unknown = await shapeOf(api, '/sign-up', form('grace@new.example'))
  const sent = await mails()
  t.equal(sent - before, 1)
  const known = await shapeOf(api, '/sign-up', form(person.email))
  t.same(known, unknown)
  t.match(known, { status: 303, hashed: 1, verified: 0 })
  t.equal((await mails()) - sent, 1, 'one mail each')
})

/** Posts the sign-in form from one of our loopback addresses. */
async function tryFrom(api: TestApi, address: number, form: object): Promise<number> {
  const agent = new Agent({ localAddress: '127.0.2.' + address })
  const answer = await request(api.url + '/sign-in', {
    method: 'POST',
    headers: { ...OWN_SITE, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...form }).toString(),
    dispatcher: agent,
  })
  await answer.body.dump()
  await agent.close()
  return answer.statusCode
}

const REFUSED_THEN_LATE = [422, 422, 422, 422, 422, 429]

test('21: the sixth wrong code of an account waits, from whatever address it comes', async (t) => {
  const { api, person } = await open()
  const statuses: number[] = []
  for (let address = 1; address <= 6; address++)
    statuses.push(await tryFrom(api, address, claim(api, person, { code: '000000' })))
  t.same(statuses, REFUSED_THEN_LATE)
  t.equal(await tryFrom(api, 7, claim(api, person)), 429, 'the right code too')
  const other = await seedPerson(api.sql, api.tenant.tenantId)
  t.equal(await tryFrom(api, 7, claim(api, other)), 303, 'nobody else waits')
})

test('21: the sixth wrong try of an address waits, whichever accounts it names', async (t) => {
  const { api } = await open()
  const people: Person[] = []
  for (let count = 0; count < 7; count++)
    people.push(await seedPerson(api.sql, api.tenant.tenantId, 'admin'))
  const statuses: number[] = []
  for (const person of people.slice(0, 6))
    statuses.push(await tryFrom(api, 8, claim(api, person, { code: '000000' })))
  t.same(statuses, REFUSED_THEN_LATE)
  const [last] = people.slice(6)
  if (last === undefined) throw new Error('no person is left')
  t.equal(await tryFrom(api, 8, claim(api, last)), 429, 'the right code too')
  t.equal(await tryFrom(api, 9, claim(api, last)), 303, 'another address does not wait')
})

test('21: a sign-in that works forgives only its own try', async (t) => {
  const { api, person: own } = await open()
  const others: Person[] = []
  for (let count = 0; count < 5; count++)
    others.push(await seedPerson(api.sql, api.tenant.tenantId, 'admin'))
  // The clock of the test stands: all tries are of one millisecond.
  const guess = (person: Person) => tryFrom(api, 10, claim(api, person, { code: '000000' }))
  const [first, second, third, fourth, fifth] = others
  if (!first || !second || !third || !fourth || !fifth) throw new Error('no person is left')
  for (const person of [first, second, third, fourth]) t.equal(await guess(person), 422)
  t.equal(await tryFrom(api, 10, claim(api, own)), 303)
  t.equal(await guess(fifth), 422)
  t.equal(await guess(first), 429, 'the wrong tries of before still count')
})
