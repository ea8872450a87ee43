// The findings of a certification: a good tenant passes every probe, and each single defect fails
// the probe made for it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { runProbes } from '../../../api/webhooks/endpoints/index.ts'
import { newSandboxSecrets } from '../../../scripts/start/new-secrets.ts'
import { writeSandboxSecrets } from '../../../scripts/start/sandbox-secrets.ts'
import { parseCidrs } from '../../../shared/address.ts'
import { systemClock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { CertificationProbe } from '../../../shared/schemas/certification.ts'
import {
  CERTIFIED_SECRET,
  DEFECTS,
  type Defect,
  STRANGER_SECRET,
  startCertifiable,
} from '../../fakes/certifiable-tenant.ts'
import { startTenant } from '../../fakes/tenant.ts'
import { freePort } from '../../harness/free-ports.ts'

const OUTSIDE_PARTIES = fileURLToPath(
  new URL('../../../scripts/outside-parties/main.ts', import.meta.url),
)
/** A budget for a busy machine; the parallel calls of a tenant that queues them take longer. */
const BUDGET_MS = 3000

async function probesOf(
  url: string,
  budgetMs = BUDGET_MS,
  secrets: readonly string[] = [CERTIFIED_SECRET],
): Promise<readonly CertificationProbe[]> {
  const opened = parseCidrs('127.0.0.0/8')
  if (!opened.ok) throw new Error(opened.error)
  const found = await runProbes(
    {
      certificationId: newId('cert', systemClock.nowMs()),
      url,
      secrets,
      apiVersion: '2026-11-20',
    },
    { clock: systemClock, opened: opened.value, budgetMs, strangerSecret: STRANGER_SECRET },
  )
  return found.probes
}

async function failedOf(defect: Defect): Promise<string[]> {
  const tenant = await startCertifiable(defect)
  const probes = await probesOf(tenant.url)
  await tenant.close()
  return probes.filter(({ passed }) => !passed).map(({ name }) => name)
}

test('a good tenant passes every probe', async (t) => {
  const tenant = await startCertifiable(null)
  const probes = await probesOf(tenant.url)
  t.same(
    probes.filter(({ passed }) => !passed),
    [],
  )
  t.ok(probes.length >= 15)
  t.same(
    probes.map(({ name }) => name),
    Object.keys(DEFECTS),
    'there is a defect for every probe',
  )
  for (const { name, sent, expected, got, latency_ms } of probes) {
    t.ok(sent !== '' && expected !== '' && got !== '' && latency_ms >= 0, name)
    t.notMatch(sent + expected + got, /whsec_/)
  }
  const asked = tenant.requests.filter(({ method }) => method === 'POST')
  t.ok(asked.every(({ headers }) => /^cert_/.test(String(headers['svc-certification']))))
  t.ok(asked.every(({ headers }) => headers['svc-deadline-ms'] === '1500'))
  await tenant.close()
})

test('during a rotation a good tenant passes with either secret', async (t) => {
  const tenant = await startCertifiable(null)
  for (const secrets of [
    [CERTIFIED_SECRET, 'whsec_b3RoZXI='],
    ['whsec_b3RoZXI=', CERTIFIED_SECRET],
  ]) {
    const probes = await probesOf(tenant.url, BUDGET_MS, secrets)
    t.same(
      probes.filter(({ passed }) => !passed),
      [],
    )
  }
  await tenant.close()
})

test('a single defect fails exactly its probe', async (t) => {
  for (const [name, defect] of Object.entries(DEFECTS)) t.same(await failedOf(defect), [name], name)
})

test('a tenant that verifies nothing is found to answer unsigned requests', async (t) => {
  const tenant = await startTenant({
    behave: ({ method }) => ({
      kind: 'reply',
      status: method === 'POST' ? 200 : 405,
      body: '{"approve":true}',
    }),
  })
  const probes = await probesOf(tenant.url)
  t.same(
    probes.filter(({ passed }) => !passed).map(({ name, got }) => [name, got]),
    [
      'altered_signature',
      'wrong_secret',
      'other_body',
      'stale_timestamp',
      'future_timestamp',
      'changed_timestamp',
      'missing_header',
      'malformed_header',
      'malformed_body',
    ].map((name) => [name, 'HTTP 200, approve: true']),
  )
  await tenant.close()
})

test('the demo tenant of npm start passes', async (t) => {
  const dataDir = t.testdir()
  const nowMs = systemClock.nowMs()
  const secrets = newSandboxSecrets(nowMs, await freePort())
  writeSandboxSecrets(dataDir, secrets)
  const settings = { SVC_DATA_DIR: dataDir, SVC_OUTSIDE_PARTIES: 'tenant' }
  const demo = fork(OUTSIDE_PARTIES, { env: { ...process.env, ...settings }, silent: true })
  t.teardown(() => demo.kill())
  await once(demo, 'message')
  // The tenant listens before the API has created its endpoint, and learns the secret on the first
  // request.
  const secret = 'whsec_' + Buffer.alloc(32, 7).toString('base64')
  writeSandboxSecrets(dataDir, { ...secrets, realtime_endpoint: { id: 'we_1', secret } })
  const url = 'http://127.0.0.1:' + secrets.demo_tenant.port + '/'
  const probes = await probesOf(url, BUDGET_MS, [secret])
  t.same(
    probes.filter(({ passed }) => !passed),
    [],
  )
  t.equal(
    probes.find(({ name }) => name === 'question_large_amount')?.got,
    'HTTP 200, approve: false',
  )
  demo.kill()
  await once(demo, 'exit')
})

test('a tenant that hangs, is down, or has a forbidden address fails without delaying others', async (t) => {
  const hanging = await startTenant({ behave: () => ({ kind: 'hang' }) })
  const hung = await probesOf(hanging.url, 50)
  t.ok(hung.every(({ passed }) => !passed))
  t.match(hung[0]?.got, /^no reply, not complete after \d+ ms$/)
  await hanging.close()
  const gone = await probesOf(hanging.url)
  t.ok(gone.every(({ passed, got }) => !passed && got.includes('ECONNREFUSED')))
  const inside = await probesOf('http://10.0.0.1/hook')
  t.ok(inside.every(({ passed, got }) => !passed && got.includes('blocked_address')))
})
