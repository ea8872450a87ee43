// The process that makes snapshots, as the engine sees it: started before the first answer, because
// a start stops the engine for a time that grows with its memory; if it ended, the next order
// starts it again. Its failure costs only a snapshot.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { THREAD_OPTIONS } from '../shared/thread-preload.ts'
import type { SnapshotFailure } from './snapshot-process.ts'
import type { SnapshotOrder } from './snapshot-worker.ts'

export interface SnapshotMaker {
  /** Makes a snapshot, one at a time. */
  make(order: SnapshotOrder): Promise<SnapshotFailure>
  /** Stops the process; a snapshot in progress is dropped. */
  stop(): Promise<void>
}

/** Starts the process at once; it is idle until the first order. */
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
      // A late answer would let the child rest, and nobody would wait for its end.
      child.removeAllListeners('message')
      child.ref()
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** In a session of its own, which gets no signals of the terminal. */
function begin(): ChildProcess {
  const path = fileURLToPath(new URL('./snapshot-process.ts', import.meta.url))
  const child = fork(path, { execArgv: [...THREAD_OPTIONS], detached: true })
  // A failed start or send fails the order, which listens too.
  child.on('error', () => undefined)
  rest(child)
  return child
}

/** An idle process does not keep the engine alive. */
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
