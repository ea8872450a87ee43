// The client of the process that asks tests about mutants (warm.ts). It starts the process on
// demand, and again after a mutant crashed it or it has grown.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Ranges } from './reach.ts'

export interface Question {
  test: string
  /** The file that holds the mutant. */
  path: string
  /** Milliseconds of processor time after which a mutant counts as an endless loop. */
  cpuMsMax: number
  /** True if the answer shall name the places that the test runs. */
  whereItRuns: boolean
}

export interface Answer {
  /** The first failure, or null if the test passes. */
  failure: string | null
  cpuMs: number
  runs: Ranges | null
  /** Bytes of memory of the process: Node never frees a loaded module. */
  bytes: number
}

const BYTES_MAX = 900 * 1024 * 1024
const HEAP_MB_MAX = 1200

export class WarmTests {
  readonly #directory: string
  #child: ChildProcess | null = null

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Asks a test about the sources as the directory has them now. Null if the process died. */
  async ask(question: Question): Promise<Answer | null> {
    const child = this.#child ?? this.#start()
    const answer = await answerOf(child, question)
    if (answer === null || answer.bytes > BYTES_MAX) await this.end()
    return answer
  }

  async end(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  #start(): ChildProcess {
    this.#child = fork(join(this.#directory, 'test/mutation/warm.ts'), {
      cwd: this.#directory,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--max-old-space-size=' + HEAP_MB_MAX],
      env: { ...process.env, SVC_SIMULATION_SHORT: '1' },
    })
    return this.#child
  }
}

function answerOf(child: ChildProcess, question: Question): Promise<Answer | null> {
  return new Promise((resolve) => {
    const over = (answer: Answer | null): void => {
      child.off('message', heard)
      child.off('exit', died)
      resolve(answer)
    }
    const heard = (answer: unknown): void => over(answer as Answer)
    const died = (): void => over(null)
    child.once('message', heard)
    child.once('exit', died)
    child.send(question)
  })
}
