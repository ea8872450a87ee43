// Processes of the api are killed while they serve the feed: a reader goes on at another one, or at
// the next one, with the number of its last event.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { openSession } from '../../../api/access/sessions/index.ts'
import type { Sql } from '../../../api/database/pool.ts'
import { tx } from '../../../api/database/transaction.ts'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { openPart, type Part } from '../../faults/part.ts'
import { MASTER_KEY_TEXT } from '../../harness/api.ts'
import { openBrowser, openWatched } from '../../harness/browser.ts'
import { COMPILED } from '../../harness/compiled.ts'
import { decidedEntry, drain } from '../../harness/drained.ts'
import { freePort } from '../../harness/free-ports.ts'
import { seedRoot } from '../../harness/issuing.ts'
import { seedPerson } from '../../harness/person.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import { openStream, type Stream } from '../../harness/stream.ts'
import { seedTenant, type TestTenant } from '../../harness/tenant.ts'
import { until } from '../../harness/until.ts'

const PATH = '/v1/card_transactions/stream'
const BATCH = 1000

interface Process {
  part: Part
  url: string
}

interface Scene {
  sql: Sql
  tenant: TestTenant
  processes: readonly Process[]
}

async function startProcesses(t: Test, count: number): Promise<Scene> {
  const { sql, url } = await openTestDatabase(t)
  await seedRoot(sql)
  const tenant = await seedTenant(sql, 'sandbox')
  const processes: Process[] = []
  while (processes.length < count) {
    const directory = mkdtempSync(join(tmpdir(), 'svc-feed-killed-'))
    const port = await freePort()
    const part = openPart('api/main.ts', directory, {
      ...COMPILED,
      PATH: process.env['PATH'],
      SVC_DATA_DIR: directory,
      SVC_MASTER_KEY: MASTER_KEY_TEXT,
      SVC_API_PORT: String(port),
      DATABASE_URL: url,
    })
    t.teardown(async () => {
      await part.stop()
      rmSync(directory, { recursive: true, force: true })
    })
    await part.start()
    processes.push({ part, url: 'http://127.0.0.1:' + port })
  }
  return { sql, tenant, processes }
}

/** Writes transactions as batches of the drain, and returns their ids. */
async function seed({ sql, tenant }: Scene, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const now = systemClock.nowMs()
    const batch = Array.from({ length: Math.min(BATCH, count - ids.length) }, () =>
      newId('txn', now),
    )
    const entries = batch.map((id) =>
      decidedEntry(tenant, { id, receivedAtMs: now, amountCents: 1000 }),
    )
    await drain(sql, ...entries)
    ids.push(...batch)
  }
  return ids
}

function lastId({ told }: Stream): number {
  return Number(told.findLast(({ id }) => id !== '')?.id ?? 0)
}

/** Transactions of each event by the numbers of the events, and as the events count them. */
function steps(streams: readonly Stream[]): { byNumber: number[]; told: number[] } {
  const byNumber: number[] = []
  const told: number[] = []
  let before = Number(streams[0]?.told[0]?.id)
  for (const { event, id, data } of streams.flatMap((stream) => stream.told)) {
    if (id === '') continue
    byNumber.push(Number(id) - before)
    told.push(event === 'begin' ? 0 : event === 'gap' ? data.skipped : data.counts.transactions)
    before = Number(id)
  }
  return { byNumber, told }
}

test('a reader of a killed process goes on at another one, without loss and without doubles', async (t) => {
  const scene = await startProcesses(t, 2)
  const [first, second] = scene.processes
  if (first === undefined || second === undefined) throw new Error('two processes started')
  const key = scene.tenant.keys.read
  // The second process has a poller of its own already.
  const other = await openStream(second.url + PATH, key)
  const streams = [await openStream(first.url + PATH, key)]
  const current = () => streams.at(-1) as Stream
  await until(() => current().told.length > 0)
  let isOver = false
  let sent = 0
  const sending = (async () => {
    for (; !isOver; sent += 20) await seed(scene, 20)
  })()
  const goOn = async ({ url }: Process): Promise<void> => {
    const headers = { 'last-event-id': String(lastId(current())) }
    streams.push(await openStream(url + PATH, key, { headers }))
  }
  await until(() => lastId(current()) >= 100)
  await first.part.kill()
  await until(() => current().ended)
  await goOn(second)
  const back = first.part.start()
  await until(() => lastId(current()) >= 300)
  await back
  await second.part.kill()
  await until(() => current().ended && other.ended)
  await goOn(first)
  const resumed = lastId(current())
  await until(() => lastId(current()) >= resumed + 100)
  isOver = true
  await sending
  await until(() => lastId(current()) === sent)
  const { byNumber, told } = steps(streams)
  t.same(told, byNumber, 'each event counts the transactions since the event before')
  t.equal(
    told.reduce((sum, one) => sum + one, 0),
    sent,
  )
  for (const { told: events } of streams) t.equal(events[0]?.event, 'begin')
  current().close()
})

test('the live page outlives the process behind it, and tells what it skipped', async (t) => {
  const scene = await startProcesses(t, 1)
  const [process] = scene.processes
  if (process === undefined) throw new Error('a process started')
  const { sql, tenant } = scene
  const { identityId } = await seedPerson(sql, tenant.tenantId)
  const now = systemClock.nowMs()
  const session = await tx(sql, (inner) =>
    openSession(inner, { identityId, factor: 'passkey', address: null, agent: 'test', now }),
  )
  const browser = await openBrowser(t)
  const { page } = await openWatched(browser, { width: 1280 })
  const cookie = { name: 'svc', value: session, url: process.url }
  await page.context().addCookies([cookie])
  await page.goto(process.url + '/d/' + tenant.tenantId + '/sandbox/live')
  await page.waitForSelector('#live[data-feed=open]')
  const shown = () =>
    page
      .locator('#live-rows a.row')
      .evaluateAll((links) => links.map((link) => (link.getAttribute('href') ?? '').slice(-30)))
  const state = () => page.locator('#live-state').innerText()
  const made = await seed(scene, 3)
  await until(async () => (await shown()).length === 3)
  await process.part.kill()
  await until(async () => /connection is gone/.test(await state()))
  made.push(...(await seed(scene, 4)))
  await process.part.start()
  await until(async () => (await shown()).length === 7)
  made.push(...(await seed(scene, 2)))
  await until(async () => (await shown()).length === 9)
  t.same(
    (await shown()).toSorted(),
    made.toSorted(),
    'every transaction once, those of the outage too',
  )
  t.match(await state(), /The feed runs/)
  t.match(await page.locator('#live-skipped').innerText(), /Every transaction is shown/)
  await process.part.kill()
  await seed(scene, 1500)
  await process.part.start()
  await until(async () => /1,500 transactions came while nobody looked/.test(await state()))
  await until(async () =>
    /^1,500 were counted and not shown/.test(await page.locator('#live-skipped').innerText()),
  )
  made.push(...(await seed(scene, 1)))
  await until(async () => (await shown()).length === 10)
  t.same((await shown()).toSorted(), made.toSorted())
})
