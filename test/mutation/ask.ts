// The process that asks tests about mutants (warm.ts), as seen by who has mutants to judge. It is
// started when it is needed, and again when a mutant brought it down or it has grown.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Ranges } from './reach.ts'

export interface Question {
  test: string
  /** The file that holds the mutant. */
  path: string
  /** Processor time after which it loops for ever. */
  cpuMsMax: number
  /** Whether the answer shall say which places the test runs. */
  whereItRuns: boolean
}

export interface Answer {
  /** What failed first, or null where the test passes. */
  failure: string | null
  cpuMs: number
  runs: Ranges | null
  /** Memory of the process: a module once loaded is never given back. */
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

  /**
   * Asks a test about the sources as they are now in the directory. Null where the process died of
   * it.
   */
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
