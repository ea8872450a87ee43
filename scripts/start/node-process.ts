// Runs one of our processes with the same Node. The process sends {ready: true} over the IPC
// channel when it serves, and ends by itself when the channel breaks, so a killed start leaves
// nothing behind.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../shared/clock.ts'
import { lastWordsOf, openLogFile } from './log-file.ts'
import type { Exit, Run } from './supervise.ts'

const STOP_MS_MAX = 8000
const COMPILED_SOURCES = fileURLToPath(new URL('../compiled-sources.cjs', import.meta.url))

export interface NodeProcess {
  /** Absolute path of the script. */
  script: string
  /** Options of Node itself. */
  nodeOptions?: readonly string[]
  arguments: readonly string[]
  environment: { readonly [name: string]: string | undefined }
  logPath: string
  /** From SIGTERM to SIGKILL. */
  stopMsMax?: number
}

/**
 * Starts it. Output goes straight to the log file, so a slow terminal never slows the process; a
 * log that cannot be opened does not keep it from running.
 */
export async function runNodeProcess(options: NodeProcess): Promise<Run> {
  const log = await openLogFile(options.logPath)
  const child = spawn(
    process.execPath,
    ['-r', COMPILED_SOURCES, ...(options.nodeOptions ?? []), options.script, ...options.arguments],
    {
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
      env: { ...options.environment },
      // Its own process group: Ctrl-C in the terminal reaches only start, which ends all of them in
      // order.
      detached: true,
    },
  )
  await log.close()

  const ready = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<Exit>()
  child.on('message', (message) => {
    if (isReady(message)) ready.resolve()
  })
  child.once('error', (error) => {
    exited.resolve({ code: null, signal: null, lastWords: error.message })
  })
  child.once('exit', (code, signal) => {
    const lastWords = lastWordsOf(options.logPath, log.startedAt)
    exited.resolve(lastWords.then((words) => ({ code, signal, lastWords: words })))
  })

  return {
    pid: child.pid ?? 0,
    ready: ready.promise,
    exited: exited.promise,
    async stop() {
      child.kill('SIGTERM')
      const force = systemClock.after(options.stopMsMax ?? STOP_MS_MAX, () => child.kill('SIGKILL'))
      await exited.promise
      force.cancel()
    },
  }
}

function isReady(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'ready' in message && message.ready === true
  )
}
