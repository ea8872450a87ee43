// A rollback over one version: today's processes have migrated the database and written to it and
// to the journal. The earlier version's own processes go on with both, then today's again.
import { join } from 'node:path'
import { test } from 'tap'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { codeOf, needsCodeOf, RELEASES, restoreRelease } from '../faults/earlier-release.ts'
import { authorization } from '../faults/load.ts'
import { openPart } from '../faults/part.ts'
import { runNodeScript } from '../faults/script.ts'
import { COMPILED } from '../harness/compiled.ts'
import { freePort } from '../harness/free-ports.ts'
import { until } from '../harness/until.ts'

const MESSAGES = 12

for (const name of RELEASES) {
  test(name + ': its own processes go on with what today’s wrote', needsCodeOf(name), async (t) => {
    const { sql, environment, expected } = await restoreRelease(t, name)
    const earlier = codeOf(t, name)
    const migrated = await runNodeScript('scripts/migrate.ts', [], environment)
    t.equal(migrated.code, 0, migrated.output)
    const [enginePort, apiPort] = [await freePort(), await freePort()]
    const all = {
      ...COMPILED,
      PATH: process.env['PATH'],
      ...environment,
      SVC_ENGINE_PORT: String(enginePort),
      SVC_API_PORT: String(apiPort),
      SVC_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    }
    const directory = environment['SVC_DATA_DIR'] ?? ''
    const engineUrl = 'http://127.0.0.1:' + enginePort
    const apiUrl = 'http://127.0.0.1:' + apiPort
    const { keys, network: credentials } = expected.secrets
    const [card] = expected.cards
    if (card === undefined) throw new Error('the fixture has no card')
    const answered = new Map<NetworkMessage, string>()
    const holders: string[] = []

    const call = (method: string, path: string, body?: object) =>
      fetch(apiUrl + path, {
        method,
        headers: {
          authorization: 'Bearer ' + keys.admin,
          'content-type': 'application/json',
          'idempotency-key': newId('idem', systemClock.nowMs()),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })

    /** Runs a version's processes: everything of before is there, and they add to it. */
    const live = async (root: string, version: string): Promise<void> => {
      const engine = openPart(join(root, 'engine/main.ts'), directory, all)
      const api = openPart(join(root, 'api/main.ts'), directory, all)
      const stop = async (): Promise<void> => {
        await api.stop()
        await engine.stop()
      }
      t.teardown(stop)
      await engine.start()
      await api.start()
      const ready = async (): Promise<boolean> =>
        (await fetch(engineUrl + '/health/ready')).status === 200
      await until(ready)
      const network = openNetwork({ engine_url: engineUrl, network: credentials }, systemClock, 1)
      const ask = async (message: NetworkMessage): Promise<string> => {
        const { answer, body } = await network.send(message)
        if (answer === null) throw new Error(version + ' did not answer')
        return body.toString()
      }
      const changed: string[] = []
      for (const [message, text] of answered)
        if ((await ask(message)) !== text) changed.push(message.id)
      t.same(changed, [], version + ' answers every repeat as the other version did')
      for (const id of holders)
        t.equal((await call('GET', '/v1/cardholders/' + id)).status, 200, version + ' shows ' + id)
      for (let turn = 0; turn < MESSAGES; turn++) {
        const message = authorization(card, 100 + turn)
        answered.set(message, await ask(message))
      }
      network.close()
      const made = await call('POST', '/v1/cardholders', {
        program_id: expected.secrets.programs['plain'],
        name: 'Ada ' + version,
      })
      const holder = (await made.json()) as { id?: string }
      t.ok(made.ok && holder.id !== undefined, version + ': ' + JSON.stringify(holder))
      holders.push(holder.id ?? '')
      const ids = [...answered.keys()].map(({ id }) => id)
      await until(async () => {
        const [row] = await sql<{ count: number }[]>`
            select count(distinct message_id)::int as count from card_transaction_messages
            where message_id = any (${ids})`
        return row?.count === ids.length
      })
      await stop()
    }

    const today = join(import.meta.dirname, '../..')
    await live(today, 'today')
    await live(earlier, name)
    await live(today, 'today again')
    for (const script of ['scripts/audit.ts', 'scripts/journal.ts']) {
      const { code, output } = await runNodeScript(script, ['verify'], environment)
      t.equal(code, 0, output)
    }
  })
}
