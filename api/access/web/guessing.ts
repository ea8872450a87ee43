// Judges new passwords as somebody who guesses would: common passwords, rows of keys, sequences,
// repetitions, dates, and words about the person.
import { Piscina } from 'piscina'
import { THREAD_OPTIONS } from '../../../shared/thread-preload.ts'
import { Refusal } from '../../http/refusal.ts'
import type { Guessing } from './guessing-thread.ts'

/**
 * Chosen: two common words with a year or a sign are found within 10^8 tries, three unrelated ones
 * or twelve random characters are not within 10^10.
 */
const GUESSES_MIN = 1e9
/** Chosen: a new password waits for two seconds at most. */
const WAITING_MAX = 64
const IDLE_MS = 30_000

let thread: Piscina<Guessing, number> | null = null

/**
 * True for a password that is among the first to be guessed. The first call in a while starts a
 * thread, which takes a fifth of a second. Rejects with `overloaded` when too many wait.
 */
export async function isGuessed(password: string, words: readonly string[]): Promise<boolean> {
  thread ??= openThread()
  if (thread.queueSize >= WAITING_MAX) throw new Refusal('overloaded')
  return (await thread.run({ password, words })) < GUESSES_MIN
}

function openThread(): Piscina<Guessing, number> {
  const pool = new Piscina<Guessing, number>({
    filename: new URL('./guessing-thread.ts', import.meta.url).href,
    name: 'guess',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    atomics: 'disabled',
    env: {},
    execArgv: [...THREAD_OPTIONS],
    recordTiming: false,
  })
  // The call that waits is refused with the error, which is logged; the next one begins anew.
  pool.on('error', () => {
    thread = null
  })
  return pool
}
