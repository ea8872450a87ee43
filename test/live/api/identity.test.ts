import { test } from 'tap'
import { readDispatcherConfig } from '../../../api/dispatcher/config.ts'
import { identityJob } from '../../../api/issuing/cardholders/index.ts'
import { createHttpProvider } from '../../../api/issuing/identity/http-provider.ts'
import { startIdentityPeer } from '../../../scripts/identity-peer/peer.ts'
import { systemClock } from '../../../shared/clock.ts'
import { createLog, type Logger } from '../../../shared/log.ts'
import { signatureHeader } from '../../../shared/signature.ts'
import { type IdentityProviderFake, startIdentityProvider } from '../../fakes/identity-provider.ts'
import { type Answer, IDENTITY_SECRET, startTestApi, type TestApi } from '../../harness/api.ts'
import { runJob } from '../../harness/jobs.ts'
import { file } from '../../harness/per-file.ts'
import { fc } from '../../harness/properties.ts'
import { until } from '../../harness/until.ts'

const PERSON = {
  first_name: 'Grace',
  last_name: 'Hopper',
  date_of_birth: '1986-12-09',
  address: { line1: '1 Main St', city: 'Portland', country: 'US' },
}
const DAY_MS = 24 * 3_600_000
const KEY = 'idkey_test'

interface Asked {
  id: string
  verificationId: string
}

async function created(
  api: TestApi,
  tenant = api.tenant,
  last_name = PERSON.last_name,
): Promise<Asked> {
  const { status, body } = await api.call('POST', '/v1/cardholders', {
    key: tenant.keys.write,
    body: { program_id: tenant.programId, ...PERSON, last_name },
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { id: body.id, verificationId: body.kyc.verification_id }
}

async function kycOf(api: TestApi, { id }: Asked): Promise<Answer['body']> {
  const { body } = await api.call('GET', '/v1/cardholders/' + id, { key: api.tenant.keys.read })
  return body.kyc
}

async function eventsOf(api: TestApi, { id }: Asked): Promise<string[]> {
  const rows = await api.sql<{ type: string }[]>`
    select type from events where resource_id = ${id} order by seq`
  return rows.map(({ type }) => type)
}

interface Result {
  id: string
  sequence: number
  status: string
  reasons?: string[]
}

interface Signing {
  secret?: string
  /** Seconds before now. */
  ageS?: number
  header?: string
}

function tell(api: TestApi, asked: Asked, result: Result, signing: Signing = {}): Promise<Answer> {
  const body = { verification_id: asked.verificationId, reasons: [], ...result }
  return tellRaw(api, JSON.stringify(body), signing)
}

function tellRaw(api: TestApi, raw: string, signing: Signing = {}): Promise<Answer> {
  const { secret = IDENTITY_SECRET, ageS = 0 } = signing
  const header =
    signing.header ?? signatureHeader([secret], Math.floor(api.clock.nowMs / 1000) - ageS, raw)
  return api.call('POST', '/partners/identity/callbacks', {
    raw,
    headers: { 'content-type': 'application/json', 'identity-signature': header },
  })
}

const providers: IdentityProviderFake[] = []
file.teardown(async () => {
  for (const provider of providers) await provider.close()
})

/** The timer with a provider behind it, at any moment, and its log lines. */
async function startTimer(api: TestApi) {
  const fake = await startIdentityProvider()
  providers.push(fake)
  // Verifications that other tests left open are closed first.
  await api.sql`update identity_verifications set state = 'superseded', due_at = null`
  const provider = createHttpProvider({
    url: fake.url,
    key: KEY,
    clock: systemClock,
    callMsMax: 300,
  })
  file.teardown(() => provider.close())
  const logged: string[] = []
  const log = { warn: (line: object) => logged.push(JSON.stringify(line)) } as unknown as Logger
  const run = (now: number, identity = provider) =>
    runJob(identityJob(identity), { sql: api.sql, now, log })
  return { fake, run, logged }
}

test('a result is applied once, however often and late it comes', async (t) => {
  const api = await startTestApi()
  const asked = await created(api)
  const approved = { id: 'e1', sequence: 1, status: 'approved' }
  api.clock.nowMs += 40 * DAY_MS
  for (let times = 0; times < 3; times++)
    t.match(await tell(api, asked, approved), { status: 200, body: { received: true } })
  t.same(await kycOf(api, asked), {
    status: 'approved',
    reasons: [],
    verification_id: asked.verificationId,
    completed_at: Math.floor(api.clock.nowMs / 1000),
  })
  t.same(await eventsOf(api, asked), ['cardholder.created', 'cardholder.kyc.completed'])
  const again = { id: 'e2', sequence: 2, status: 'rejected' }
  t.equal((await tell(api, asked, again)).status, 200)
  t.equal((await kycOf(api, asked)).status, 'approved', 'a final result stays')
  const kept = await api.sql`
    select event_id, applied from identity_findings
    where verification_id = ${asked.verificationId} order by sequence`
  t.same(
    [...kept],
    [
      { event_id: 'e1', applied: true },
      { event_id: 'e2', applied: false },
    ],
  )
})

test('a required action is shown with its reasons, and the verification continues afterwards', async (t) => {
  const api = await startTestApi()
  const asked = await created(api)
  const flagged = { id: 'e2', sequence: 2, status: 'requires_action', reasons: ['blurred photo'] }
  await tell(api, asked, flagged)
  t.match(await kycOf(api, asked), {
    status: 'requires_action',
    reasons: ['blurred photo'],
    completed_at: null,
  })
  t.same(await eventsOf(api, asked), ['cardholder.created', 'cardholder.kyc.requires_action'])
  await tell(api, asked, { id: 'e1', sequence: 1, status: 'processing' })
  t.equal((await kycOf(api, asked)).status, 'requires_action', 'older than what is known')
  await tell(api, asked, { id: 'e3', sequence: 3, status: 'processing' })
  t.match(await kycOf(api, asked), { status: 'pending', reasons: [] })
  await tell(api, asked, { id: 'e4', sequence: 4, status: 'rejected', reasons: ['no such person'] })
  t.match(await kycOf(api, asked), { status: 'rejected', reasons: ['no such person'] })
  t.equal((await eventsOf(api, asked)).at(-1), 'cardholder.kyc.completed')
})

test('a callback without the provider’s valid signature is refused, and changes nothing', async (t) => {
  const api = await startTestApi()
  const asked = await created(api)
  const approved = { id: 'e1', sequence: 1, status: 'approved' }
  const refused: [Signing, number, string][] = [
    [{ secret: 'another' }, 401, 'invalid_signature'],
    [{ ageS: 301 }, 401, 'timestamp_out_of_tolerance'],
    [{ ageS: -301 }, 401, 'timestamp_out_of_tolerance'],
    [{ header: '' }, 401, 'malformed_header'],
    [{ header: 't=x,v1=00' }, 401, 'malformed_header'],
  ]
  for (const [signing, status, code] of refused)
    t.match(await tell(api, asked, approved, signing), { status, body: { error: { code } } })
  t.equal((await kycOf(api, asked)).status, 'pending')
  t.equal((await tell(api, asked, approved, { ageS: 299 })).status, 200)

  const unknown = { ...asked, verificationId: 'idv_nobody' }
  t.match(await tell(api, unknown, approved), {
    status: 404,
    body: { error: { code: 'resource_missing' } },
  })
  for (const raw of [
    '',
    '{',
    'null',
    '[]',
    '{"id":"e"}',
    JSON.stringify({ ...approved, verification_id: asked.verificationId, reasons: [1] }),
    JSON.stringify({
      ...approved,
      verification_id: asked.verificationId,
      reasons: [],
      sequence: 0,
    }),
    JSON.stringify({ ...approved, verification_id: asked.verificationId, reasons: ['\0'] }),
    JSON.stringify({ ...approved, verification_id: 'a\0b', reasons: [] }),
    JSON.stringify({ ...approved, verification_id: asked.verificationId, status: 'fine' }),
  ])
    t.match(await tellRaw(api, raw), { status: /40[01]/ }, raw)
  const large = JSON.stringify({ ...approved, verification_id: 'x'.repeat(17_000) })
  t.equal((await tellRaw(api, large)).status, 413)
})

test('results in any order and repetition end alike', async (t) => {
  const api = await startTestApi()
  const middle = fc.constantFrom('processing', 'requires_action')
  const history = fc
    .record({
      before: fc.array(middle, { maxLength: 3 }),
      end: fc.constantFrom('approved', 'rejected', 'requires_action', 'processing'),
    })
    .map(({ before, end }) =>
      [...before, end].map((status, at) => ({
        id: 'e' + at,
        sequence: at + 1,
        status,
        reasons: status === 'processing' || status === 'approved' ? [] : ['reason ' + at],
      })),
    )
  const told = history.chain((results) =>
    fc.record({
      results: fc.constant(results),
      order: fc.array(fc.nat({ max: results.length - 1 }), { maxLength: 4 }).chain((repeats) =>
        fc.shuffledSubarray([...results.keys(), ...repeats], {
          minLength: results.length + repeats.length,
        }),
      ),
    }),
  )
  const run = async ({ results, order }: { results: Result[]; order: number[] }) => {
    const asked = await created(api)
    for (const at of order) {
      const { status } = await tell(api, asked, results[at] as Result)
      if (status !== 200) throw new Error('answered ' + status)
    }
    const last = results.at(-1) as Result
    const expected = last.status === 'processing' ? 'pending' : last.status
    const { status, reasons } = await kycOf(api, asked)
    if (status !== expected || reasons.join() !== last.reasons?.join())
      throw new Error(status + ' of ' + JSON.stringify(results))
    const final = (await eventsOf(api, asked)).filter((type) => type === 'cardholder.kyc.completed')
    const completed = last.status === 'approved' || last.status === 'rejected' ? 1 : 0
    if (final.length !== completed) throw new Error('told ' + final.length + ' times')
  }
  await t.resolves(fc.assert(fc.asyncProperty(told, run), { numRuns: 40, seed: 17 }))
})

test('two concurrent results are applied one after the other', async (t) => {
  const api = await startTestApi()
  const asked = await created(api)
  const approved = { id: 'e1', sequence: 3, status: 'approved' }
  const answers = await Promise.all([
    ...Array.from({ length: 6 }, () => tell(api, asked, approved)),
    tell(api, asked, { id: 'e0', sequence: 2, status: 'requires_action', reasons: ['x'] }),
  ])
  t.ok(answers.every(({ status }) => status === 200))
  t.equal((await kycOf(api, asked)).status, 'approved')
  const completed = (await eventsOf(api, asked)).filter((type) => type.endsWith('completed'))
  t.equal(completed.length, 1)
})

test('a verification is sent once with the person’s data, under its own id', async (t) => {
  const api = await startTestApi()
  const { fake, run } = await startTimer(api)
  const asked = await created(api)
  t.equal(await run(api.clock.nowMs - 1), 0, 'not before it was asked for')
  t.equal(await run(api.clock.nowMs), 1)
  t.equal(await run(api.clock.nowMs), 0)
  t.same(fake.asked, [
    {
      method: 'PUT',
      id: asked.verificationId,
      authorization: 'Bearer ' + KEY,
      body: {
        livemode: false,
        person: {
          ...PERSON,
          address: { ...PERSON.address, line2: null, state: null, postal_code: null },
          email: null,
          phone: null,
        },
      },
    },
  ])
  t.equal((await kycOf(api, asked)).status, 'pending')
})

test('a silent provider is asked again with growing delays, then an operator has to look', async (t) => {
  const api = await startTestApi()
  const { fake, run, logged } = await startTimer(api)
  const asked = await created(api)
  let now = api.clock.nowMs
  for (const [answer, pauseMs] of [
    [{ status: 503 }, 5000],
    [{ status: 401 }, 10_000],
    ['silence', 20_000],
    [{ status: 302 }, 40_000],
  ] as const) {
    fake.answer = answer
    t.equal(await run(now), 1)
    t.equal(await run(now + pauseMs - 1), 0)
    now += pauseMs
  }
  t.equal(fake.asked.length, 4)
  t.equal(logged.length, 4)
  t.notMatch(logged.join(), /Grace|Hopper|1986|Main/)
  fake.answer = { status: 500 }
  t.equal(await run(api.clock.nowMs + 8 * DAY_MS), 1)
  t.match(await kycOf(api, asked), {
    status: 'requires_action',
    reasons: ['provider_unreachable'],
  })
  t.equal(await run(api.clock.nowMs + 90 * DAY_MS), 0, 'nothing more is tried')
  await tell(api, asked, { id: 'e1', sequence: 1, status: 'approved' })
  t.equal((await kycOf(api, asked)).status, 'approved', 'it came late')
})

test('a verification that the provider refuses goes to an operator', async (t) => {
  const api = await startTestApi()
  const { fake, run } = await startTimer(api)
  const asked = await created(api)
  fake.answer = { status: 422 }
  await run(api.clock.nowMs)
  t.match(await kycOf(api, asked), { status: 'requires_action', reasons: ['provider_refused'] })
  t.equal((await eventsOf(api, asked)).at(-1), 'cardholder.kyc.requires_action')
})

test('an overdue verification is queried by the tenant’s clock, reminded once, then escalated', async (t) => {
  const api = await startTestApi()
  const { fake, run } = await startTimer(api)
  const asked = await created(api)
  const { nowMs } = api.clock
  await run(nowMs)
  t.equal(await run(nowMs + 3 * DAY_MS - 1), 0)
  await api.sql`
    insert into sandbox_clocks values (${api.tenant.tenantId}, ${3 * DAY_MS})
    on conflict (tenant_id) do update set offset_ms = excluded.offset_ms`
  fake.answer = { status: 404 }
  t.equal(await run(nowMs), 1, 'its clock is ahead')
  t.same(
    fake.asked.map(({ method }) => method),
    ['PUT', 'GET', 'PUT'],
    'it knows nothing, so it is asked again',
  )
  t.equal((await kycOf(api, asked)).status, 'pending')
  const silent = { ...asked, sequence: 1, status: 'processing', reasons: [] }
  fake.answer = { status: 200, body: { ...silent, verification_id: asked.verificationId } }
  // The provider never accepts the request, therefore it is repeated and shown as processing.
  await run(nowMs + 60_000)
  t.match(fake.asked.at(-1), { method: 'GET' })
  const day = async (days: number) => {
    await run(nowMs + 60_000 + days * DAY_MS)
    return (await kycOf(api, asked)).status
  }
  t.equal(await day(3), 'pending', 'reminded')
  t.equal(await day(5), 'pending')
  t.equal(await day(6), 'requires_action')
  t.match((await kycOf(api, asked)).reasons, ['provider_silent'])
})

test('a result whose callback got lost is found by a query', async (t) => {
  const api = await startTestApi()
  const { fake, run } = await startTimer(api)
  const asked = await created(api)
  await run(api.clock.nowMs)
  fake.answer = {
    status: 200,
    body: {
      id: 'e9',
      verification_id: asked.verificationId,
      sequence: 9,
      status: 'rejected',
      reasons: ['watch list'],
    },
  }
  await run(api.clock.nowMs + 3 * DAY_MS)
  t.match(await kycOf(api, asked), { status: 'rejected', reasons: ['watch list'] })
  t.same(await eventsOf(api, asked), ['cardholder.created', 'cardholder.kyc.completed'])
  t.equal((await tell(api, asked, { id: 'e9', sequence: 9, status: 'rejected' })).status, 200)
  t.equal((await eventsOf(api, asked)).length, 2, 'its callback comes after all')
})

test('two timers send nothing twice, and one that dies leaves its work to the other', async (t) => {
  const api = await startTestApi()
  const { fake, run } = await startTimer(api)
  for (let made = 0; made < 5; made++) await created(api)
  const { nowMs } = api.clock
  const done = await Promise.all([run(nowMs), run(nowMs), run(nowMs)])
  t.equal(done[0] + done[1] + done[2], 5)
  t.equal(new Set(fake.asked.map(({ id }) => id)).size, 5)
  t.equal(fake.asked.length, 5)
  // As a dispatcher leaves it that was killed after the claim.
  await api.sql`update identity_verifications set state = 'requested', due_at = ${nowMs + 60_000}
    where state = 'sent'`
  t.equal(await run(nowMs + 60_000), 5)
})

test('the sandbox’s provider decides by the last name, and calls back as badly as configured', async (t) => {
  const api = await startTestApi()
  const peer = await startIdentityPeer({
    port: 0,
    key: KEY,
    secret: IDENTITY_SECRET,
    callbackUrl: api.url + '/partners/identity/callbacks',
    clock: { ...systemClock, nowMs: () => api.clock.nowMs },
    log: createLog({ name: 'identity-peer', level: 'silent' }),
    pace: 0.01,
  })
  t.teardown(() => peer.close())
  const provider = createHttpProvider({ url: peer.url, key: KEY, clock: systemClock })
  t.teardown(() => provider.close())
  const { run } = await startTimer(api)
  const expected: { [lastName: string]: string } = {
    Hopper: 'approved',
    Reject: 'rejected',
    REVIEW: 'requires_action',
    Late: 'approved',
    Twice: 'approved',
    Backwards: 'approved',
  }
  const made = new Map<string, Asked>()
  for (const name of [...Object.keys(expected), 'Lost', 'Never'])
    made.set(name, await created(api, api.tenant, name))
  await run(api.clock.nowMs, provider)
  for (const [name, status] of Object.entries(expected)) {
    const asked = made.get(name) as Asked
    await until(async () => (await kycOf(api, asked)).status === status)
    const types = (await eventsOf(api, asked)).filter((type) => type.endsWith('completed'))
    t.equal(types.length, status === 'requires_action' ? 0 : 1, name)
  }
  const [lost, never] = [made.get('Lost') as Asked, made.get('Never') as Asked]
  t.equal((await kycOf(api, lost)).status, 'pending')
  await run(api.clock.nowMs + 4 * DAY_MS, provider)
  t.equal((await kycOf(api, lost)).status, 'approved', 'it was asked after')
  t.equal((await kycOf(api, never)).status, 'pending')
  for (const days of [8, 12, 16]) await run(api.clock.nowMs + days * DAY_MS, provider)
  t.match(await kycOf(api, never), { status: 'requires_action', reasons: ['provider_silent'] })

  const stranger = createHttpProvider({ url: peer.url, key: 'another', clock: systemClock })
  t.teardown(() => stranger.close())
  t.equal(await stranger.look(lost.verificationId), 'unavailable')
})

test('a provider is configured completely, and in live over https only', (t) => {
  const base = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SVC_DATA_DIR: t.testdir() }
  const problems = (settings: { [name: string]: string }) => {
    const config = readDispatcherConfig({ ...base, ...settings })
    return config.ok ? config.value.identity : config.error
  }
  const url = { SVC_IDENTITY_URL: 'http://identity.example/' }
  const key = { SVC_IDENTITY_KEY: 'key' }
  t.equal(problems({}), null)
  t.match(problems(url), [/set together/])
  t.match(problems(key), [/set together/])
  t.same(problems({ ...url, ...key }), { url: 'http://identity.example', key: 'key' })
  t.match(problems({ ...url, ...key, SVC_ENVIRONMENT: 'live' }), [/must be https/])
  t.end()
})
