// Cardholders and sanctions lists: screening at creation, on a change, and on new lists, and the
// effect of a review.

import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { readConfig } from '../../../api/config.ts'
import { tx } from '../../../api/database/transaction.ts'
import { readDispatcherConfig } from '../../../api/dispatcher/config.ts'
import { rescreenJob, simulateHit } from '../../../api/issuing/cardholders/index.ts'
import { type Lists, openLists } from '../../../api/issuing/sanctions/lists.ts'
import { createScreener } from '../../../api/issuing/sanctions/screener.ts'
import { callerOf } from '../../../scripts/operator/caller.ts'
import { parseInvocation } from '../../../scripts/operator/options.ts'
import { readStartConfig } from '../../../scripts/start/config.ts'
import { newId } from '../../../shared/id.ts'
import { type Answer, SAMPLE, startTestApi, type TestApi } from '../../harness/api.ts'
import { runJob } from '../../harness/jobs.ts'
import { seedOperator } from '../../harness/operator.ts'
import { fc } from '../../harness/properties.ts'
import { seedCardholder } from '../../harness/tenant.ts'

/** A name and birthday on the sample list. */
const LISTED = { name: 'Haldor Jaskulski', date_of_birth: '1970-12-04' }

const create = (api: TestApi, body: object): Promise<Answer> =>
  api.call('POST', '/v1/cardholders', {
    key: api.tenant.keys.write,
    body: { program_id: api.tenant.programId, ...body },
  })
const patch = (api: TestApi, id: string, body: object): Promise<Answer> =>
  api.call('PATCH', '/v1/cardholders/' + id, { key: api.tenant.keys.write, body })
const post = (api: TestApi, id: string, verb: string): Promise<Answer> =>
  api.call('POST', '/v1/cardholders/' + id + '/' + verb, { key: api.tenant.keys.write })
const read = async (api: TestApi, path: string): Promise<Answer['body']> =>
  (await api.call('GET', '/v1/' + path, { key: api.tenant.keys.read })).body
const cardholder = (api: TestApi, id: string): Promise<Answer['body']> =>
  read(api, 'cardholders/' + id)
const review = (api: TestApi, key: string, alertId: string, body: object): Promise<Answer> =>
  api.call('POST', '/operator/v1/sanctions_alerts/' + alertId + '/review', { key, body })
const alertsOf = async (api: TestApi, id: string): Promise<Answer['body'][]> =>
  (await read(api, 'sanctions_alerts?order=asc&cardholder_id=' + id)).data

/** Types of the events about a cardholder, oldest first, and the latest one's data. */
async function told(api: TestApi, id: string): Promise<{ types: string[]; latest: unknown }> {
  const { data } = await read(api, 'events?order=asc&resource_id=' + id)
  return { types: data.map(({ type }: { type: string }) => type), latest: data.at(-1)?.data }
}

/** Lists of a dispatcher, with these names on them. */
function listing(version: string, changedAt: number, ...names: string[]): Lists {
  const listed = names.map((name, index) => ({
    id: 'test:' + index + name,
    kind: 'pep' as const,
    names: [name],
    birthDates: [],
    program: 'Mayor',
  }))
  const screener = createScreener(listed, version)
  return { current: () => screener, changedAt: () => changedAt }
}

function rescreen(api: TestApi, lists: Lists, now = api.clock.nowMs): Promise<number> {
  return runJob(rescreenJob(lists), { sql: api.sql, now })
}

/** Runs until nothing is left. */
async function rescreenAll(api: TestApi, lists: Lists, now?: number): Promise<number> {
  let sum = 0
  for (;;) {
    const done = await rescreen(api, lists, now)
    if (done === 0) return sum
    sum += done
  }
}

test('a possible match is created frozen, and the tenant is told', async (t) => {
  const api = await startTestApi()
  const made = await create(api, LISTED)
  t.equal(made.status, 201)
  const { id } = made.body
  const [alertId] = made.body.screening.open_alert_ids
  t.match(made.body, {
    status: 'active',
    frozen: true,
    frozen_by: 'sanctions',
    frozen_reason: 'sanctions_review',
    screening: {
      status: 'alert',
      screened_at: made.body.created,
      list_version: SAMPLE.current().version,
      open_alert_ids: [/^alert_[0-9a-z]{26}$/],
    },
  })
  const shown = await cardholder(api, id)
  t.same(shown, made.body)
  const { types, latest } = await told(api, id)
  t.same(types, ['cardholder.created', 'cardholder.sanctions.alert'])
  t.same(latest, { cardholder: shown })

  const alert = await read(api, 'sanctions_alerts/' + alertId)
  t.same(alert, {
    id: alertId,
    object: 'sanctions_alert',
    created: made.body.created,
    livemode: false,
    cardholder_id: id,
    status: 'open',
    hits: [
      {
        listed_id: 'ofac:9000001',
        kind: 'sanctions',
        name: 'JASKULSKI, Haldor',
        program: 'SAMPLE',
        score: 100,
        reasons: ['name 100 of 100', 'same date of birth'],
      },
    ],
    list_version: SAMPLE.current().version,
    reviewed_at: null,
  })
  t.same(await alertsOf(api, id), [alert])
  t.same((await read(api, 'sanctions_alerts?status=open')).data, [alert])
  t.same((await read(api, 'sanctions_alerts?status=dismissed')).data, [])
  for (const { keys } of [api.other, api.live]) {
    const call = (path: string) =>
      api.call('GET', '/v1/sanctions_alerts' + path, { key: keys.read })
    t.equal((await call('/' + alertId)).status, 404)
    t.same((await call('')).body.data, [])
  }
  await api.sql`update cardholders set identity = identity || '{"status": "approved"}' where id = ${id}`
  const body = { cardholder_id: id, type: 'virtual' }
  t.match(await api.call('POST', '/v1/cards', { key: api.tenant.keys.write, body }), {
    status: 409,
    body: { error: { code: 'cardholder_frozen', frozen_by: 'sanctions' } },
  })
  t.match((await post(api, id, 'unfreeze')).body.error, {
    code: 'invalid_state',
    current_status: 'frozen_by_sanctions',
  })

  const other = (await create(api, { ...LISTED, date_of_birth: '1990-01-01' })).body
  t.match(other, { frozen: false, screening: { status: 'clear', open_alert_ids: [] } })
  const [first_name, last_name] = LISTED.name.split(' ')
  const hidden = (await create(api, { name: 'Nobody Known', first_name, last_name })).body
  t.equal(hidden.frozen, true, 'first and last name count beside the name')
})

test('a changed name is screened, and frozen before the call is answered', async (t) => {
  const api = await startTestApi()
  const operator = await seedOperator(api.sql)
  const { id } = (await create(api, { ...LISTED, name: 'Ada Lovelace' })).body
  const asked = api.engine.asked.length
  const [before] = await api.sql`select version from cardholders where id = ${id}`
  const renamed = (await patch(api, id, { name: LISTED.name })).body
  t.match(renamed, { frozen_by: 'sanctions', screening: { status: 'alert' } })
  t.equal(api.engine.asked.length, asked + 1, 'the engine has it')
  const [after] = await api.sql`select version, frozen from cardholders where id = ${id}`
  t.equal(after?.['frozen'], true)
  t.ok(after?.['version'] > before?.['version'], 'a new version of the fact')
  t.same((await told(api, id)).latest, { cardholder: renamed })
  const [first] = renamed.screening.open_alert_ids
  t.same((await patch(api, id, { email: 'a@example.com' })).body.screening, renamed.screening)

  const innocent = (await patch(api, id, { name: 'Ada Lovelace' })).body
  t.equal(innocent.frozen, true, 'nobody renames themselves out of a review')
  t.same(innocent.screening.open_alert_ids, [first])
  t.equal((await review(api, operator, first, { decision: 'dismiss' })).status, 200)
  t.match(await cardholder(api, id), { frozen: false, screening: { status: 'clear' } })

  const again = (await patch(api, id, { name: LISTED.name })).body
  t.equal(again.frozen, false, 'what was dismissed about this person and entry stays so')
  const otherwise = (await patch(api, id, { name: 'Haldor Jaskulsky' })).body
  t.equal(otherwise.frozen, true, 'another person is another question')
  t.same(
    (await alertsOf(api, id)).map(({ status }) => status),
    ['dismissed', 'open'],
  )
  t.same((await told(api, id)).types, [
    'cardholder.created',
    'cardholder.sanctions.alert',
    'cardholder.sanctions.alert',
  ])
})

test('an operator’s review dismisses or confirms an alert, once', async (t) => {
  const api = await startTestApi()
  const operator = await seedOperator(api.sql)
  const { body: made } = await create(api, LISTED)
  const { id } = made
  const [first] = made.screening.open_alert_ids
  await post(api, id, 'freeze')
  const hit = { cardholderId: id, alertId: newId('alert', api.clock.nowMs), now: api.clock.nowMs }
  const simulated = await tx(api.sql, (sql) => simulateHit(sql, api.tenant, hit))
  t.same(simulated, await cardholder(api, id))
  t.same((await told(api, id)).latest, { cardholder: simulated })
  t.same(simulated.screening.open_alert_ids.length, 2)

  const path = '/operator/v1/sanctions_alerts'
  const body = { decision: 'dismiss', note: 'born elsewhere' }
  const { write: key } = api.tenant.keys
  t.equal((await api.call('POST', path + '/' + first + '/review', { key, body })).status, 404)
  t.equal((await review(api, operator, first, { decision: 'pass' })).status, 400)
  t.match(await review(api, operator, newId('alert', 0), body), {
    status: 404,
    body: { error: { code: 'resource_missing' } },
  })
  const asked = api.engine.asked.length
  const dismissed = (await review(api, operator, first, body)).body
  t.match(dismissed, {
    ...(await read(api, 'sanctions_alerts/' + first)),
    status: 'dismissed',
    reviewed_at: Math.floor(api.clock.nowMs / 1000),
    tenant_id: api.tenant.tenantId,
    reviewed_by: /^op_/,
    note: 'born elsewhere',
  })
  t.notMatch(await read(api, 'sanctions_alerts/' + first), { note: 'born elsewhere' })
  t.equal((await cardholder(api, id)).frozen_by, 'sanctions', 'one alert stands')
  t.same((await review(api, operator, first, body)).body, dismissed, 'said again')
  t.equal(api.engine.asked.length, asked + 2, 'and waited for again')
  t.match(await review(api, operator, first, { decision: 'confirm' }), {
    status: 409,
    body: {
      error: { code: 'invalid_state', current_status: 'dismissed', allowed_from: ['open'] },
    },
  })
  await review(api, operator, hit.alertId, { decision: 'dismiss' })
  t.match(await cardholder(api, id), {
    frozen_by: 'tenant',
    screening: { status: 'clear', open_alert_ids: [] },
  })
  t.equal((await post(api, id, 'unfreeze')).body.frozen, false)

  const worse = await tx(api.sql, (sql) =>
    simulateHit(sql, api.tenant, { ...hit, alertId: newId('alert', api.clock.nowMs) }),
  )
  const [third] = worse.screening.open_alert_ids
  t.equal((await review(api, operator, third ?? '', { decision: 'confirm' })).body.note, null)
  t.match(await cardholder(api, id), { frozen: true, screening: { status: 'confirmed' } })
  const last = { ...hit, alertId: newId('alert', api.clock.nowMs) }
  await tx(api.sql, (sql) => simulateHit(sql, api.tenant, last))
  await review(api, operator, last.alertId, { decision: 'dismiss' })
  t.equal((await cardholder(api, id)).frozen, true, 'confirmed is for good')
  await t.rejects(
    tx(api.sql, (sql) =>
      simulateHit(sql, api.other, { ...hit, alertId: newId('alert', api.clock.nowMs) }),
    ),
    { code: 'resource_missing' },
  )

  const listed = async (query: string): Promise<string[]> =>
    (
      await api.call('GET', path + '?tenant_id=' + api.tenant.tenantId + query, { key: operator })
    ).body.data.map((row: Answer['body']) => row.status)
  t.same(await listed('&order=asc'), ['dismissed', 'dismissed', 'confirmed', 'dismissed'])
  t.same(await listed('&status=confirmed&cardholder_id=' + id), ['confirmed'])
  t.same(await listed('&status=open'), [])
})

test('operators list and review alerts from the command line', async (t) => {
  const api = await startTestApi()
  const key = await seedOperator(api.sql)
  const { screening } = (await create(api, LISTED)).body
  const [alertId] = screening.open_alert_ids
  const run = async (...words: string[]): Promise<string> => {
    const invocation = parseInvocation(words)
    if (!invocation.ok || invocation.value.kind !== 'command')
      throw new Error(JSON.stringify(invocation))
    const { command, id, given } = invocation.value
    return command.show(await command.run(callerOf({ apiUrl: api.url, key }), id, given))
  }
  const list = await run('alerts', 'list', '--tenant-id', api.tenant.tenantId, '--status', 'open')
  t.match(list, /SCORE +NAME/)
  t.match(list, alertId + '  ' + api.tenant.tenantId)
  t.match(list, 'JASKULSKI, Haldor')
  const shown = await run('alerts', 'confirm', alertId, '--note', 'same person')
  t.match(shown, /status +confirmed/)
  t.match(shown, 'same date of birth')
  await t.rejects(run('alerts', 'dismiss', alertId), /confirmed/)
  t.equal(
    await run('alerts', 'list', '--tenant-id', api.tenant.tenantId, '--status', 'open'),
    'None.',
  )
})

test('changed lists screen everybody again, with several dispatchers together', async (t) => {
  const api = await startTestApi()
  const { sql, clock } = api
  const at = clock.nowMs
  await rescreenAll(api, listing('none', at, 'NOBODY, Whosoever'))
  t.match(await cardholder(api, api.tenant.cardholderId), {
    frozen: false,
    screening: { status: 'clear', list_version: 'none', screened_at: Math.floor(at / 1000) },
  })
  const { id } = (await create(api, { name: 'Octavia Brandywine' })).body
  t.equal(
    await rescreenAll(api, listing('none', at)),
    1,
    'who was screened by lists of another process',
  )
  await Promise.all(Array.from({ length: 120 }, () => seedCardholder(sql, api.tenant)))
  await sql`insert into sandbox_clocks (tenant_id, offset_ms) values (${api.tenant.tenantId}, 5000000)`
  const [before] = await sql`select version, (select max(seq) from config_change) as seq
    from cardholders where id = ${id}`

  const lists = listing('october', at + 1, 'BRANDYWINE, Octavia')
  const [everybody] = await sql<{ count: number }[]>`select count(*) from cardholders`
  t.equal(await rescreen(api, lists), 50, 'some at a time')
  const shares = await Promise.all([rescreenAll(api, lists), rescreenAll(api, lists)])
  t.ok(
    shares.every((share) => share > 0),
    'both did some: ' + shares,
  )
  // A cardholder with a hit may be screened twice, because both dispatchers may have read them and
  // one found a new hit.
  const sum = 50 + (shares[0] ?? 0) + (shares[1] ?? 0)
  t.ok([0, 1].includes(sum - (everybody?.count ?? 0)), sum + ' of ' + everybody?.count)
  t.equal(await rescreenAll(api, lists), 0)

  const shown = await cardholder(api, id)
  t.match(shown, {
    frozen_by: 'sanctions',
    screening: { status: 'alert', list_version: 'october' },
  })
  t.equal(shown.screening.screened_at, Math.floor((at + 5_000_000) / 1000), 'the tenant’s time')
  t.same((await told(api, id)).latest, { cardholder: shown })
  t.equal((await alertsOf(api, id)).length, 1)
  const news = await sql`select version, removed from config_change
    where id = ${id} and seq > ${before?.['seq']}`
  t.same(news, [{ version: before?.['version'] + 1, removed: false }], 'the engine is told, once')

  const operator = await seedOperator(sql)
  await review(api, operator, shown.screening.open_alert_ids[0], { decision: 'dismiss' })
  const november = listing('november', at + 2, 'BRANDYWINE, Octavia')
  t.equal(await rescreenAll(api, november), everybody?.count)
  t.match(await cardholder(api, id), {
    frozen: false,
    screening: { status: 'clear', list_version: 'november' },
  })
  await rescreenAll(api, listing('december', at + 3, 'X, Y', 'BRANDYWINE, Octavia'))
  t.equal((await cardholder(api, id)).frozen, true, 'a new entry')
})

test('newer lists count before older ones as long as a dispatcher uses them', async (t) => {
  const api = await startTestApi()
  const now = api.clock.nowMs + 3_600_000
  const newer = listing('newer', now - 10, 'A, B')
  const older = listing('older', now - 20, 'A, B')
  t.ok((await rescreenAll(api, older, now)) > 0)
  t.ok((await rescreenAll(api, newer, now)) > 0)
  t.equal(await rescreenAll(api, older, now), 0, 'no fight')
  t.equal(await rescreenAll(api, older, now + 299_000), 0)
  t.equal(await rescreenAll(api, newer, now + 299_000), 0, 'still in use')
  t.equal(await rescreenAll(api, older, now + 500_000), 0)
  t.ok((await rescreenAll(api, older, now + 600_000)) > 0, 'put back on purpose')
  t.ok((await rescreenAll(api, newer, now + 600_000)) > 0, 'and newer ones count again')
  const rows = await api.sql`select version from screening_lists order by number desc limit 4`
  t.same(
    rows.map(({ version }) => version),
    ['newer', 'older', 'newer', 'older'],
  )
  const both = await Promise.all(
    ['x', 'y'].map((name) => rescreen(api, listing(name, now + 700_000, 'A, B'), now + 700_000)),
  )
  t.equal(both.filter((done) => done > 0).length, 1, 'one of two at once')
})

test('lists are read again when a file changes, and kept while it cannot be read', async (t) => {
  const api = await startTestApi()
  const directory = mkdtempSync(join(tmpdir(), 'svc-lists-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'pep.csv')
  const header = 'id,name,other names,birth date,position\n'
  const entries = (...names: string[]): void =>
    writeFileSync(file, header + names.map((name, at) => at + ',"' + name + '",,,Mayor\n').join(''))
  entries('Somebody, Else')
  const now = api.clock.nowMs + 10 * 3_600_000
  utimesSync(file, now / 1000, now / 1000)
  const problems: string[] = []
  const opened = openLists([{ format: 'pep', path: file }], (problem) => problems.push(problem))
  if (!opened.ok) throw new Error(opened.error)
  const lists = opened.value
  t.equal(lists.changedAt(), now)
  const { id } = (await create(api, { name: 'Wilhelmina Oldcastle' })).body
  await rescreenAll(api, lists, now)
  t.equal((await cardholder(api, id)).frozen, false)

  rmSync(file)
  t.equal(await rescreenAll(api, lists, now), 0)
  t.equal(await rescreenAll(api, lists, now), 0)
  t.same(problems, ['the list ' + file + ' cannot be read'], 'said once')
  entries('Somebody, Else', 'Oldcastle, Wilhelmina')
  utimesSync(file, now / 1000 + 1, now / 1000 + 1)
  t.ok((await rescreenAll(api, lists, now)) > 0)
  t.match(await cardholder(api, id), { frozen: true, screening: { status: 'alert' } })
  const [alert] = await alertsOf(api, id)
  t.match(alert.hits, [{ kind: 'pep', name: 'Oldcastle, Wilhelmina' }])
  const [row] =
    await api.sql`select person, hits::text from sanctions_alerts where id = ${alert.id}`
  t.match(row?.['person'], /^[0-9a-f]{64}$/)
  t.notMatch(JSON.stringify(row), /Wilhelmina Oldcastle/, 'the names of the list, not the person’s')
})

test('a cardholder with an open alert is frozen, in any order of hits, freezes, names and reviews', async (t) => {
  const api = await startTestApi()
  const operator = await seedOperator(api.sql)
  const operate = (id: string, verb: string) =>
    api.call('POST', '/operator/v1/cardholders/' + id + '/' + verb, { key: operator })
  const decide = async (id: string, decision: string, which: number): Promise<void> => {
    const alerts = await alertsOf(api, id)
    const alert = alerts[which % Math.max(1, alerts.length)]
    if (alert !== undefined) await review(api, operator, alert.id, { decision })
  }
  let rounds = 0
  const STEPS: { readonly [step: string]: (id: string, which: number) => Promise<unknown> } = {
    hit: (cardholderId) =>
      tx(api.sql, (sql) => {
        const { nowMs: now } = api.clock
        return simulateHit(sql, api.tenant, { cardholderId, alertId: newId('alert', now), now })
      }),
    rename: (id, which) =>
      patch(api, id, { name: ['Ada Lovelace', LISTED.name, 'Yngvar Brackenholt'][which % 3] }),
    rescreen: (_id, which) => {
      rounds += 1
      const at = api.clock.nowMs + 20 * 3_600_000 + rounds
      const name = ['LOVELACE, Ada', 'JASKULSKI, Haldor'][which % 2] ?? ''
      return rescreenAll(api, listing('round' + rounds, at, name), at)
    },
    freeze: (id) => post(api, id, 'freeze'),
    unfreeze: (id) => post(api, id, 'unfreeze'),
    operatorFreeze: (id) => operate(id, 'freeze'),
    operatorUnfreeze: (id) => operate(id, 'unfreeze'),
    dismiss: (id, which) => decide(id, 'dismiss', which),
    confirm: (id, which) => decide(id, 'confirm', which),
  }
  const step = fc.record({
    name: fc.constantFrom(...Object.keys(STEPS), 'hit', 'dismiss', 'dismiss'),
    which: fc.nat(5),
  })
  const holds = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
    const { id } = (await create(api, { name: 'Ada Lovelace' })).body
    for (const { name, which } of steps) {
      await STEPS[name]?.(id, which)
      const shown = await cardholder(api, id)
      const alerts = await alertsOf(api, id)
      const open = alerts.filter(({ status }) => status === 'open').map((alert) => alert.id)
      const confirmed = alerts.some(({ status }) => status === 'confirmed')
      const stands = confirmed || open.length > 0
      if ((shown.frozen_by === 'sanctions') !== stands || (stands && !shown.frozen)) return false
      const expected = confirmed ? 'confirmed' : stands ? 'alert' : 'clear'
      if (shown.screening.status !== expected) return false
      if (shown.screening.open_alert_ids.join() !== open.join()) return false
    }
    return true
  })
  await t.resolves(fc.assert(holds, { numRuns: 30 }))
})

test('live needs its own lists, the sandbox has a sample', (t) => {
  const base = {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    SVC_DATA_DIR: t.testdir(),
  }
  const live = { ...base, SVC_ENVIRONMENT: 'live', SVC_MASTER_KEY: 'k1:' + 'A'.repeat(43) + '=' }
  const start = readStartConfig(live)
  t.match(start.ok ? [] : start.error, [/^SVC_SCREENING_LISTS must be set in live/])
  for (const readings of [readConfig, readDispatcherConfig]) {
    const bare = readings(live)
    t.match(bare.ok ? [] : bare.error, [/^SVC_SCREENING_LISTS must be set in live/])
    const own = readings({ ...live, SVC_SCREENING_LISTS: 'pep:/lists/pep.csv' })
    t.same(own.ok && own.value.lists, [{ format: 'pep', path: '/lists/pep.csv' }])
    const sandbox = readings(base)
    t.equal(sandbox.ok && sandbox.value.lists.length, 2)
  }
  t.end()
})
