// `npm start` from the first line to the exit code: brings everything up, shows it working, stays,
// and stops everything on a signal or when the start fails half-way.
import type { Clock } from '../../shared/clock.ts'
import { bringUp, type Running, type StartWorld } from './bring-up.ts'
import { cleanupStack } from './cleanup-stack.ts'
import { readStartConfig } from './config.ts'
import { showFirstAnswers } from './first-answers.ts'
import { showProgress, type Terminal } from './progress.ts'
import { StartProblem } from './start-problem.ts'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface StartOptions {
  /** Sends a burst of authorizations and shows the answers. */
  burst: boolean
}

/** Runs until a signal. Returns the exit code: 0 after a signal, 1 when it could not start. */
export async function runStart(
  options: StartOptions,
  clock: Clock,
  terminal: Terminal,
): Promise<number> {
  const config = readStartConfig()
  if (!config.ok) {
    const many = config.error.length > 1
    complain((many ? 'These settings are wrong:\n  ' : '') + config.error.join('\n  '))
    return 1
  }
  const stop = stopSignal(terminal)
  const progress = showProgress(terminal, clock)
  const started = cleanupStack(progress.say)
  const world: StartWorld = { config: config.value, clock, progress, started, signal: stop }
  terminal.write('svc: everything on this machine, data in ' + config.value.dataDir + '\n\n')
  for (const sentence of config.value.misspelt) complain('  ! ' + sentence)
  let exitCode = 0
  try {
    const running = await bringUp(world)
    await present(world, running, options, terminal)
    // From here on the start only watches over its processes.
    await running.seedWorld.sql.end({ timeout: 1 })
    await aborted(stop)
    terminal.write('\n  stopping …\n')
  } catch (error) {
    if (!stop.aborted) {
      complain('\n' + sentenceOf(error))
      exitCode = 1
    }
  }
  await started.unwind()
  terminal.write(
    exitCode === 0 ? '  stopped; the data is kept in ' + config.value.dataDir + '\n' : '',
  )
  return exitCode
}

/** The burst may take a second or two; a stop does not wait for it. */
async function present(
  world: StartWorld,
  running: Running,
  options: StartOptions,
  terminal: Terminal,
): Promise<void> {
  if (world.signal.aborted) return
  await Promise.race([showFirstAnswers(world, running, options, terminal), aborted(world.signal)])
}

function stopSignal(terminal: Terminal): AbortSignal {
  const stop = new AbortController()
  // npm passes signals on, so one Ctrl-C arrives twice: the second changes nothing.
  for (const name of STOP_SIGNALS) process.on(name, () => stop.abort())
  // A terminal that went away must not stop the orderly end.
  terminal.onGone?.(() => stop.abort())
  process.stderr.on('error', () => stop.abort())
  return stop.signal
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function sentenceOf(error: unknown): string {
  if (error instanceof StartProblem) return error.message
  return (
    'The start failed: ' + (error instanceof Error ? (error.stack ?? error.message) : String(error))
  )
}

function complain(text: string): void {
  process.stderr.write(text + '\n')
}
