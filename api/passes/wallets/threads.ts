// Threads for the computations of wallets: barcodes, images, signed passes. The first task starts
// them, and they end after a while without work. Tenants take turns; work beyond a short queue is
// refused.
import { Piscina } from 'piscina'
import type { Logger } from '../../../shared/log.ts'
import { THREAD_OPTIONS } from '../../../shared/thread-preload.ts'
import { Refusal } from '../../http/refusal.ts'
import { FairQueue } from './fair-queue.ts'
import type { Task, TaskResult, ThreadSettings } from './thread.ts'

/**
 * Chosen: one thread draws while the other signs; more would take the processors from the API's
 * requests.
 */
const THREADS_MAX = 2
/**
 * Chosen: a tenant that uploads all its images at once fits in; more of it would hold the bodies of
 * all others' uploads out.
 */
const WAITING = { perTenant: 40, total: 128 }
const IDLE_MS = 30_000
/**
 * A thread that needs more is ended, and its task fails; decoded images of libvips do not count.
 */
const HEAP_MB_MAX = 256

export interface WalletThreads {
  /**
   * Rejects with `overloaded` where too much of `whose`, or of all, is waiting already; also later,
   * where `whose` has the most waiting and another needs the place. `turnOf` names a tenant.
   */
  run<Kind extends Task['kind']>(
    whose: string,
    task: Extract<Task, { kind: Kind }>,
  ): Promise<TaskResult[Kind]>
  close(): Promise<void>
}

interface Waiting {
  begin(): Promise<void>
  refuse(): void
}

export function openWalletThreads(settings: ThreadSettings, log: Logger): WalletThreads {
  const pool = new Piscina<Task, TaskResult[Task['kind']]>({
    filename: new URL('./thread.ts', import.meta.url).href,
    name: 'runTask',
    minThreads: 0,
    maxThreads: THREADS_MAX,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    env: {},
    execArgv: [...THREAD_OPTIONS],
    recordTiming: false,
    workerData: settings,
  })
  pool.on('error', (error: Error) => log.error({ err: error }, 'a wallet thread failed'))
  const queue = new FairQueue<Waiting>(WAITING)
  let running = 0
  const serve = (): void => {
    while (running < THREADS_MAX) {
      const next = queue.next()
      if (next === null) return
      running += 1
      void next.item.begin().then(() => {
        running -= 1
        queue.ended(next.tenantId)
        serve()
      })
    }
  }
  return {
    async run(whose, task) {
      const { promise, resolve, reject } = Promise.withResolvers<TaskResult[Task['kind']]>()
      const refused = queue.add(whose, {
        begin: () => pool.run(task).then(resolve, reject),
        refuse: () => reject(new Refusal('overloaded')),
      })
      refused?.refuse()
      serve()
      // The thread's answer matches the kind of its task.
      return promise as Promise<never>
    },
    close: () => pool.destroy(),
  }
}
