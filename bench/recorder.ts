// Events of tenants, recorded at a rate by a process of its own.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { EventType } from '../shared/event-catalog.ts'

export interface Recording {
  databaseUrl: string
  /** The tenants, in turn. */
  tenantIds: readonly string[]
  /** Events a second, of all of them. */
  rate: number
  seconds: number
  type: EventType
}

const RECORDER = fileURLToPath(new URL('recorder-process.ts', import.meta.url))

/** Resolves with the number of events when all are recorded. */
export function recordFor(recording: Recording): Promise<number> {
  const child = fork(RECORDER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return new Promise((resolve, reject) => {
    child.once('message', (count) => {
      child.disconnect()
      resolve(count as number)
    })
    child.once('exit', (code) => reject(new Error('the recorder ended with ' + code)))
    child.send(recording)
  })
}
