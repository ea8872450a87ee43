// `npm run reset` beside a running `npm start`, whose clock was moved ahead.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openPool } from '../../api/database/pool.ts'
import { createClient } from '../../client/index.ts'
import { runningPostgresUrl } from '../../scripts/postgres/running.ts'
import { wipeSandbox } from '../../scripts/reset/wipe.ts'
import { readSandboxSecrets } from '../../scripts/start/sandbox-secrets.ts'
import { systemClock, unixSeconds } from '../../shared/clock.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { runNodeScript } from '../faults/script.ts'
import { freePorts } from '../harness/free-ports.ts'
import { putMigratedPostgres } from '../harness/migrated-postgres.ts'
import { newDataDir, type Sandbox, start } from '../harness/start.ts'
import { happens } from '../harness/until.ts'

const DAYS = 40
const STEP_MS = 30_000

/** The answer to a message that a printed line sends. */
async function send({ engine_url, network }: Sandbox, path: string) {
  const body = readFileSync(path, 'utf8')
  const signature = signatureHeader([network.secret], unixSeconds(systemClock.nowMs()), body)
  const url = engine_url + '/v1/network/messages'
  const answer = await fetch(url, { method: 'POST', body, headers: { 'svc-signature': signature } })
  return answer.json()
}

test('a reset beside a running start leaves lines that work, and a clock that stays', async (t) => {
  const dataDir = newDataDir(t)
  await putMigratedPostgres(dataDir)
  const [api, engine] = await freePorts(2)
  const ports = { SVC_API_PORT: String(api), SVC_ENGINE_PORT: String(engine) }
  const started = start(dataDir, ports, ['--no-burst'])
  t.teardown(() => started.child.kill('SIGKILL'))
  const sandbox = await started.sandbox()
  t.ok(await happens(() => started.output().includes('simulate -- --list')))
  const contract = (): Sandbox => JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8'))
  const message = (name: string): string => join(dataDir, name)
  const printed = (text: string): string[] => text.match(/^ {6}\S.*$/gm) ?? []

  const client = createClient({ baseUrl: sandbox.api_url, key: sandbox.keys.admin })
  await client.clockSandbox({ advance_seconds: DAYS * 86_400 })
  const before = await client.getBillingSubscription()
  t.equal(before.plan?.key, 'enterprise')
  const sql = openPool(runningPostgresUrl(join(dataDir, 'postgres'))!, {
    max: 1,
    applicationName: 'svc-test',
  })
  t.teardown(() => sql.end({ timeout: 1 }))
  const ownerUsed = async (step: number): Promise<void> => {
    const { id } = readSandboxSecrets(dataDir)!.owner!
    await sql`
      update identities set totp_last_step = ${step}
      where id = (select identity_id from users where id = ${id})`
  }

  await t.test('a code that was used gives way to the next, once', async (t) => {
    let now = systemClock.nowMs()
    const waits: number[] = []
    const said: string[] = []
    const clock = {
      nowMs: () => now,
      after(delayMs: number, task: () => void) {
        waits.push(delayMs)
        now += delayMs
        task()
        return { cancel: () => undefined }
      },
    }
    const world = { apiUrl: sandbox.api_url, clock, say: (line: string) => said.push(line) }
    const step = Math.floor(now / STEP_MS)
    await ownerUsed(step + 1)
    const refused = await wipeSandbox(world, readSandboxSecrets(dataDir)!)
    t.match(refused, { ok: false, error: /cannot approve \(422\)/ })
    t.equal(waits.length, 1)
    t.match(said, [/waiting for the next one/])

    now = systemClock.nowMs()
    await ownerUsed(Math.floor(now / STEP_MS))
    t.same(await wipeSandbox(world, readSandboxSecrets(dataDir)!), { ok: true, value: null })
    t.equal(waits.length, 2)
  })

  await ownerUsed(0)
  const done = await runNodeScript('scripts/reset.ts', ['--yes', '--data-dir', dataDir])
  t.match(done, { code: 0 })
  t.notMatch(done.output, 'Ctrl-C')
  t.match(done.output, 'the clock of the sandbox stays ' + DAYS + ' days ahead: it never goes back')
  t.equal((await client.getSandboxClock()).offset_ms, DAYS * 86_400_000)
  t.equal((await client.getBillingSubscription()).plan?.key, 'enterprise')

  const renewed = contract()
  t.same(
    renewed.cards.filter(({ id }) => sandbox.cards.some((former) => former.id === id)),
    [],
  )
  const lines = printed(done.output)
  t.equal(lines.length, printed(started.output()).length)
  const [, id = ''] = /\/v1\/cards\/(card_\w+)\/suspend/.exec(done.output) ?? []
  const card = renewed.cards.find((listed) => listed.id === id)!
  t.equal((await client.getCard({ id })).status, 'active')
  for (const name of ['example-message.json', 'fresh-message.json']) {
    t.ok(lines.some((line) => line.includes(message(name))))
    const { card: named } = JSON.parse(readFileSync(message(name), 'utf8'))
    t.equal(named.token, card.token, name)
    t.match(await send(renewed, message(name)), { approved: true, decided_by: 'tenant' }, name)
  }
})
