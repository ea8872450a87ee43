// `npm start` with several shards: an engine each with a journal of its own, a front door on the
// network port, and one api that pushes to all and drains all.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { systemClock, unixSeconds } from '../../shared/clock.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { newMessage } from '../harness/engine.ts'
import { freePorts } from '../harness/free-ports.ts'
import { isoPurchase, openLink } from '../harness/iso-link.ts'
import { putMigratedPostgres } from '../harness/migrated-postgres.ts'
import { newDataDir, processesOf, start } from '../harness/start.ts'
import { until } from '../harness/until.ts'

test('two shards run on one machine behind a front door', async (t) => {
  const dataDir = newDataDir(t)
  await putMigratedPostgres(dataDir)
  const [api = 0, engine = 0] = await freePorts(2)
  const started = start(dataDir, {
    SVC_API_PORT: String(api),
    SVC_ENGINE_PORT: String(engine),
    SVC_SHARDS: '2',
  })
  t.teardown(() => started.child.kill('SIGKILL'))
  const { engine_url: url, engine_iso: iso, network, cards } = await started.sandbox()
  const metrics = async (): Promise<string> => (await fetch(url + '/metrics')).text()
  t.match(await metrics(), /^svc_door_epoch\{shard="s2"\} 1$/m, 'the door is on the network port')
  const token = cards.find((card) => 'token' in card)?.token ?? ''
  const body = JSON.stringify(newMessage({ card: { token }, amount_cents: 1 }))
  const signature = signatureHeader([network.secret], unixSeconds(systemClock.nowMs()), body)
  const answer = await fetch(url + '/v1/network/messages', {
    method: 'POST',
    body,
    headers: { 'svc-signature': signature },
  })
  t.equal(answer.status, 200)
  t.match(await answer.json(), { approved: true })
  const link = await openLink(t, iso?.port ?? 0)
  const overLink = await link.ask(isoPurchase({ card: { token }, amount_cents: 1 }))
  t.match(overLink, { fields: { 39: '00' } }, 'the ISO 8583 port is the front door’s too')
  link.close()
  for (const directory of [dataDir, join(dataDir, 'shards', 's2')])
    t.ok(existsSync(join(directory, 'journal')), 'a journal in ' + directory)
  started.child.kill('SIGTERM')
  t.equal(await started.exited, 0, started.output())
  await until(() => processesOf(dataDir).length === 0)
  t.same(processesOf(dataDir), [], 'nothing is left behind')
})
