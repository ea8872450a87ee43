// The engine's control socket: its permissions, its refusals, and that foreign input does no harm.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { waitForEngine } from '../../api/engine-link/wait-for-engine.ts'
import { listenPrivately } from '../../engine/control/private-socket.ts'
import { systemClock } from '../../shared/clock.ts'
import type { ConfigPush } from '../../shared/wire/control.ts'
import { openEngineListener } from '../harness/engine-listener.ts'
import type { Teardown } from '../harness/postgres.ts'
import { happens, until } from '../harness/until.ts'

const clock = systemClock
const DATABASE = 'database-a'

function clientOf(t: Teardown, socketPath: string) {
  const client = createEngineClient({ socketPath, clock })
  t.teardown(() => client.close())
  return client
}

function step(name: ConfigPush['step'], base: string, cursor: string | null): ConfigPush {
  return { database_id: DATABASE, step: name, base, changes: [], cursor }
}

async function fill(client: ReturnType<typeof clientOf>, cursor: string): Promise<void> {
  await client.attach({ database_id: DATABASE, journal: null })
  await client.pushConfig(step('begin', 'r', null))
  await client.pushConfig(step('commit', 'r', cursor))
}

test('only the owner may open the socket, and a second engine is refused', async (t) => {
  const listener = await openEngineListener(t)
  t.equal(statSync(listener.socketPath).mode & 0o777, 0o600)
  await t.rejects(listenPrivately(createServer(), listener.socketPath), /held by a running engine/)
  const file = join(t.testdir(), 'engine.sock')
  writeFileSync(file, 'precious')
  await t.rejects(listenPrivately(createServer(), file), /not a socket/)
})

test('a socket deleted or replaced while the engine runs is made anew', async (t) => {
  const listener = await openEngineListener(t)
  const works = (): Promise<boolean> =>
    clientOf(t, listener.socketPath)
      .status()
      .then(
        () => true,
        () => false,
      )
  const former = clientOf(t, listener.socketPath)
  await former.status()
  rmSync(listener.socketPath)
  t.equal(await works(), false)
  await until(works)
  t.equal(statSync(listener.socketPath).mode & 0o777, 0o600)
  t.match(await former.status(), { journal_id: 'journal-a' })

  rmSync(listener.socketPath)
  writeFileSync(listener.socketPath, 'precious')
  t.equal(await happens(works, 1500), false)
  t.equal(readFileSync(listener.socketPath, 'utf8'), 'precious', 'a foreign file stays')
  rmSync(listener.socketPath)
  await until(works)
  t.equal((await clientOf(t, (await listener.restart()).socketPath).status()).epoch, 2)
})

test('a socket of a dead engine is taken over', async (t) => {
  const listener = await openEngineListener(t)
  const again = await listener.restart()
  t.equal((await clientOf(t, again.socketPath).status()).epoch, 2)
})

test('the engine answers only status before a database attached', async (t) => {
  const listener = await openEngineListener(t)
  const client = clientOf(t, listener.socketPath)
  t.match(await client.status(), { attached: false, facts_cursor: null, journal_id: 'journal-a' })
  const refused = { status: 409, message: /not attached/ }
  await t.rejects(client.pushConfig(step('begin', 'r', null)), refused)
  await t.rejects(client.journal(1, 1000), refused)
  await t.rejects(client.covers(1n), refused)
  await t.rejects(client.drained({ journal_id: 'journal-a', seq: 0 }), refused)
  const elsewhere = { database_id: 'b', journal: { journal_id: 'other', seq: 3 } }
  t.match(await client.attach(elsewhere), { attached: false, refused: /accept-loss other/ })
  await t.rejects(client.journal(1, 1000), refused)
})

test('the journal is sent in pages, waits for news, and never skips', async (t) => {
  const listener = await openEngineListener(t)
  const client = clientOf(t, listener.socketPath)
  await client.attach({ database_id: DATABASE, journal: null })
  const entries = ['one', 'two', 'three', 'four'].map((text) => Buffer.from(text))
  listener.write(...entries)
  t.match(await client.journal(2, 1), { firstSeq: 2, entries: [entries[1]] })
  t.match(await client.journal(1, 1_000_000), { journalId: 'journal-a', firstSeq: 1, entries })
  const tookNs: number[] = []
  for (let firstSeq = 5; firstSeq < 10; firstSeq++) {
    const startedNs = clock.monotonicNs()
    const waiting = client.journal(firstSeq, 1000)
    clock.after(20, () => listener.write(Buffer.from('news')))
    t.match(await waiting, { firstSeq, entries: [Buffer.from('news')] })
    tookNs.push(clock.monotonicNs() - startedNs)
  }
  t.ok(Math.min(...tookNs) < 150e6, 'woken, not polled')
  t.match(await client.journal(10, 1000), { firstSeq: 10, entries: [] })
  await t.rejects(client.journal(11, 1000), /ends before/)
  await client.drained({ journal_id: 'journal-a', seq: 3 })
  t.equal(listener.drainedSeq, 3)
  listener.journal.trim(3)
  await t.rejects(client.journal(3, 1000), /no longer kept/)
  t.match((await client.journal(4, 1000)).entries[0], entries[3])
  await t.rejects(client.drained({ journal_id: 'journal-a', seq: 99 }), /not of this journal/)
  await t.rejects(client.drained({ journal_id: 'journal-b', seq: 1 }), /not of this journal/)
})

test('a covers call is answered as soon as the config cache has the transaction', async (t) => {
  const listener = await openEngineListener(t)
  const client = clientOf(t, listener.socketPath)
  await fill(client, '100:100:')
  t.equal(await waitForEngine(client, 99n), true)
  const waiting = waitForEngine(client, 100n)
  await client.pushConfig(step('change', '100:100:', '101:101:'))
  t.equal(await waiting, true)
  const startedNs = clock.monotonicNs()
  t.equal(await waitForEngine(client, 101n), false)
  const waitedMs = (clock.monotonicNs() - startedNs) / 1e6
  t.ok(waitedMs > 900 && waitedMs < 20_000, 'false after a second, was ' + waitedMs)
})

test('a settled call waits for the decisions that are not on disk yet', async (t) => {
  const listener = await openEngineListener(t)
  const client = clientOf(t, listener.socketPath)
  await fill(client, '100:100:')
  listener.journal.append(Buffer.from('decided'))
  t.equal(await client.covers(99n), true)
  t.equal(await client.settled(99n), false, 'nothing was written for a second')
  const waiting = client.settled(99n)
  t.equal(await Promise.race([waiting, client.covers(99n).then(() => 'waits')]), 'waits')
  listener.journal.sync()
  t.equal(await waiting, true)
})

test('a covers call without an engine is false after a second', async (t) => {
  const client = clientOf(t, join(t.testdir(), 'nobody.sock'))
  t.equal(await waitForEngine(client, 1n), false)
  await t.rejects(client.status(), { name: 'EngineError', status: 0 })
})

test('foreign input is refused with a status and does no harm', async (t) => {
  const listener = await openEngineListener(t)
  const client = clientOf(t, listener.socketPath)
  await fill(client, '100:100:')
  const send = (method: string, path: string, body: Buffer): Promise<number> =>
    new Promise((resolve) => {
      const request = httpRequest({ socketPath: listener.socketPath, method, path }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      request.on('error', () => resolve(-1))
      request.end(body)
    })
  const bad = [Buffer.alloc(0), Buffer.from('{}'), Buffer.from([0xc1]), Buffer.alloc(1000, 0xff)]
  const answers = new Set<number>()
  for (const path of ['/attach', '/facts', '/drained'])
    for (const body of bad) answers.add(await send('POST', path, body))
  for (const query of ['', '?from=0', '?from=-1', '?from=x', '?from=1e9', '?from=1&bytes_max=a'])
    answers.add(await send('GET', '/journal' + query, Buffer.alloc(0)))
  for (const query of ['', '?xid=', '?xid=-1', '?xid=123456789012345678901'])
    answers.add(await send('GET', '/covers' + query, Buffer.alloc(0)))
  t.same([...answers], [400])
  t.equal(await send('GET', '/nowhere', Buffer.alloc(0)), 404)
  t.equal(await send('PUT', '/status', Buffer.alloc(0)), 404)
  t.match(await send('POST', '/facts', Buffer.alloc(9 * 1024 * 1024)), 413)
  t.match(await client.status(), { facts_cursor: '100:100:', attached: true })
})
