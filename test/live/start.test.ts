// `npm start` as a newcomer meets it: everything runs, the contract file says how to reach it, dead
// processes are restarted, and nothing is left behind. Refusals are one sentence.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { totpStep } from '../../api/access/identities/index.ts'
import { claimDataDir } from '../../scripts/start/claim.ts'
import { isoInstant, systemClock, unixSeconds } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { watchedFamilies } from '../harness/deploy-files.ts'
import { freePorts } from '../harness/free-ports.ts'
import { isoPurchase, openLink } from '../harness/iso-link.ts'
import { parseMetrics } from '../harness/metrics-page.ts'
import { putMigratedPostgres } from '../harness/migrated-postgres.ts'
import { newDataDir, processesOf, type Sandbox, start } from '../harness/start.ts'
import { happens } from '../harness/until.ts'

/** Lists of which authorizations and payments make no row. */
const SHOWN_LISTS = [
  ...['passes', 'pass_templates', 'pass_images', 'pass_scans', 'scanners'],
  ...['disputes', 'sanctions_alerts', 'invitations', 'oauth_grants'],
]

const ROOT = new URL('../../', import.meta.url).pathname

async function ports(): Promise<{ SVC_API_PORT: string; SVC_ENGINE_PORT: string }> {
  const [api, engine] = await freePorts(2)
  return { SVC_API_PORT: String(api), SVC_ENGINE_PORT: String(engine) }
}

async function authorize(sandbox: Sandbox, token: string, amountCents: number) {
  const now = systemClock.nowMs()
  const body = JSON.stringify({
    id: newId('msg', now),
    kind: 'authorization',
    transmitted_at: isoInstant(now),
    network_transaction_id: newId('ntx', now),
    card: { token },
    amount_cents: amountCents,
    currency: 'USD',
    merchant: { id: 'm1', name: 'Shop', mcc: '5411', city: 'Berlin', country: 'DE' },
    entry_method: 'chip',
    partial_approval_capable: false,
  })
  const response = await fetch(sandbox.engine_url + '/v1/network/messages', {
    method: 'POST',
    body,
    headers: { 'svc-signature': signatureHeader([sandbox.network.secret], unixSeconds(now), body) },
  })
  return { status: response.status, answer: await response.json() }
}

/** Memory of a process; pages that several share are divided among them. 0: it ended. */
function megabytesOf(pid: number): number {
  try {
    const told = readFileSync('/proc/' + pid + '/smaps_rollup', 'utf8')
    return Number(/^Pss:\s+(\d+) kB$/m.exec(told)?.[1]) / 1024
  } catch {
    return 0
  }
}

test('wrong settings are refused together, before anything is touched', async (t) => {
  const dataDir = join(newDataDir(t), 'data')
  const refused = start(dataDir, {
    SVC_API_PORT: '99999',
    SVC_AUTH_BUDGET_MS: 'soon',
    DATABASE_URL: 'mysql://x',
  })
  t.equal(await refused.exited, 1)
  t.match(
    refused.output(),
    /SVC_API_PORT must be .*\n.*DATABASE_URL must be .*\n.*SVC_AUTH_BUDGET_MS must be/,
  )
  const half = start(dataDir, { SVC_ENGINE_TLS_CERT: '/nowhere.pem' })
  t.equal(await half.exited, 1)
  t.match(
    half.output(),
    /SVC_ENGINE_TLS_CERT needs SVC_ENGINE_TLS_KEY\.\n.*nowhere\.pem cannot be read/,
  )
  t.notOk(existsSync(dataDir))
})

test('a port in use and a missing database are one sentence each, and nothing is left', async (t) => {
  const dataDir = newDataDir(t)
  const environment = await ports()
  const squatter = createServer()
  await new Promise<void>((resolve) => {
    squatter.listen(Number(environment.SVC_ENGINE_PORT), '127.0.0.1', resolve)
  })
  const blocked = start(dataDir, { ...environment, SVC_API_PRT: '1' })
  t.equal(await blocked.exited, 1)
  t.match(blocked.output(), 'SVC_API_PRT is no setting: SVC_API_PORT is meant?')
  t.match(blocked.output(), /Port \d+ on 127\.0\.0\.1 is in use .* set SVC_ENGINE_PORT/)
  await new Promise((resolve) => squatter.close(resolve))

  const lost = start(dataDir, {
    ...environment,
    DATABASE_URL: 'postgres://u:secret-word@127.0.0.1:1/x',
  })
  t.equal(await lost.exited, 1)
  t.match(lost.output(), 'DATABASE_URL: nothing listens on 127.0.0.1:1.')
  t.notMatch(lost.output(), /secret-word/)
  t.same(processesOf(dataDir), [])
})

test('an unusable data directory is one sentence, and an existing one keeps its mode', async (t) => {
  const environment = await ports()
  // In /proc, Node's own recursive mkdir never returns.
  for (const dataDir of ['/proc/svc/data', '/dev/null/data']) {
    const refused = start(dataDir, environment)
    t.teardown(() => refused.child.kill('SIGKILL'))
    t.equal(await refused.exited, 1)
    t.match(refused.output(), new RegExp('^SVC_DATA_DIR ' + dataDir + ' cannot be used: ', 'm'))
    t.notMatch(refused.output(), /^ +at /m)
  }
  const shared = newDataDir(t)
  chmodSync(shared, 0o755)
  const claim = await claimDataDir(shared)
  await claim.release()
  t.equal(statSync(shared).mode & 0o777, 0o755, 'it may be anybody’s, /tmp for example')
})

test('a start that fails or is stopped half-way takes everything down again', async (t) => {
  const dataDir = newDataDir(t)
  await putMigratedPostgres(dataDir)
  // A file blocks the engine's directory: PostgreSQL and the demo tenant run by then.
  const environment = { ...(await ports()), SVC_ENGINE_SOCKET: '/dev/null/engine.sock' }
  const failed = start(dataDir, environment)
  t.equal(await failed.exited, 1)
  t.match(failed.output(), /engine cannot start: /)
  t.same(processesOf(dataDir), [])

  const stopped = start(dataDir, await ports())
  t.ok(await happens(() => stopped.output().includes('✓ keys and owner')))
  stopped.child.kill('SIGTERM')
  t.equal(await stopped.exited, 0)
  t.same(processesOf(dataDir), [])
  t.notOk(existsSync(join(dataDir, 'sandbox.json')))
})

test('the sandbox runs, survives its own restarts, and ends with nothing left', async (t) => {
  const dataDir = newDataDir(t)
  const environment = await ports()
  const first = start(dataDir, environment)
  t.teardown(() => first.child.kill('SIGKILL'))
  const sandbox = await first.sandbox()

  await t.test('sandbox.json is true', async (t) => {
    t.equal(statSync(join(dataDir, 'sandbox.json')).mode & 0o777, 0o600)
    t.equal((await fetch(sandbox.api_url + '/health/ready')).status, 200)
    t.equal((await fetch(sandbox.engine_url + '/health/ready')).status, 200)
    t.equal((await fetch(sandbox.dispatcher_url + '/health/ready')).status, 200)
    const pages = [
      sandbox.api_metrics_url,
      sandbox.dispatcher_url + '/metrics',
      sandbox.engine_url + '/metrics',
      ...(sandbox.settler_url === undefined ? [] : [sandbox.settler_url + '/metrics']),
    ]
    const shown = new Set<string>()
    for (const page of pages) {
      const families = parseMetrics(await (await fetch(page)).text())
      t.ok(families.has('svc_resident_memory_bytes'), page)
      for (const name of families.keys()) shown.add(name)
    }
    t.same(
      watchedFamilies().filter((name) => sandbox.settler_url !== undefined && !shown.has(name)),
      [],
      'the alerts and the dashboard read metrics that exist',
    )
    const active = sandbox.cards.filter((card) => card.status === 'active')
    const wide = active.filter((card) =>
      card.limits.every((limit) => limit.amount_cents > 1_000_000),
    )
    t.ok(wide.some((card) => card.realtime) && wide.some((card) => !card.realtime))
    const daily = active.find((card) => card.limits.some((limit) => limit.amount_cents === 10_000))
    t.match(daily, {
      realtime: false,
      limits: [{ scope: 'card', interval: 'daily', currency: 'USD', time_zone: 'UTC' }],
    })
    t.equal(daily?.limits.length, 1)
    const added = await fetch(sandbox.api_url + '/v1/simulate/payment_methods', {
      method: 'POST',
      headers: {
        authorization: 'Bearer ' + sandbox.keys.admin,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ card: 'visa' }),
    })
    t.match(await added.json(), { brand: 'visa', default: true }, 'a processor of its own answers')
    t.match(await authorize(sandbox, daily!.token, 10_000), {
      status: 200,
      answer: { approved: true },
    })
    t.match(await authorize(sandbox, daily!.token, 1), {
      answer: { approved: false, decline_reason: 'limit_daily' },
    })
  })

  await t.test('a link to its ISO 8583 port is decided by the same line', async (t) => {
    const card = sandbox.cards.find(({ status, realtime }) => status === 'active' && !realtime)!
    const { engine_iso: iso } = sandbox
    t.equal(iso?.host, '127.0.0.1')
    const link = await openLink(t, iso!.port)
    const answer = await link.ask(isoPurchase({ card: { token: card.token }, amount_cents: 1 }))
    t.match(answer, { mti: '0110', fields: { 39: '00', 38: /^\d{6}$/ } })
    link.close()
  })

  await t.test('the demo tenant answers by the amount', async (t) => {
    const asks = sandbox.cards.find((card) => card.realtime)!
    t.match(await authorize(sandbox, asks.token, 1000), {
      answer: { approved: true, decided_by: 'tenant' },
    })
    t.match(await authorize(sandbox, asks.token, 1051), {
      answer: { approved: false, decided_by: 'tenant', decline_reason: 'insufficient_funds' },
    })
    t.match(await authorize(sandbox, asks.token, 1099), {
      answer: { approved: true, stand_in: true },
    })
  })

  await t.test('the first burst is printed with the next things to try', async (t) => {
    t.ok(await happens(() => first.output().includes('simulate -- --list')))
    const output = first.output()
    t.match(output, /tenant silent → stand-in approved/)
    t.notMatch(output, /^ *! /m, 'nothing unexpected')
    const secrets = [sandbox.keys.write, sandbox.network.secret.slice(5, 20)]
    t.notOk(secrets.some((secret) => output.includes(secret)))
  })

  await t.test('every list that a page shows has a row', async (t) => {
    t.notMatch(first.output(), /stay empty/)
    const headers = { authorization: 'Bearer ' + sandbox.keys.admin }
    for (const list of SHOWN_LISTS) {
      const answer = await fetch(sandbox.api_url + '/v1/' + list, { headers })
      t.match(await answer.json(), { data: [{ id: String }] }, list)
    }
    const ownerIn = (file: string) => JSON.parse(readFileSync(join(dataDir, file), 'utf8')).owner
    t.same(ownerIn('sandbox.json'), ownerIn('sandbox-secrets.json'), 'both without used codes')
  })

  await t.test('the whole of it takes at most 900 MB', async (t) => {
    const held = processesOf(dataDir).map(megabytesOf)
    t.ok(held.length > 10)
    const sum = held.reduce((one, other) => one + other, 0)
    t.ok(sum <= 900, Math.round(sum) + ' MB')
  })

  t.notMatch(first.output(), / (warning|error): /, 'no process complains')

  await t.test('the printed commands work as they stand, one after the other', async (t) => {
    if (spawnSync('curl', ['--version']).status !== 0) return t.comment('no curl on this machine')
    const output = first.output()
    t.match(output, sandbox.api_url + '/docs')
    t.match(output, /In a second terminal.*\n.*\n.*receive[\s\S]*In a third terminal/i)
    const lines = output.split('\n').filter((line) => /^ {6}\S/.test(line))
    const [receive, send, suspend, sendFresh, explain, resume, list, , , password, code, ...rest] =
      lines.map((line) => line.trim())
    const run = (line: string | undefined): string =>
      spawnSync('sh', ['-c', line ?? 'false'], { cwd: ROOT }).stdout.toString()

    const receiver = spawn('sh', ['-c', 'exec ' + receive], { cwd: ROOT, detached: true })
    let received = ''
    receiver.stdout.on('data', (bytes) => {
      received += bytes
    })
    t.teardown(() => process.kill(-receiver.pid!, 'SIGTERM'))
    t.ok(await happens(() => received.includes('Listening on')), 'the receiver listens')

    t.match(run(send), /^approved {2}.*code 00 {2}tenant {2}txn_\w+\n$/)
    const verified = /card\.transaction\.authorized {2}attempt 1\/5 {2}verified {2}answered 200/
    t.ok(await happens(() => verified.test(received)), 'a verified webhook arrives')
    t.match(run(suspend), /^card_\w+ {2}suspended\n$/)
    const declined = run(sendFresh)
    t.match(declined, /^declined {2}card_suspended {2}code 62 {2}static_controls {2}txn_\w+\n$/)
    const heading = declined.trim().split('  ').at(-1) + '  declined: card_suspended\n'
    let told = ''
    const isTold = (): boolean => {
      told = run(explain)
      return told.startsWith(heading)
    }
    t.ok(await happens(isTold), 'the newest transaction is explained')
    t.equal(told.match(/✗/g)?.length, 1, 'one rule declined it')
    const moments = [...told.matchAll(/^ *([\d.]+) ms/gm)].map(([, ms]) => Number(ms))
    t.ok(moments.length > 5)
    t.same(
      moments,
      moments.toSorted((one, other) => one - other),
      'steps in the order of time',
    )
    t.match(run(resume), /^card_\w+ {2}active\n$/)
    const rows = run(list).trim().split('\n')
    t.equal(rows.length, 5)
    for (const row of rows) t.match(row, /^txn_\w+ {2}\w+ {2}/)
    t.equal(rest.length, 6, 'the lines of a platform')
    t.match(run(rest[0] + '; echo "$PLATFORM"'), /^oac_\w+\n$/)
    t.match(run(password), /^\S{20,}\n$/)
    const { owner } = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))
    t.type(totpStep(owner.totp_secret, run(code).trim(), systemClock.nowMs()), 'number')
  })

  await t.test(
    'explain shows a transaction from message to event, and refuses an unknown one',
    async (t) => {
      const script = new URL('../../scripts/explain.ts', import.meta.url).pathname
      const explain = (id: string) =>
        spawnSync(process.execPath, [script, id, '--data-dir', dataDir], { encoding: 'utf8' })
      const told = explain('latest')
      t.equal(told.status, 0, told.stderr)
      const steps = [
        'message',
        'decode',
        'gather',
        'judge',
        'reserve',
        'conclude',
        'answer',
        'event',
      ]
      t.same(
        steps.filter((step) => !new RegExp('^[ \\d.ms]* ' + step + ' ', 'm').test(told.stdout)),
        [],
      )
      t.match(told.stdout, /decision entry \d+ of jrn_/)
      t.match(told.stdout, /evt_\w+ card\.transaction\.(authorized|declined)/)
      t.notOk(told.stdout.includes('\x1b'), 'no colours where nobody looks')
      const unknown = explain('txn_unknown')
      t.equal(unknown.status, 1)
      t.match(unknown.stderr, /^No transaction txn_unknown in this sandbox\..*\n$/)
    },
  )

  await t.test('a second start on the same directory refuses and disturbs nothing', async (t) => {
    const second = start(dataDir, await ports())
    t.equal(await second.exited, 1)
    t.match(second.output(), /Another npm start \(process \d+\) is running on /)
    t.ok(existsSync(join(dataDir, 'sandbox.json')))
  })

  await t.test('a killed engine answers again', async (t) => {
    const rows = JSON.parse(readFileSync(join(dataDir, 'processes.json'), 'utf8'))
    process.kill(rows.engine.pid, 'SIGKILL')
    const plain = sandbox.cards.find((card) => !card.realtime)!
    const answered = await happens(
      () =>
        authorize(sandbox, plain.token, 100).then(
          ({ status }) => status === 200,
          () => false,
        ),
      20_000,
    )
    t.ok(answered, first.output())
  })

  const last = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))
  first.child.kill('SIGTERM')
  t.equal(await first.exited, 0)
  t.same(processesOf(dataDir), [])
  t.notOk(existsSync(join(dataDir, 'sandbox.json')))

  const again = start(dataDir, environment, ['--no-burst'])
  t.teardown(() => again.child.kill('SIGKILL'))
  const renewed = await again.sandbox()
  t.same({ ...renewed, cards: [] }, { ...last, cards: [] }, 'same keys, same tenant, same endpoint')
  const dailyOf = (from: Sandbox) =>
    from.cards.find((card) => card.limits[0]?.amount_cents === 10_000)!
  t.not(dailyOf(renewed).id, dailyOf(sandbox).id, 'a spent card is replaced')
  t.match(await authorize(renewed, dailyOf(renewed).token, 10_000), { answer: { approved: true } })

  again.child.kill('SIGKILL')
  t.ok(await happens(() => processesOf(dataDir).length === 0), 'kill -9 leaves nothing either')
})
