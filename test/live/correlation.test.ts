import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { newMessage } from '../../scripts/simulate/message.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { startStack } from '../faults/stack.ts'
import { until } from '../harness/until.ts'

test('one id finds an authorization in every process’s log, and no log holds a secret', async (t) => {
  const stack = await startStack(t, { dispatcher: true, environment: { SVC_LOG_LEVEL: 'debug' } })
  const card = stack.secrets.cards['load_realtime_1']!
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    1,
  )
  const byPan = { pan: card.pan, exp_month: card.exp_month, exp_year: card.exp_year, cvc: card.cvc }
  const merchant = { name: 'Shop ' + card.pan }
  const message = newMessage(byPan, { now: systemClock.nowMs(), currency: 'USD' }, { merchant })
  const { answer } = await network.send(message)
  network.close()
  const id = answer?.transaction_id
  t.match(id, /^txn_/)
  const read = { Authorization: 'Bearer ' + stack.secrets.keys.read }
  await until(
    async () =>
      (await fetch(stack.apiUrl + '/v1/card_transactions/' + id, { headers: read })).status === 200,
  )
  const logs = ['engine-main.ts', 'api-main.ts', 'api-dispatcher.ts'].map((name) =>
    join(stack.directory, name + '.log'),
  )
  const linesAbout = (path: string): string[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"correlation_id":"' + id + '"'))
  await until(() => logs.every((path) => linesAbout(path).length > 0))
  const whole = logs.map((path) => readFileSync(path, 'utf8')).join('\n')
  const { keys, network: signing, realtime_endpoint: endpoint } = stack.secrets
  const secrets = [card.pan, signing.secret, endpoint.secret, ...Object.values(keys)]
  t.same(secrets.filter((secret) => whole.includes(secret)).length, 0)
  t.notMatch(whole, new RegExp('\\b' + card.cvc + '\\b.*cvc|cvc.*\\b' + card.cvc + '\\b'))
})
