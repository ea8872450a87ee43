// Heads of the audit logs outside of the database: a log that was written anew as a whole verifies
// by itself, and only its anchors contradict it.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Test, test } from 'tap'
import { readDispatcherConfig } from '../../../api/dispatcher/config.ts'
import { runOnce } from '../../../api/jobs/job.ts'
import { anchorJob } from '../../../api/platform/audit/index.ts'
import { findAuditRows } from '../../../api/platform/audit/store.ts'
import { chainedHash } from '../../../api/write/audit.ts'
import { systemClock } from '../../../shared/clock.ts'
import { verifySignature } from '../../../shared/signature.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { silentLog } from '../../harness/engine-listener.ts'

const SCRIPT = fileURLToPath(new URL('../../../scripts/audit.ts', import.meta.url))
const SECRET = 'anchors-secret-of-this-test'
const NOW = Date.UTC(2026, 10, 27, 2)

async function freeze(api: TestApi, verb = 'freeze'): Promise<void> {
  const { cardholderId, keys } = api.tenant
  const path = '/v1/cardholders/' + cardholderId + '/' + verb
  const answer = await api.call('POST', path, { key: keys.write })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
}

function verify(api: TestApi, environment: object, ...words: string[]) {
  const { host, port, database, user, pass } = api.sql.options
  const password = typeof pass === 'string' ? ':' + encodeURIComponent(pass) : ''
  const url = 'postgres://' + user + password + '@' + host[0] + ':' + port[0] + '/' + database
  const ran = spawnSync(process.execPath, [SCRIPT, 'verify', ...words], {
    env: { ...process.env, DATABASE_URL: url, ...environment },
    encoding: 'utf8',
  })
  return { status: ran.status, text: ran.stdout + ran.stderr }
}

function run(api: TestApi, { job }: ReturnType<typeof anchorJob>): Promise<number> {
  return runOnce(job, { sql: api.sql, clock: systemClock, log: silentLog, now: NOW })
}

/** Writes the tenant's log anew with another actor, each hash and the head included. */
async function forge(api: TestApi): Promise<void> {
  const owner = { tenantId: api.tenant.tenantId, environment: 'sandbox' } as const
  const rows = await findAuditRows(api.sql, owner, { from: 1, to: 1000 })
  await api.sql`alter table audit_log disable trigger user`
  let previous: Buffer = Buffer.alloc(32)
  for (const row of rows) {
    const forged = chainedHash(previous, { ...row, actorId: 'key_forged' })
    await api.sql`
      update audit_log set actor_id = 'key_forged', previous_hash = ${previous}, hash = ${forged}
      where id = ${row.id}`
    previous = forged
  }
  await api.sql`alter table audit_log enable trigger user`
  await api.sql`
    update audit_heads set hash = ${previous}
    where tenant_id = ${owner.tenantId} and environment = 'sandbox'`
}

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n')

test('anchors in a file grow with the heads that moved, and reveal a log written anew', async (t) => {
  const api = await startTestApi()
  const path = join(t.testdir(), 'anchors')
  const anchors = anchorJob({ path }, systemClock)
  await freeze(api)
  t.ok((await run(api, anchors)) > 0)
  t.equal(await run(api, anchors), 0, 'nothing moved')
  t.equal(linesOf(path).length, 1)
  await freeze(api, 'unfreeze')
  t.equal(await run(api, anchors), 1, 'one head moved')
  t.match(JSON.parse(linesOf(path)[1] ?? ''), {
    at: '2026-11-27T02:00:00.000Z',
    heads: [{ tenant_id: api.tenant.tenantId, environment: 'sandbox', seq: 2 }],
  })
  const kept = { SVC_AUDIT_ANCHORS: path }
  t.match(verify(api, kept), { status: 0, text: /2 anchors hold|anchors hold, the last line/ })

  await forge(api)
  t.match(verify(api, { SVC_AUDIT_ANCHORS: '' }), { status: 0 }, 'the chain holds by itself')
  const { tenantId } = api.tenant
  for (const found of [verify(api, kept), verify(api, {}, '--anchors', path)]) {
    t.equal(found.status, 1, found.text)
    t.match(found.text, tenantId + ' sandbox: row 1 has another hash now; it was anchored at 2026')
    t.match(found.text, tenantId + ' sandbox: row 2 has another hash now')
    t.match(found.text, '2 anchors are contradicted')
  }
  t.equal(verify(api, kept, '--tenant', api.other.tenantId).status, 1, 'a tenant without a log')
  await run(api, anchorJob({ path }, systemClock))
  t.equal(verify(api, kept).status, 1, 'anchors of the forged log hide nothing')
})

test('a log that ends before an anchor, and a line that is none, are named', async (t) => {
  const api = await startTestApi()
  const path = join(t.testdir(), 'anchors')
  await freeze(api)
  const line = {
    at: '2026-11-27T02:00:00.000Z',
    heads: [
      { tenant_id: api.tenant.tenantId, environment: 'sandbox', seq: 7, hash: '0'.repeat(64) },
    ],
  }
  writeFileSync(path, JSON.stringify(line) + '\n{"at":"never"}\n')
  const { status, text } = verify(api, {}, '--anchors', path)
  t.equal(status, 1)
  t.match(text, 'row 7 is missing')
  t.match(text, 'line 2 is no line of anchors')
  t.match(verify(api, {}, '--anchors', path + '-none'), { status: 1, text: /There are no anchors/ })
})

/** An operator's own receiver. */
async function receive(t: Test): Promise<{ url: string; bodies: string[]; fail(): void }> {
  const bodies: string[] = []
  let status = 204
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (bytes) => {
      body += String(bytes)
    })
    request.on('end', () => {
      const header = String(request.headers['svc-signature'])
      const nowS = NOW / 1000
      const problem = verifySignature({ header, body: Buffer.from(body), secrets: [SECRET], nowS })
      t.equal(problem, null, 'signed over its bytes')
      if (status < 300) bodies.push(body)
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: 'http://127.0.0.1:' + port + '/anchors', bodies, fail: () => (status = 503) }
}

test('anchors are posted with a signature, and sent again where their place was away', async (t) => {
  const api = await startTestApi()
  const place = await receive(t)
  const anchors = anchorJob({ url: place.url, secret: SECRET }, systemClock)
  t.teardown(() => anchors.close())
  await freeze(api)
  t.ok((await run(api, anchors)) > 0)
  await freeze(api, 'unfreeze')
  place.fail()
  await t.rejects(run(api, anchors), /answered 503/)
  const path = join(t.testdir(), 'received')
  writeFileSync(path, place.bodies.join('\n') + '\n')
  t.match(verify(api, {}, '--anchors', path), { status: 0 }, 'what was received verifies')
  const again = anchorJob({ path }, systemClock)
  t.ok((await run(api, again)) > 0, 'another process writes every head')
})

test('the dispatcher refuses anchors that nobody could trust', async (t) => {
  const base = { DATABASE_URL: 'postgres://u@h/d', SVC_DATA_DIR: t.testdir() }
  const url = 'http://127.0.0.1:9/anchors'
  const read = (more: object) => readDispatcherConfig({ ...base, ...more })
  t.match(read({ SVC_AUDIT_ANCHORS: url }), { ok: false, error: [/SVC_AUDIT_ANCHORS_SECRET/] })
  const signed = { SVC_AUDIT_ANCHORS: url, SVC_AUDIT_ANCHORS_SECRET: SECRET }
  t.match(read(signed), { ok: true, value: { anchors: { url, secret: SECRET } } })
  t.match(read({ SVC_AUDIT_ANCHORS: '/var/a' }), {
    ok: true,
    value: { anchors: { path: '/var/a' } },
  })
  t.match(read({ ...signed, SVC_AUDIT_ANCHORS_SECRET: 'short' }), { ok: false })
})

test('a line that a loss of power cut spoils no other, and contradicts nothing', async (t) => {
  const api = await startTestApi()
  const path = join(t.testdir(), 'anchors')
  await freeze(api)
  await run(api, anchorJob({ path }, systemClock))
  const [whole = ''] = linesOf(path)
  writeFileSync(path, whole + '\n' + whole.slice(0, whole.length / 2))
  const words = ['--anchors', path, '--tenant', api.tenant.tenantId]
  const torn = verify(api, {}, ...words)
  t.equal(torn.status, 0, torn.text)
  t.match(torn.text, /1 anchors hold.*1 lines were cut/)

  // A process that starts anchors every head again.
  await run(api, anchorJob({ path }, systemClock))
  t.same([linesOf(path).length, linesOf(path)[2]], [3, whole])
  const mended = verify(api, {}, ...words)
  t.equal(mended.status, 0, mended.text)
  t.match(mended.text, /2 anchors hold.*1 lines were cut/)

  writeFileSync(path, '\n' + whole + '\n\n' + whole + '\n')
  const spaced = verify(api, {}, ...words)
  t.match(spaced, { status: 0, text: /2 anchors hold/ }, 'empty lines are nothing')
  t.notMatch(spaced.text, 'were cut')

  writeFileSync(path, 'not a line\n' + whole + '\n')
  t.match(verify(api, {}, ...words), { status: 1, text: /line 1 is no line of anchors/ })
})
