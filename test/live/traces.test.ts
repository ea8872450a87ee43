// A trace and a correlation id through every process.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Test, test } from 'tap'
import { newMessage } from '../../scripts/simulate/message.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { type ReceivedSpan, startOtlpReceiver } from '../fakes/otlp-receiver.ts'
import { type Stack, startStack } from '../faults/stack.ts'
import { COMPILED } from '../harness/compiled.ts'
import { until } from '../harness/until.ts'

const RECORDER = fileURLToPath(new URL('../harness/record-loads.cjs', import.meta.url))

/** One authorization by PAN and CVC at a merchant whose name holds the PAN; its transaction. */
async function authorize(stack: Stack): Promise<string> {
  const card = stack.card('load_realtime_1')
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    1,
  )
  const byPan = { pan: card.pan, exp_month: card.exp_month, exp_year: card.exp_year, cvc: card.cvc }
  const merchant = { name: 'Shop ' + card.pan }
  const context = { now: systemClock.nowMs(), currency: 'USD' }
  const { answer } = await network.send(newMessage(byPan, context, { merchant }))
  network.close()
  return answer?.transaction_id ?? ''
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const [found] = spans.filter((span) => span.name === name)
  if (found === undefined) throw new Error('no span ' + name)
  return found
}

test('one trace goes from the message over the tenant and the drain to the webhook', async (t) => {
  const receiver = await startOtlpReceiver()
  t.teardown(() => receiver.close())
  const stack = await startStack(t, {
    dispatcher: true,
    environment: { SVC_TRACES_URL: receiver.url },
  })
  const id = await authorize(stack)
  t.match(id, /^txn_/)
  const ofTransaction = () =>
    receiver.spans.filter(({ attributes }) => attributes['svc.transaction_id'] === id)
  const webhooks = () => receiver.spans.filter(({ name }) => name === 'webhook')
  await until(() => ofTransaction().length === 3 && webhooks().length > 0)
  const message = named(ofTransaction(), 'authorization')
  const call = named(ofTransaction(), 'authorization.request')
  const drain = named(ofTransaction(), 'drain')
  const webhook = named(webhooks(), 'webhook')
  t.same(new Set([message, call, drain, webhook].map(({ traceId }) => traceId)).size, 1)
  t.same(
    [message, call, drain, webhook].map(({ service }) => service),
    ['svc-engine', 'svc-engine', 'svc-api', 'svc-dispatcher'],
  )
  t.equal(message.parentSpanId, '', 'the message is the root')
  t.equal(call.parentSpanId, message.spanId, 'the tenant was called within the message')
  t.equal(drain.parentSpanId, message.spanId, 'the drain follows the message')
  t.equal(webhook.parentSpanId, drain.spanId, 'the webhook tells what the drain recorded')
  t.ok(message.startMs <= call.startMs && call.endMs <= message.endMs)
  t.equal(webhook.attributes['http.response.status_code'], 200)
  t.equal(call.attributes['svc.outcome'], 'answered_approve')

  const sent = (agent: string) =>
    stack.tenant.requests.find(({ headers }) => headers['user-agent'] === agent)?.headers
  t.equal(
    sent('Svc-Realtime/1')?.['traceparent'],
    ['00', message.traceId, call.spanId, '01'].join('-'),
    'the tenant can hang its own spans below the call',
  )
  t.equal(
    sent('Svc-Webhooks/1')?.['traceparent'],
    ['00', webhook.traceId, webhook.spanId, '01'].join('-'),
  )
  const { keys, network, realtime_endpoint: endpoint } = stack.secrets
  const card = stack.card('load_realtime_1')
  const secrets = [card.pan, network.secret, endpoint.secret, ...Object.values(keys)]
  const whole = receiver.bodies.join('\n')
  t.same(secrets.filter((secret) => whole.includes(secret)).length, 0)
  t.notMatch(whole, /Shop/, 'no text of the network is an attribute')
})

test('a share of 0 keeps no trace, and still tells the tenant which one it would be', async (t) => {
  const receiver = await startOtlpReceiver()
  t.teardown(() => receiver.close())
  const stack = await startStack(t, {
    dispatcher: true,
    environment: { SVC_TRACES_URL: receiver.url, SVC_TRACES_SHARE: '0' },
  })
  await authorize(stack)
  const byAgent = (agent: string) =>
    stack.tenant.requests.find(({ headers }) => headers['user-agent'] === agent)?.headers
  await until(() => byAgent('Svc-Webhooks/1') !== undefined)
  for (const agent of ['Svc-Realtime/1', 'Svc-Webhooks/1'])
    t.match(byAgent(agent)?.['traceparent'], /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  // The processes send what waits before they end.
  await stack.dispatcherProcess.stop()
  await stack.apiProcess.stop()
  t.same(receiver.spans, [])
})

test('without traces one id finds an authorization in each log, and no log holds a secret', async (t) => {
  const directory = t.testdir()
  const stack = await startStack(t, {
    dispatcher: true,
    environment: {
      NODE_OPTIONS: COMPILED.NODE_OPTIONS + ' --require=' + JSON.stringify(RECORDER),
      LOADED_MODULES: join(directory, '%p'),
      SVC_LOG_LEVEL: 'debug',
    },
  })
  const id = await authorize(stack)
  t.match(id, /^txn_/)
  await logsTell(t, stack, id)
  await until(() => stack.tenant.requests.length > 1)
  for (const { headers } of stack.tenant.requests) t.notOk('traceparent' in headers)
  const parts = [stack.dispatcherProcess, stack.apiProcess, stack.engineProcess]
  for (const part of parts) {
    const file = join(directory, String(part.pid))
    await part.stop()
    t.ok(existsSync(file))
    const loaded = readFileSync(file, 'utf8')
    t.match(loaded, /shared\/settings/, 'the record is of a process of ours')
    t.notMatch(loaded, /opentelemetry/)
  }
})

/** Each process logs lines about the transaction, and no line holds a secret or the card. */
async function logsTell(t: Test, stack: Stack, id: string): Promise<void> {
  const { keys, network, realtime_endpoint: endpoint } = stack.secrets
  const card = stack.card('load_realtime_1')
  const read = { Authorization: 'Bearer ' + keys.read }
  await until(async () => {
    const answer = await fetch(stack.apiUrl + '/v1/card_transactions/' + id, { headers: read })
    return answer.status === 200
  })
  const logs = ['engine-main.ts', 'api-main.ts', 'api-dispatcher.ts'].map((name) =>
    join(stack.directory, name + '.log'),
  )
  const tells = (path: string): boolean =>
    readFileSync(path, 'utf8').includes('"correlation_id":"' + id + '"')
  await until(() => logs.every(tells))
  const whole = logs.map((path) => readFileSync(path, 'utf8')).join('\n')
  const secrets = [card.pan, network.secret, endpoint.secret, ...Object.values(keys)]
  t.same(secrets.filter((secret) => whole.includes(secret)).length, 0)
  t.notMatch(whole, new RegExp('\\b' + card.cvc + '\\b.*cvc|cvc.*\\b' + card.cvc + '\\b'))
}
