// Runs one bench in a process of its own, as `npm run bench` does one after the other. The result
// is findings, even if the process dies.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { brokenBy, type Findings } from './measured.ts'
import type { Order, Words } from './one-process.ts'

const PROCESS = fileURLToPath(new URL('one-process.ts', import.meta.url))
/** Milliseconds for its processes to end in order. */
const ENDING_MS_MAX = 10_000

export interface Alone {
  log(text: string): void
  /** After so many it is ended, whatever it does. */
  secondsMax: number
}

/**
 * Returns its findings: after a failure, a flaw that names it. Null if it took too long and was
 * ended. Never rejects.
 */
export async function runAlone(order: Order, { log, secondsMax }: Alone): Promise<Findings | null> {
  // The advanced format keeps values as they are: an Infinity stays one.
  const child = fork(PROCESS, { serialization: 'advanced' })
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve('it ended with ' + (signal ?? code)))
    child.once('error', (error) => resolve(String(error)))
  })
  const found = new Promise<Findings>((resolve) => {
    child.on('message', (words) => {
      const told = words as Words
      if ('findings' in told) resolve(told.findings)
      else log(told.log)
    })
  })
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), secondsMax * 1000)
  child.send(order)
  const outcome = await Promise.race([found, late.promise, ended])
  clearTimeout(timer)
  if (outcome === null) child.kill('SIGTERM')
  const killed = setTimeout(() => child.kill('SIGKILL'), ENDING_MS_MAX)
  await ended
  clearTimeout(killed)
  return typeof outcome === 'string' ? brokenBy(order.name, outcome) : outcome
}
