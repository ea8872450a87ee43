// The engine's process that judges recorded entries, as the dispatcher sees it: one for each
// backtest. It gets the next entries when it has taken the ones before.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { THREAD_OPTIONS } from '../../../shared/thread-preload.ts'
import type {
  BacktestEntry,
  BacktestInput,
  BacktestOrder,
  BacktestOutput,
  BacktestResult,
} from '../../../shared/wire/backtest.ts'

/** Chosen: 1,000,000 entries with their open transactions fit several times. */
const HEAP_MB = 1024

/**
 * Judges the entries, in the order of the journal. Rejects when the process ends or refuses an
 * entry, and when the signal aborts.
 */
export async function judgeEntries(
  order: BacktestOrder,
  pages: AsyncIterable<readonly BacktestEntry[]>,
  signal: AbortSignal,
): Promise<BacktestResult> {
  const child = begin()
  try {
    await answerTo(child, { order }, signal)
    for await (const entries of pages) await answerTo(child, { entries }, signal)
    const output = await answerTo(child, { end: true }, signal)
    if ('result' in output) return output.result
    throw new Error('the process that judges entries gave no result')
  } finally {
    child.kill('SIGKILL')
  }
}

function begin(): ChildProcess {
  const path = fileURLToPath(new URL('../../../engine/backtest/process.ts', import.meta.url))
  const child = fork(path, {
    execArgv: [...THREAD_OPTIONS, '--max-old-space-size=' + HEAP_MB],
    serialization: 'advanced',
    // Its own session: the system would lower the priority of the dispatcher with it.
    detached: true,
  })
  // A failed start fails the wait for the first answer, which listens for the exit.
  child.on('error', () => undefined)
  return child
}

async function answerTo(
  child: ChildProcess,
  input: BacktestInput,
  signal: AbortSignal,
): Promise<BacktestOutput> {
  const waiting = new AbortController()
  const either = AbortSignal.any([signal, waiting.signal])
  try {
    const answered = once(child, 'message', { signal: either })
    const ended = once(child, 'exit', { signal: either }).then(() => {
      throw new Error('the process that judges entries ended')
    })
    child.send(input)
    const [output] = (await Promise.race([answered, ended])) as [BacktestOutput]
    if ('failure' in output) throw new Error(output.failure)
    return output
  } finally {
    waiting.abort()
  }
}
