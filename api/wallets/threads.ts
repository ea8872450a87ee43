// Threads for what wallets need computed: barcodes, images, signed passes. They are started by the first task and end when
// there has been none for a while; what is more than they and a short line can take is refused.
import { Piscina } from 'piscina'
import type { Logger } from '../../shared/log.ts'
import { Refusal } from '../refuse.ts'
import type { PassCertificates } from './apple/signature.ts'
import type { Task, TaskResult } from './thread.ts'

/** Chosen: one draws while the other signs; more would take the processors from those who answer. */
const THREADS_MAX = 2
const WAITING_MAX = 64
const IDLE_MS = 30_000
/** A thread that needs more is ended, and its task fails; what libvips holds decoded lies outside of it. */
const HEAP_MB_MAX = 256

export interface ThreadSettings {
  /** Null: no passes for Apple's wallet. */
  apple: PassCertificates | null
}

export interface WalletThreads {
  /** Rejects with `overloaded` where too much is waiting already. */
  run<Kind extends Task['kind']>(task: Extract<Task, { kind: Kind }>): Promise<TaskResult[Kind]>
  close(): Promise<void>
}

export function openWalletThreads(settings: ThreadSettings, log: Logger): WalletThreads {
  const pool = new Piscina<Task, TaskResult[Task['kind']]>({
    filename: new URL('./thread.ts', import.meta.url).href,
    name: 'runTask',
    minThreads: 0,
    maxThreads: THREADS_MAX,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    maxQueue: WAITING_MAX,
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    env: {},
    // What the process was told to load before itself is not for its threads.
    execArgv: [],
    recordTiming: false,
    workerData: settings,
  })
  pool.on('error', (error: Error) => log.error({ err: error }, 'a wallet thread failed'))
  return {
    async run(task) {
      if (pool.queueSize >= WAITING_MAX) throw new Refusal('overloaded')
      // The thread answers with what belongs to the kind of its task.
      return pool.run(task) as Promise<never>
    },
    close: () => pool.destroy(),
  }
}
