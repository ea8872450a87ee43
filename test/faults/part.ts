// One process of the stack that a fault ends and starts; no supervisor restarts it.
import { join, resolve } from 'node:path'
import { runNodeProcess } from '../../scripts/start/node-process.ts'
import type { Exit, Run } from '../../scripts/start/supervise.ts'

const ROOT = join(import.meta.dirname, '../..')

export type Environment = { readonly [name: string]: string | undefined }

export interface Part {
  /** Process id of the latest run. */
  readonly pid: number
  /** The exit of the latest run, once it has ended. */
  readonly exited: Promise<Exit>
  /** Resolves when it is ready; rejects with its last output if it ends before. */
  start(more?: Environment): Promise<void>
  /** Starts like `start`, and resolves with the exit if it ended; null when it is ready. */
  tryStart(more?: Environment): Promise<Exit | null>
  signal(name: NodeJS.Signals): void
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** Ends it with SIGTERM. */
  stop(): Promise<void>
}

/** One of our scripts as a process, an absolute path for other code; `start` begins it. */
export function openPart(script: string, logDirectory: string, environment: Environment): Part {
  let run: Run | null = null
  const running = (): Run => {
    if (run === null) throw new Error(script + ' was never started')
    return run
  }
  const part: Part = {
    get pid() {
      return running().pid
    },
    get exited() {
      return running().exited
    },
    async tryStart(more = {}) {
      run = await runNodeProcess({
        script: resolve(ROOT, script),
        arguments: [],
        environment: { ...environment, ...more },
        logPath: join(logDirectory, script.replaceAll('/', '-') + '.log'),
      })
      return (await Promise.race([run.ready, run.exited])) ?? null
    },
    async start(more) {
      const early = await part.tryStart(more)
      if (early !== null) throw new Error(script + ' did not start: ' + early.lastWords)
    },
    signal: (name) => void process.kill(running().pid, name),
    async kill() {
      process.kill(running().pid, 'SIGKILL')
      await running().exited
    },
    async stop() {
      await run?.stop()
    },
  }
  return part
}
