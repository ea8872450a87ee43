// LMDB can abort the process that opens it. After two such aborts soon after opening this file
// deletes the config cache; the api fills it again.
import { rm } from 'node:fs/promises'
import type { Exit } from './supervise.ts'

/** An abort this soon after the start counts against the cache. */
const SOON_MS = 15_000
const ABORTS_MAX = 2
const ABORT_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS'])

/** Called after each death of the engine. Any death that is not an early abort clears the count. */
export function configCacheGuard(
  cachePath: string,
  say: (line: string) => void,
): (exit: Exit, livedMs: number) => Promise<void> {
  let aborts = 0
  return async (exit, livedMs) => {
    const aborted = exit.signal !== null && ABORT_SIGNALS.has(exit.signal) && livedMs < SOON_MS
    aborts = aborted ? aborts + 1 : 0
    if (aborts < ABORTS_MAX) return
    aborts = 0
    await rm(cachePath, { recursive: true, force: true })
    say('The config cache aborted the engine twice. It was deleted; the api fills it again.')
  }
}
