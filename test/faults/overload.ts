// Row 28: three times as many messages as the engine can take. What it answers stays what it could answer, the rest is refused
// quickly, and nothing grows. The engine gets a share of one core only, so that one client is enough.
import { spawn, spawnSync } from 'node:child_process'
import { runLoad } from '../../scripts/simulate/load.ts'
import { targetOf } from '../../scripts/simulate/message.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { Teardown } from '../harness/postgres.ts'
import { residentBytes } from './evil-tenant.ts'
import type { FaultRun, Findings } from './fault.ts'
import { authorization } from './load.ts'
import { recount } from './recount.ts'
import { type Stack, startStack } from './stack.ts'
import { openWitness } from './witness.ts'

const CLOSED_LOOP = 64
const CONNECTIONS = 900
const TIMES = 3
const GOODPUT_MIN = 0.9
/** From sending to an answer or a refusal, sooner than a network gives up: on connections of their own, that wait for nobody. */
const TOOK_P99_MS_MAX = 1500
const GROWTH_BYTES_MAX = 200 * 1024 * 1024
const OPEN_MAX = 20_000
/** The engine runs so long, then rests so long. */
const [RUNS_MS, RESTS_MS] = [4, 12]

/** Stops and continues a process all the time, from a process of its own. */
function throttle(t: Teardown, pid: number): () => Promise<void> {
  const script = `
    const cell = new Int32Array(new SharedArrayBuffer(4))
    const wait = (ms) => Atomics.wait(cell, 0, 0, ms)
    for (;;) {
      process.kill(${pid}, 'SIGCONT')
      wait(${RUNS_MS})
      if (process.ppid === 1) process.exit()
      process.kill(${pid}, 'SIGSTOP')
      wait(${RESTS_MS})
    }`
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const release = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    // Where it still is, it goes on.
    spawnSync('kill', ['-CONT', String(pid)])
  }
  t.teardown(release)
  return release
}

export async function overload(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t, { environment: { SVC_SNAPSHOT_ENTRIES: '1000000' } })
  const release = throttle(t, stack.engineProcess.pid)
  await closedLoop(stack, 1)
  const capacity = await closedLoop(stack, Math.max(2, t.effort.seconds))
  const problems: string[] = []
  const before = residentBytes(stack)
  let open = 0
  const watching = new AbortController()
  const prober = openWitness(stack, [stack.card('load_plain_1')], { senders: 4, pauseMs: 100 })
  const probing = prober.run(watching.signal)
  const watched = watch(watching.signal, async () => {
    open = Math.max(open, (await stack.metric('svc_open_messages').catch(() => 0)) ?? 0)
  })
  const seconds = 4 * t.effort.seconds
  const beganMs = systemClock.nowMs()
  const report = await runLoad({
    target: targetOf(stack.engineUrl),
    credentials: stack.secrets.network,
    plainCards: Array.from({ length: 32 }, (_, at) => stack.card('load_plain_' + (at + 1))),
    realtimeCards: [],
    options: { ratePerS: TIMES * capacity, seconds, connections: CONNECTIONS, realtimeShare: 0 },
    clock: systemClock,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
  const tookMs = systemClock.nowMs() - beganMs
  watching.abort()
  await Promise.all([watched, probing])
  const p99 = prober.took.getValueAtPercentile(99)
  if (p99 > TOOK_P99_MS_MAX) problems.push('answers and refusals took ' + p99 + ' ms')
  const approved = report.outcomes.find(({ outcome }) => outcome === 'approved')?.latency.count ?? 0
  // With the last answers: what is only answered late is no more goodput.
  const goodput = (approved * 1000) / tookMs
  for (const { outcome, latency } of report.outcomes) {
    if (!outcome.startsWith('refused: HTTP 503') && outcome !== 'approved')
      problems.push(latency.count + ' times ' + outcome)
    t.say(
      outcome +
        ': ' +
        latency.count +
        ', p50 ' +
        Math.round(latency.p50_ms) +
        ', p99 ' +
        Math.round(latency.p99_ms),
    )
  }
  t.say('capacity ' + capacity + '/s, goodput ' + Math.round(goodput) + '/s, open at most ' + open)
  if (goodput < GOODPUT_MIN * capacity)
    problems.push('goodput ' + Math.round(goodput) + '/s of ' + capacity + '/s')
  if (open > OPEN_MAX) problems.push(open + ' messages were open')
  const grown = residentBytes(stack) - before
  if (grown > GROWTH_BYTES_MAX) problems.push('the engine grew by ' + grown + ' bytes')
  await release()
  await stack.drained()
  problems.push(...(await recount(stack)))
  const injected = TIMES * capacity + ' messages a second for ' + seconds + ' s where ' + capacity
  return { injected: injected + ' fit: ' + Math.round(goodput) + '/s answered', problems }
}

/** Answers per second that a fixed number of senders get. */
async function closedLoop(stack: Stack, seconds: number): Promise<number> {
  const sandbox = { engine_url: stack.engineUrl, network: stack.secrets.network }
  const network = openNetwork(sandbox, systemClock, CLOSED_LOOP)
  await network.warm()
  const untilMs = systemClock.nowMs() + seconds * 1000
  let answered = 0
  await Promise.all(
    Array.from({ length: CLOSED_LOOP }, async (_, number) => {
      const card = stack.card('load_plain_' + (1 + (number % 32)))
      while (systemClock.nowMs() < untilMs)
        if ((await network.send(authorization(card, 1))).answer !== null) answered += 1
    }),
  )
  network.close()
  return Math.round(answered / seconds)
}

async function watch(signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await look()
    await sleep(200, signal)
  }
}
