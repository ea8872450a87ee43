// Load from a process of its own: what sends must not take the time of what is measured, nor of what compares.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Percentiles } from '../scripts/simulate/latency.ts'

export interface Load {
  port: number
  connections: number
  seconds: number
  /** Requests a second, each at its intended moment; null: every connection sends again as soon as it was answered. */
  rate: number | null
  /** Whole requests as text, sent in this order and then from the start. */
  requests: readonly string[]
}

export interface LoadResult {
  seconds: number
  /** By status; `broken` where there was no answer. */
  answers: { readonly [status: string]: number }
  /** From the intended moment where there is a rate. */
  latency: Percentiles
  /** Part of one processor that the sender used. */
  senderShare: number
}

const SENDER = fileURLToPath(new URL('load-process.ts', import.meta.url))

/** Sends, waits for every answer, and tells how it went. */
export function putUnder(load: Load): Promise<LoadResult> {
  const child = fork(SENDER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return new Promise((resolve, reject) => {
    child.once('message', (result) => {
      child.disconnect()
      resolve(result as LoadResult)
    })
    child.once('exit', (code) => reject(new Error('the sender ended with ' + code)))
    child.send(load)
  })
}
