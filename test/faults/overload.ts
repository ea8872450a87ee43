// Row 28: three times as many messages as the engine can take, over either listener. The number of
// decisions in time stays at the engine's rate, the rest is refused quickly, and nothing grows. The
// same run finds that rate first, with senders that wait for each answer.
import type { Histogram } from 'hdr-histogram-js'
import { sleep } from '../../shared/clock.ts'
import { AUTH_BUDGET_MS } from '../../shared/limits.ts'
import { freePort } from '../harness/free-ports.ts'
import {
  type CrowdedListener,
  closedLoop,
  measured,
  newPhase,
  openLoop,
  type Phase,
  throttle,
} from './crowd.ts'
import { crowdedHttp, crowdedLink } from './crowded-listeners.ts'
import { residentBytes } from './evil-tenant.ts'
import type { FaultRun, Findings } from './fault.ts'
import { recount } from './recount.ts'
import { type Stack, startStack } from './stack.ts'

/** Numbers of senders that wait for each answer; more of them gain nothing. */
const CLOSED_LOOPS = [16, 64, 256]
const ROUNDS = 4
const TIMES = 3
const GOODPUT_MIN = 0.9
const GROWTH_BYTES_MAX = 200 * 1024 * 1024
const OPEN_MAX = 20_000
const ENVIRONMENT = { SVC_SNAPSHOT_ENTRIES: '1000000' }

/** The overload over HTTP. */
export async function overload(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t, { environment: ENVIRONMENT })
  return crowd(t, stack, await crowdedHttp(stack))
}

/** The overload over one link of ISO 8583. */
export async function overloadedLink(t: FaultRun): Promise<Findings> {
  const port = await freePort()
  const stack = await startStack(t, {
    environment: ENVIRONMENT,
    engineEnvironment: (_, { network }) => ({
      SVC_ENGINE_ISO_PORT: String(port),
      SVC_ENGINE_ISO_NETWORK: network.key_id,
    }),
  })
  return crowd(t, stack, await crowdedLink(stack, port))
}

async function crowd(t: FaultRun, stack: Stack, listener: CrowdedListener): Promise<Findings> {
  const release = throttle(t, stack.engineProcess.pid)
  const senders = await bestOf(listener)
  const [calm, crowded] = [newPhase(), newPhase()]
  const before = residentBytes(stack)
  let open = 0
  const watching = new AbortController()
  const watched = watch(watching.signal, async () => {
    open = Math.max(open, (await stack.metric('svc_open_messages').catch(() => 0)) ?? 0)
  })
  const ms = t.effort.seconds * 1000
  for (let round = 0; round < ROUNDS; round++) {
    const earlier = { decided: calm.decided, wallMs: calm.wallMs }
    await measured(stack, calm, () => closedLoop(listener, calm, { senders, ms }))
    const fits = ((calm.decided - earlier.decided) * 1000) / (calm.wallMs - earlier.wallMs)
    t.say('round ' + (round + 1) + ': ' + Math.round(fits) + ' a second fit')
    const load = { perS: TIMES * fits, fits, ms }
    await measured(stack, crowded, () => openLoop(listener, crowded, load))
  }
  watching.abort()
  await watched
  listener.close()
  const grown = residentBytes(stack) - before
  await release()
  await stack.drained()
  const problems = [...compared(t, calm, crowded), ...(await recount(stack))]
  if (open > OPEN_MAX) problems.push(open + ' messages were open')
  if (grown > GROWTH_BYTES_MAX) problems.push('the engine grew by ' + grown + ' bytes')
  return { injected: injectedBy(calm, crowded) + ', open at most ' + open, problems }
}

/** The number of senders that together get the most answers. */
async function bestOf(listener: CrowdedListener): Promise<number> {
  let best = { senders: 1, decided: 0 }
  for (const senders of CLOSED_LOOPS) {
    const phase = newPhase()
    await closedLoop(listener, phase, { senders, ms: 1000 })
    if (phase.decided > best.decided) best = { senders, decided: phase.decided }
  }
  return best.senders
}

function compared({ say }: FaultRun, calm: Phase, crowded: Phase): string[] {
  const [fits, good] = [calm, crowded].map(({ decided, ranMs }) => decided / ranMs)
  const [busy, stillBusy] = [calm, crowded].map(({ wantedMs, wallMs }) => wantedMs / wallMs)
  const goodput = (good ?? 0) / (fits ?? 1)
  say('per second of its own: ' + percent(goodput) + ' of what fits, ' + crowded.late + ' too late')
  say('busy ' + percent(busy ?? 0) + ' of the time, crowded ' + percent(stillBusy ?? 0))
  const problems = [...calm.problems, ...crowded.problems]
  if (goodput < GOODPUT_MIN) problems.push('decided in time: ' + percent(goodput) + ' of what fits')
  if ((stillBusy ?? 0) < GOODPUT_MIN * (busy ?? 0)) problems.push('crowded, the engine rests')
  const [answers, refusals] = [crowded.answered, crowded.refused].map((one) => p99(one))
  say(
    'p99 of answers ' + answers + ' ms, of ' + crowded.refused.totalCount + ' refusals ' + refusals,
  )
  if (Math.max(answers ?? 0, refusals ?? 0) > AUTH_BUDGET_MS)
    problems.push('answers took ' + answers + ' ms, refusals ' + refusals + ' ms')
  return problems
}

function injectedBy(calm: Phase, crowded: Phase): string {
  const perS = ({ decided, wallMs }: Phase): number => Math.round((decided * 1000) / wallMs)
  const sent = crowded.decided + crowded.late + crowded.refused.totalCount + crowded.unsent
  const offered = Math.round((sent * 1000) / crowded.wallMs)
  return (
    offered +
    ' messages a second where ' +
    perS(calm) +
    ' fit: ' +
    perS(crowded) +
    ' decided in time'
  )
}

async function watch(signal: AbortSignal, look: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await look()
    await sleep(200, signal)
  }
}

function p99(histogram: Histogram): number {
  return histogram.totalCount === 0 ? 0 : histogram.getValueAtPercentile(99)
}

function percent(share: number): string {
  return Math.round(share * 100) + ' %'
}
