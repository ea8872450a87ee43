// Row 28: three times as many messages as the engine can take. What it decides in time stays what it can decide, the rest is
// refused quickly, and nothing grows. The engine gets a share of one core only, so that one client is enough.
//
// What it can take is found first, in the same run, by senders that wait for each answer; then both kinds of load take turns, so
// that whatever else the machine does meets both. Compared is what a second of the decision thread's own time brings about, and
// that it does not rest: neither depends on how much of the machine the engine is given.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { build as buildHistogram, type Histogram } from 'hdr-histogram-js'
import { type Network, openNetwork } from '../../scripts/simulate/network.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { AUTH_BUDGET_MS } from '../../shared/limits.ts'
import type { Teardown } from '../harness/postgres.ts'
import { residentBytes } from './evil-tenant.ts'
import type { FaultRun, Findings } from './fault.ts'
import { authorization } from './load.ts'
import { recount } from './recount.ts'
import { type Stack, startStack } from './stack.ts'

/** Senders that wait for each answer: with more of them it takes no more. */
const CLOSED_LOOPS = [16, 64, 256]
const CARDS = 32
const ROUNDS = 4
const TIMES = 3
/** As many lines as are answered in this time, so that no message has to wait its budget away behind others. */
const LINES_MS = 700
const LINES_MAX = 900
const GOODPUT_MIN = 0.9
const GROWTH_BYTES_MAX = 200 * 1024 * 1024
const OPEN_MAX = 20_000
const BEAT_MS = 2
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

/** What one kind of load came to. */
interface Phase {
  /** Decided within the budget, counted from when the message left. */
  decided: number
  late: number
  refused: Histogram
  answered: Histogram
  /** Messages that found no line free: the network's own affair. */
  unsent: number
  wallMs: number
  /** The decision thread ran, or could have. */
  ranMs: number
  wantedMs: number
  problems: Set<string>
}

function newPhase(): Phase {
  const [refused, answered] = [buildHistogram(), buildHistogram()]
  const counted = { decided: 0, late: 0, unsent: 0, wallMs: 0, ranMs: 0, wantedMs: 0 }
  return { ...counted, refused, answered, problems: new Set() }
}

export async function overload(t: FaultRun): Promise<Findings> {
  const stack = await startStack(t, { environment: { SVC_SNAPSHOT_ENTRIES: '1000000' } })
  const release = throttle(t, stack.engineProcess.pid)
  const lines = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    LINES_MAX,
  )
  await lines.warm()
  const senders = await bestOf(stack, lines)
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
    await measured(stack, calm, () => closedLoop(stack, { lines, phase: calm, senders, ms }))
    const capacity = ((calm.decided - earlier.decided) * 1000) / (calm.wallMs - earlier.wallMs)
    t.say('round ' + (round + 1) + ': ' + Math.round(capacity) + ' a second fit')
    await measured(stack, crowded, () =>
      openLoop(stack, { lines, phase: crowded, perS: TIMES * capacity, ms }),
    )
  }
  watching.abort()
  await watched
  lines.close()
  const grown = residentBytes(stack) - before
  await release()
  await stack.drained()
  const problems = [...compared(t, calm, crowded), ...(await recount(stack))]
  if (open > OPEN_MAX) problems.push(open + ' messages were open')
  if (grown > GROWTH_BYTES_MAX) problems.push('the engine grew by ' + grown + ' bytes')
  return { injected: injectedBy(calm, crowded) + ', open at most ' + open, problems }
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

interface Load {
  lines: Network
  phase: Phase
  ms: number
}

/** The number of senders that together get the most answers. */
async function bestOf(stack: Stack, lines: Network): Promise<number> {
  let best = { senders: 1, decided: 0 }
  for (const senders of CLOSED_LOOPS) {
    const phase = newPhase()
    await closedLoop(stack, { lines, phase, senders, ms: 1000 })
    if (phase.decided > best.decided) best = { senders, decided: phase.decided }
  }
  return best.senders
}

async function closedLoop(
  stack: Stack,
  { lines, phase, senders, ms }: Load & { senders: number },
): Promise<void> {
  const untilMs = systemClock.nowMs() + ms
  await Promise.all(
    Array.from({ length: senders }, async (_, number) => {
      while (systemClock.nowMs() < untilMs) await send(stack, { lines, phase, number })
    }),
  )
}

/** Sends at the given rate, whatever comes back, as long as a line is free. */
async function openLoop(
  stack: Stack,
  { lines, phase, perS, ms }: Load & { perS: number },
): Promise<void> {
  const linesMax = Math.min(LINES_MAX, Math.ceil((perS / TIMES) * (LINES_MS / 1000)))
  const beganMs = systemClock.nowMs()
  const underWay = new Set<Promise<void>>()
  for (let sent = 0; ; ) {
    const passedMs = systemClock.nowMs() - beganMs
    if (passedMs >= ms) break
    for (; sent < (passedMs * perS) / 1000; sent++) {
      if (underWay.size >= linesMax) {
        phase.unsent += 1
        continue
      }
      const one = send(stack, { lines, phase, number: sent })
      underWay.add(one)
      void one.then(() => underWay.delete(one))
    }
    await sleep(BEAT_MS)
  }
  await Promise.all(underWay)
}

async function send(
  stack: Stack,
  { lines, phase, number }: { lines: Network; phase: Phase; number: number },
): Promise<void> {
  const card = stack.card('load_plain_' + (1 + (number % CARDS)))
  const { answer, exchange, tookMs } = await lines.send(authorization(card, 1))
  if (answer !== null) {
    phase.answered.recordValue(Math.round(tookMs))
    if (tookMs <= AUTH_BUDGET_MS) phase.decided += 1
    else phase.late += 1
    return
  }
  const what = exchange.kind === 'broken' ? exchange.problem : 'HTTP ' + exchange.status
  if (what === 'HTTP 503') phase.refused.recordValue(Math.round(tookMs))
  else phase.problems.add(what + ' instead of an answer')
}

/** Adds up what a load takes: by the clock, and of the decision thread by the kernel's account. */
async function measured(stack: Stack, phase: Phase, load: () => Promise<void>): Promise<void> {
  const [wallMs, thread] = [systemClock.nowMs(), threadMs(stack)]
  await load()
  const after = threadMs(stack)
  phase.wallMs += systemClock.nowMs() - wallMs
  phase.ranMs += after.ran - thread.ran
  phase.wantedMs += after.ran - thread.ran + after.waited - thread.waited
}

/** How long the decision thread ran and how long it waited for a core, in milliseconds. */
function threadMs({ engineProcess: { pid } }: Stack): { ran: number; waited: number } {
  const text = readFileSync('/proc/' + pid + '/task/' + pid + '/schedstat', 'utf8')
  const [ran = 0, waited = 0] = text.split(' ').map((ns) => Number(ns) / 1e6)
  return { ran, waited }
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
