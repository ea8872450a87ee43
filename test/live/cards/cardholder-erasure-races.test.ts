// An erasure beside other work: attempts under way, screenings under way, later writes, an earlier
// release.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { rescreenJob } from '../../../api/issuing/cardholders/index.ts'
import type { Lists } from '../../../api/issuing/sanctions/lists.ts'
import { createScreener } from '../../../api/issuing/sanctions/screener.ts'
import { type Answer, SAMPLE, type TestApi } from '../../harness/api.ts'
import { startDispatch } from '../../harness/dispatched.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { runJob } from '../../harness/jobs.ts'
import { issuePass } from '../../harness/passes.ts'
import { seedCardholder } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

const NEVER_SCREENED = '9223372036854775807'
const ERASED = {
  status: 409,
  body: { error: { code: 'invalid_state', current_status: 'erased' } },
}

function call(api: TestApi, method: string, path: string, body?: object): Promise<Answer> {
  return api.call(method, '/v1/' + path, { key: api.tenant.keys.admin, ...(body && { body }) })
}

async function done(api: TestApi, path: string, body?: object): Promise<Answer['body']> {
  const answer = await call(api, 'POST', path, body)
  if (answer.status >= 300) throw new Error(path + ': ' + answer.text)
  return answer.body
}

test('an attempt under way keeps no word of its receiver', async (t) => {
  const api = await startIssuingApi()
  await done(api, 'webhook_endpoints', { url: 'https://tenant.example/hook' })
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let asked = 0
  await startDispatch(api.sql, {
    async send() {
      asked += 1
      await answered
      // A success and a retry are written by different statements.
      return asked % 2 === 0
        ? { body: 'thank you, Augusta' }
        : { body: 'not now, Augusta', status: 500, errorClass: 'http' as const }
    },
    delaysMs: [0, 3_600_000, 0, 0, 0],
  })
  const program_id = api.tenant.programId
  const { id } = await done(api, 'cardholders', { program_id, name: 'Augusta Lovelace' })
  await until(() => asked === 1)
  await done(api, 'cardholders/' + id + '/erase')
  answer()
  const bodies = () => api.sql`select body from delivery_attempts`
  await until(async () => (await bodies()).length > 0)
  t.same(await bodies(), [{ body: '' }])
})

/** Lists with these names. */
function listing(...names: string[]): Lists {
  const listed = names.map((name) => ({
    ...{ id: 'test:' + name, kind: 'pep' as const, names: [name], birthDates: [] },
    program: 'Mayor',
  }))
  const screener = createScreener(listed, 'of ' + names.join())
  return { current: () => screener, changedAt: () => 1 }
}

test('a screening that found somebody before the erasure screens no erased name', async (t) => {
  const api = await startIssuingApi()
  const { sql } = api
  const [first, second] = [
    await seedCardholder(sql, api.tenant),
    await seedCardholder(sql, api.tenant),
  ]
  await sql`update cardholders set name = 'Xaver Quintus', screened_under = -2 where id = ${first}`
  await sql`update cardholders set name = 'Ysolde Marber', screened_under = -1 where id = ${second}`
  let screening: Promise<number> = Promise.resolve(0)
  // The alert of the first waits for this lock; the second is erased meanwhile.
  await tx(sql, async (inner) => {
    await inner`lock table sanctions_alerts in share mode`
    const lists = listing('Xaver Quintus', 'Ysolde Marber')
    screening = runJob(rescreenJob(lists), { sql, now: api.clock.nowMs })
    await until(async () => {
      const waiting = await sql`
        select from pg_locks where relation = 'sanctions_alerts'::regclass and not granted`
      return waiting.length > 0
    })
    await sql`
      update cardholders set name = 'Erased', erased_at = 1, screened_under = ${NEVER_SCREENED}::bigint
      where id = ${second}`
  })
  await screening
  const rows = await sql<{ id: string; under: string; status: string }[]>`
    select id, screened_under::text as under, screening ->> 'status' as status from cardholders
    where id in (${first}, ${second}) order by name desc`
  t.match(rows, [
    { id: first, status: 'alert' },
    { id: second, under: NEVER_SCREENED, status: 'pending' },
  ])
})

test('newer lists keep a person whom they name', async (t) => {
  const api = await startIssuingApi()
  const { cardholderId, cardId } = api.tenant
  await done(api, 'cards/' + cardId + '/terminate')
  await api.sql`
    update cardholders set name = 'Haldor Jaskulski', details = '{"date_of_birth": "1970-12-04"}',
      screening = screening || '{"status": "clear"}'
    where id = ${cardholderId}`
  t.match(await call(api, 'POST', 'cardholders/' + cardholderId + '/erase'), {
    status: 409,
    body: { error: { code: 'invalid_state', current_status: 'screening_pending' } },
  })
  const ports = { sql: api.sql, now: api.clock.nowMs }
  // People of other tests may fill the batches before.
  await until(async () => (await runJob(rescreenJob(SAMPLE), ports)) === 0)
  t.match(await call(api, 'POST', 'cardholders/' + cardholderId + '/erase'), {
    status: 409,
    body: { error: { current_status: 'screening_alert' } },
  })
})

test('nothing that names an erased person takes data about them again', async (t) => {
  const api = await startIssuingApi()
  const { cardholderId, cardId } = api.tenant
  const own = { metadata: { nick: 'Countess' } }
  const pass = await issuePass(api, { card_id: cardId })
  const token = await done(api, 'wallet_tokens', { card_id: cardId, provider: 'apple' })
  const control = { allowed_countries: ['US'], scope: 'cardholder', subject_id: cardholderId }
  const made = await done(api, 'spending_controls', control)
  await done(api, 'cards/' + cardId + '/terminate')
  t.equal((await call(api, 'PATCH', 'cards/' + cardId, own)).status, 200)
  await done(api, 'cardholders/' + cardholderId + '/erase')
  for (const path of [
    ...['cards/' + cardId, 'passes/' + pass.id, 'wallet_tokens/' + token.id],
    'spending_controls/' + made.id,
  ])
    t.match(await call(api, 'PATCH', path, own), ERASED, path)
  t.match(await call(api, 'POST', 'spending_controls', { ...control, ...own }), ERASED)
  t.match((await call(api, 'GET', 'cards/' + cardId)).body, { metadata: {} })
})

test('an earlier release deletes a cardholder without knowing of erasures', async (t) => {
  const { sql, tenant } = await startIssuingApi()
  const id = await seedCardholder(sql, tenant)
  await sql`
    insert into cardholder_erasures (id, tenant_id, environment, sealed, erased_at)
    values (${id}, ${tenant.tenantId}, 'sandbox', 'sealed', 0)`
  await sql`delete from cardholders where id = ${id}`
  t.same(await sql`select from cardholder_erasures where id = ${id}`, [])
})
