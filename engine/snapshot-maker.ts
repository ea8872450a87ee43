// The process that makes snapshots, as the engine sees it: begun before anything is answered, because to begin one stops the
// engine for as long as it has memory; begun again by the next order where it ended. Whatever becomes of it costs a snapshot only.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SnapshotFailure } from './snapshot-process.ts'
import type { SnapshotOrder } from './snapshot-worker.ts'

export interface SnapshotMaker {
  /** One at a time. */
  make(order: SnapshotOrder): Promise<SnapshotFailure>
  /** What was being made is dropped. */
  stop(): Promise<void>
}

/** Begins the process at once; it rests until the first order. */
export function openSnapshotMaker(): SnapshotMaker {
  let child = begin()
  return {
    make(order) {
      if (!child.connected) child = begin()
      return made(child, order)
    },
    async stop() {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.ref()
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** In a session of its own, which is not told what a terminal tells. What the engine was told to load before itself is not for it. */
function begin(): ChildProcess {
  const path = fileURLToPath(new URL('./snapshot-process.ts', import.meta.url))
  const child = fork(path, { execArgv: [], detached: true })
  // One that cannot be begun or told has failed its order, which listens too.
  child.on('error', () => undefined)
  rest(child)
  return child
}

/** An idle one holds nobody up. */
function rest(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

function made(child: ChildProcess, order: SnapshotOrder): Promise<SnapshotFailure> {
  child.ref()
  child.channel?.ref()
  return new Promise((resolve) => {
    const settle = (failure: SnapshotFailure): void => {
      child.off('message', settle)
      child.off('exit', ended)
      child.off('error', ended)
      rest(child)
      resolve(failure)
    }
    const ended = (): void => settle('the process that makes snapshots ended')
    child.once('message', settle)
    child.once('exit', ended)
    child.once('error', ended)
    child.send(order)
  })
}
