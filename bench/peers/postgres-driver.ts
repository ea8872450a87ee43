// Drives PostgreSQL alone from a process of its own, the way bench/generator drives a server: calls
// of the function are made before the clock starts, and every connection calls again as soon as it
// was answered.
import { type Sender, startSender } from '../sender.ts'

export interface Calls {
  count: number
  /** JSON: an array of `card` as the messages of a network carry them. */
  cardsFile: string
  /** Hex: the key with which card numbers are hashed. */
  root: string
}

export interface Drive {
  address: string
  connections: number
  seconds: number
  warmSeconds: number
}

/** The status of an answer is '200' for a decision and '500' for a failure. */
export type Driver = Sender<Calls, Drive>

const PROCESS = new URL('postgres-driver-process.ts', import.meta.url)

/** One process for many drives. */
export function startDriver(): Driver {
  return startSender(PROCESS, 'the driver of PostgreSQL')
}
