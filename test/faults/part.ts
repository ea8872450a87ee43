// One process of the stack, to be ended and started as a fault wants it: nobody starts it again by
// itself.
import { join } from 'node:path'
import { runNodeProcess } from '../../scripts/start/node-process.ts'
import type { Exit, Run } from '../../scripts/start/supervise.ts'

const ROOT = join(import.meta.dirname, '../..')

export type Environment = { readonly [name: string]: string | undefined }

export interface Part {
  /** Of the latest run. */
  readonly pid: number
  /** How the latest run ended, once it has. */
  readonly exited: Promise<Exit>
  /** Resolves when it is ready; rejects with its last words where it ends before. */
  start(more?: Environment): Promise<void>
  /** The same, and how it ended where it did: null when it is ready. */
  tryStart(more?: Environment): Promise<Exit | null>
  signal(name: NodeJS.Signals): void
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** In order. */
  stop(): Promise<void>
}

/** A script of ours as a process; `start` begins it. */
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
        script: join(ROOT, script),
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
