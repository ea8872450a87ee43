// Rows 7 and 8: a slow disk, and a failing one.
import { sleep, systemClock } from '../../../shared/clock.ts'
import { until } from '../../harness/until.ts'
import { boundMs, type FaultRun, type Findings, type Skipped } from '../fault.ts'
import type { Stack } from '../stack.ts'
import { openWitness, type Witness } from '../witness.ts'
import { type OnShim, onShim } from './on-shim.ts'
import { EVERY_SYNC, NO_COMPILER } from './shim.ts'

const FAIL_STOP = 70
const DELAYS_MS = [1, 5, 50, 500] as const
/**
 * A message waits for the write under way, then for its own; the engine refuses messages older than
 * this on receipt.
 */
const REFUSED_AFTER_MS = 250
/** The time that a busy machine adds. */
const SLACK_MS = 500
const SENDERS = 16

/** Row 7: every sync takes 1 to 500 ms. Answers wait as long as the disk does, and no longer. */
export async function slowDisk(t: FaultRun): Promise<Findings | Skipped> {
  const on = await onShim(t)
  if (on === null) return { skipped: NO_COMPILER }
  const { shim, stack } = on
  const problems: string[] = []
  const measured: string[] = []
  for (const delayMs of DELAYS_MS) {
    shim.slow(delayMs * 1000)
    const before = shim.counts().seen
    const witness = openWitness(stack, [stack.card('load_plain_1')], {
      senders: SENDERS,
      pauseMs: 5,
    })
    await witness.runFor(t.effort.seconds * 1000 + delayMs)
    const p99 = witness.took.getValueAtPercentile(99)
    const bound = 2 * delayMs + REFUSED_AFTER_MS + SLACK_MS
    if (p99 > bound) problems.push(delayMs + ' ms disk: p99 ' + p99 + ' ms, bound ' + bound)
    for (const refusal of witness.refusals.keys())
      if (refusal !== '503 issuer_overloaded' && refusal !== '503 overloaded')
        problems.push(delayMs + ' ms disk: refused with ' + refusal)
    if (delayMs <= REFUSED_AFTER_MS / 5 && witness.refusals.size > 0)
      problems.push(delayMs + ' ms disk: refused ' + [...witness.refusals].join(' '))
    problems.push(...witness.problems)
    measured.push(delayMs + ' ms: ' + rowOf(witness, shim.counts().seen - before))
    t.say(measured.at(-1) ?? '')
  }
  shim.slow(0)
  const last = openWitness(stack, [stack.card('load_plain_1')])
  await last.runFor(200)
  problems.push(...(await last.compare()))
  return { injected: 'syncs of ' + DELAYS_MS.join(', ') + ' ms', problems }
}

function rowOf(witness: Witness, syncs: number): string {
  const refused = [...witness.refusals.values()].reduce((sum, count) => sum + count, 0)
  return [
    syncs + ' syncs',
    witness.answered + ' answered',
    refused + ' refused',
    'p50 ' + witness.took.getValueAtPercentile(50) + ' ms',
    'p99 ' + witness.took.getValueAtPercentile(99) + ' ms',
  ].join(', ')
}

/**
 * Row 8: a sync fails once, and then always. The engine stops at once, and everything answered is
 * kept.
 */
export async function failingDisk(
  t: FaultRun,
  started: Promise<OnShim | null> = onShim(t),
): Promise<Findings | Skipped> {
  const on = await started
  if (on === null) return { skipped: NO_COMPILER }
  const { shim, stack } = on
  const witness = openWitness(stack, ['load_plain_1', 'load_realtime_1'].map(stack.card))
  const end = new AbortController()
  const running = witness.run(end.signal)
  const problems: string[] = []
  const rounds = t.effort.seconds
  const stoppedMsMax = boundMs(t.effort, STOPPED_MS_MAX)
  for (let round = 0; round < rounds; round++) {
    await sleep(300)
    shim.fail(1)
    problems.push(...(await stopped(stack, stoppedMsMax)))
    await stack.engineProcess.start()
    await until(() => stack.ready())
  }
  await sleep(300)
  shim.fail(EVERY_SYNC)
  problems.push(...(await stopped(stack, stoppedMsMax)))
  for (let attempt = 0; attempt < rounds; attempt++) {
    const exit = await stack.engineProcess.tryStart()
    if (exit === null) problems.push('the engine started on a disk that fails')
    else if (exit.code !== 1 && exit.code !== FAIL_STOP)
      problems.push('the engine ended with ' + exit.code + ' ' + exit.signal)
    else if (exit.lastWords === null) problems.push('the engine said nothing of the disk')
  }
  shim.fail(0)
  await stack.engineProcess.start()
  await until(() => stack.ready())
  await sleep(300)
  end.abort()
  await running
  problems.push(...(await witness.compare()))
  const { failed } = shim.counts()
  return { injected: failed + ' failed syncs under ' + witness.answered + ' answers', problems }
}

const STOPPED_MS_MAX = 5000

/** Waits for the fail-stop. */
async function stopped(stack: Stack, msMax: number): Promise<string[]> {
  const beganMs = systemClock.nowMs()
  const waiting = new AbortController()
  const late = sleep(msMax, waiting.signal)
  const exit = await Promise.race([stack.engineProcess.exited, late])
  waiting.abort()
  if (exit === undefined) return ['the engine went on for ' + msMax + ' ms after EIO']
  const tookMs = systemClock.nowMs() - beganMs
  return exit.code === FAIL_STOP
    ? []
    : ['the engine ended with ' + exit.code + ' after ' + tookMs + ' ms: ' + exit.lastWords]
}
