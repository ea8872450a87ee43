// The network port during a restart of its engine: open messages are answered, later ones find the
// next engine, and no message is decided twice. The length of the gap is printed, not judged: it
// depends on how busy the machine is.
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { createEngineClient, type EngineClient } from '../../api/engine-link/client.ts'
import { runNodeProcess } from '../../scripts/start/node-process.ts'
import { supervise } from '../../scripts/start/supervise.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { startTenant } from '../fakes/tenant.ts'
import { endpointConfig, pushConfig } from '../harness/engine.ts'
import { ENGINE_SCRIPT, engineEnvironment, startEngineChild } from '../harness/engine-child.ts'
import { freePorts } from '../harness/free-ports.ts'
import { exchange, messageText, requestOf } from '../harness/raw-http.ts'
import { newDataDir } from '../harness/start.ts'
import { happens, until } from '../harness/until.ts'

const CLOSE = 'Connection: close\r\n'

/** True if the port accepts a connection. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

test('an engine told to stop answers open messages, accepts no new ones, and exits with 0', async (t) => {
  const tenant = await startTenant({ behave: () => ({ kind: 'hang' }) })
  t.teardown(() => tenant.close())
  const environment = { SVC_ENGINE_PRT: '1' }
  const engine = await startEngineChild(t, { environment })
  t.match(engine.output(), /SVC_ENGINE_PRT is no setting: SVC_ENGINE_PORT is meant\?/)
  await pushConfig(engine, {
    program: { realtime: true, endpoint_id: 'we_1' },
    more: [endpointConfig(tenant.url)],
  })
  const open = exchange(engine.port, requestOf(messageText()))
  const half = exchange(engine.port, requestOf(messageText()).slice(0, -10))
  const idle = exchange(engine.port, '')
  await until(() => tenant.requests.length === 1)
  engine.child.kill('SIGTERM')
  await until(async () => !(await listens(engine.port)))
  const answered = await open
  t.match(answered.text, /^HTTP\/1\.1 200 .*Connection: close\r\n.*"stand_in":true/s)
  t.same([(await half).statuses, (await idle).statuses], [[], []], 'half a message is none')
  t.equal(await engine.exited, 0)
  const messages = engine.output().match(/"msg":"engine stop\w+"/g)
  t.same(messages, ['"msg":"engine stopping"', '"msg":"engine stopped"'])
})

/** A sender that never stops: one message after the other, each repeated until it is answered. */
interface Steady {
  answers: { body: string; text: string; atMs: number }[]
  /** Longest time between two answers, milliseconds. */
  gapMs(): number
  stop(): Promise<void>
}

function sendSteadily(port: number): Steady {
  const answers: Steady['answers'] = []
  let stopping = false
  const answered = async (body: string): Promise<boolean> => {
    const { text, statuses } = await exchange(port, requestOf(body, CLOSE))
    if (statuses[0] !== 200) return false
    answers.push({ body, text: bodyOf(text), atMs: systemClock.monotonicNs() / 1e6 })
    return true
  }
  const running = (async () => {
    while (!stopping) {
      const body = messageText()
      while (!(await answered(body))) await sleep(2)
    }
  })()
  return {
    answers,
    gapMs: () =>
      answers.reduce(
        (most, { atMs }, index) => Math.max(most, atMs - (answers[index - 1]?.atMs ?? atMs)),
        0,
      ),
    stop() {
      stopping = true
      return running
    },
  }
}

function bodyOf(text: string): string {
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}

/** Every message has one decision, and the present engine repeats the answers of the one before. */
async function checkAnswers(
  t: Test,
  port: number,
  client: EngineClient,
  steady: Steady,
): Promise<void> {
  const { synced_seq: seq } = await client.status()
  const decided: string[] = []
  for (let next = 1; next <= seq; ) {
    const { entries } = await client.journal(next, 1_000_000)
    next += entries.length
    for (const bytes of entries) {
      const entry = decodeEntry(bytes)
      if (entry.kind === 'decision') decided.push(entry.message.id)
    }
  }
  const sent = steady.answers.map(({ body }) => JSON.parse(body).id)
  t.same([...decided].sort(), [...sent].sort(), 'each message was decided once')
  for (const { body, text } of [steady.answers[0], steady.answers.at(-1)].filter(
    (one) => one !== undefined,
  )) {
    t.equal(bodyOf((await exchange(port, requestOf(body, CLOSE))).text), text, 'and repeats itself')
  }
}

test('a plain restart answers from the old engine, then the new one, and decides nothing twice', async (t) => {
  const first = await startEngineChild(t)
  await pushConfig(first)
  const steady = sendSteadily(first.port)
  await until(() => steady.answers.length > 20)
  first.child.kill('SIGTERM')
  t.equal(await first.exited, 0)
  const before = steady.answers.length
  const { port, directory } = first
  const second = await startEngineChild(t, { port, directory })
  await until(() => steady.answers.length > before + 20)
  await steady.stop()
  t.comment('plain restart: nobody answered for ' + Math.round(steady.gapMs()) + ' ms')
  await checkAnswers(t, port, second.client, steady)
})

test('an engine that takes over is loaded before the old one stops, and decides nothing twice', async (t) => {
  const first = await startEngineChild(t)
  await pushConfig(first)
  const { port, directory } = first
  let loaded = false
  const taking = startEngineChild(t, {
    port,
    directory,
    arguments: ['--take-over'],
    onOutput: (output) => {
      loaded = output.includes('waiting until no other process holds the journal')
    },
  })
  const steady = sendSteadily(port)
  await until(() => loaded)
  const waiting = steady.answers.length
  await until(() => steady.answers.length > waiting + 20)
  first.child.kill('SIGTERM')
  t.equal(await first.exited, 0)
  const before = steady.answers.length
  const second = await taking
  await until(() => steady.answers.length > before + 20)
  await steady.stop()
  t.comment('take-over: nobody answered for ' + Math.round(steady.gapMs()) + ' ms')
  await checkAnswers(t, port, second.client, steady)
  const refused = startEngineChild(t, { directory })
  await t.rejects(refused, /is held by another engine/, 'who does not take over does not wait')
})

test('a killed engine is restarted by its supervisor, and nothing is decided twice', async (t) => {
  const directory = newDataDir(t)
  const [port = 0] = await freePorts(1)
  const logPath = join(directory, 'engine.log')
  const pids: number[] = []
  const launch = () =>
    runNodeProcess({
      script: ENGINE_SCRIPT,
      arguments: [],
      environment: engineEnvironment(directory, port),
      logPath,
    })
  const supervised = supervise({
    name: 'engine',
    clock: systemClock,
    logPath,
    launch,
    onPid: (pid) => {
      if (pid !== null) pids.push(pid)
    },
    say: () => undefined,
  })
  t.teardown(() => supervised.stop())
  await supervised.firstReady
  const client = createEngineClient({
    socketPath: join(directory, 'engine.sock'),
    clock: systemClock,
  })
  t.teardown(() => client.close())
  const attached = (): Promise<boolean> =>
    client.attach({ database_id: 'test', journal: null }).then(
      () => true,
      () => false,
    )
  await until(attached)
  await pushConfig({ client })
  const steady = sendSteadily(port)
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const [lives, before] = [pids.length, steady.answers.length]
    await until(() => steady.answers.length > before + 20)
    process.kill(pids.at(-1) ?? 0, signal)
    t.ok(await happens(() => pids.length > lives), 'started again after ' + signal)
    await until(attached)
  }
  const before = steady.answers.length
  await until(() => steady.answers.length > before + 20)
  await steady.stop()
  t.comment('respawn: nobody answered for at most ' + Math.round(steady.gapMs()) + ' ms')
  await checkAnswers(t, port, client, steady)
})
