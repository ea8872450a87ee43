// The engine's side of tenant calls: worker threads that sign and send, the count of calls in
// flight per tenant, and the promise that a call always resolves, even if its thread dies.
import { Piscina } from 'piscina'
import { type Cidr, cidrsText } from '../../shared/address.ts'
import type { Clock, EpochMs } from '../../shared/clock.ts'
import { LATE_CALLS_MAX, TENANT_CALL_MS_MAX } from '../../shared/limits.ts'
import type { Logger } from '../../shared/log.ts'
import { THREAD_OPTIONS } from '../../shared/thread-preload.ts'
import type { EndpointRequest, TenantCall, TenantCaller, TenantReply } from './caller.ts'
import { newTimingsMemory, sharedTimings } from './shared-timings.ts'
import type { AskTask, WorkerSettings } from './worker.ts'

const CALLS_PER_THREAD_MAX = 4096
/**
 * Longest life of a call; beyond it its worker has stopped answering. The sum of budget, late wait
 * and a margin for a busy thread.
 */
const CALL_MS_MAX = TENANT_CALL_MS_MAX + 5_000

export interface TenantCallerOptions {
  /** Private ranges that endpoints may use. */
  allowCidrs: readonly Cidr[]
  threads: number
  /** The machine's clock: worker threads compare deadlines with the system clock. */
  clock: Clock
  log: Logger
  /** Name servers as `address` or `address:port`; default: the machine's. */
  nameServers?: readonly string[]
  /** PEM certificates trusted in addition to Node's. */
  trustedRoots?: readonly string[]
  /** Share of traces that are kept, 0 to 1; null while traces are off. */
  traceShare?: number | null
}

export interface TenantCallPool extends TenantCaller {
  /**
   * Resolves when every thread has started. A call before that waits for its thread; its deadline
   * still runs.
   */
  ready(): Promise<void>
  /** Ids of the worker threads that are alive. */
  threadIds(): number[]
  /** Calls that are open now, late ones included, over all tenants. */
  openCalls(): number
  /** Ends the live threads; others replace them. Their open calls resolve as lost. */
  endThreads(): Promise<void>
}

/** Starts the threads; `ready` resolves when they run. */
export function openTenantCaller(options: TenantCallerOptions): TenantCallPool {
  const { clock, log } = options
  const callsMax = options.threads * CALLS_PER_THREAD_MAX
  const memory = newTimingsMemory(callsMax)
  const cells = sharedTimings(memory)
  const freeCells = Array.from({ length: callsMax }, (_, index) => callsMax - 1 - index)
  const pool = openPool(options, memory)
  const flights = createFlights(clock)
  let closed = false
  let lastLoss: unknown = null

  function call(request: EndpointRequest): TenantCall {
    const cell = closed ? undefined : freeCells.pop()
    if (cell === undefined) return notCalled(closed ? 'closed' : 'caller_full')
    cells.write(cell, NOTHING_SPENT)
    return { reply: run({ request, cell }), spent: () => cells.read(cell) }
  }

  async function run(task: AskTask): Promise<TenantReply> {
    const { request } = task
    const land = flights.takeOff(request.tenantId, request.deadlineAtMs)
    try {
      return await withinLimit(pool.run(task), clock)
    } catch (error) {
      // All calls of a dead thread fail with the same error: one log message for all of them.
      if (!closed && error !== lastLoss) log.error({ err: error }, 'tenant calls were lost')
      lastLoss = error
      return noReply(closed ? 'closed' : 'worker_lost')
    } finally {
      land()
      freeCells.push(task.cell)
    }
  }

  return {
    call,
    inFlight: flights.count,
    async ready() {
      // The pool gives tasks to the least busy thread, so as many tasks as threads reach each
      // thread.
      const starts = Array.from({ length: options.threads }, () =>
        pool.run(null, { name: 'startThread' }),
      )
      await Promise.all(starts)
    },
    threadIds: () => pool.threads.map((thread) => thread.threadId),
    openCalls: () => callsMax - freeCells.length,
    async endThreads() {
      await Promise.all(pool.threads.map((thread) => thread.terminate()))
    },
    async close() {
      closed = true
      await pool.destroy()
    },
  }
}

function openPool(
  options: TenantCallerOptions,
  spent: SharedArrayBuffer,
): Piscina<AskTask | null, TenantReply> {
  const { threads, log } = options
  const settings: WorkerSettings = {
    openedCidrs: cidrsText(options.allowCidrs),
    lateCallsMax: Math.floor(LATE_CALLS_MAX / threads),
    nameServers: options.nameServers ?? [],
    trustedRoots: options.trustedRoots ?? [],
    traceShare: options.traceShare ?? null,
    spent,
  }
  const pool = new Piscina<AskTask | null, TenantReply>({
    filename: new URL('./worker.ts', import.meta.url).href,
    name: 'askTenant',
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    concurrentTasksPerWorker: CALLS_PER_THREAD_MAX,
    // Only used while a dead thread is being replaced: `call` refuses calls beyond the threads'
    // capacity.
    maxQueue: threads * CALLS_PER_THREAD_MAX,
    // The other modes put a thread without tasks to sleep on a lock, along with its idle sockets
    // and timers.
    atomics: 'disabled',
    env: {},
    execArgv: [...THREAD_OPTIONS],
    recordTiming: false,
    workerData: settings,
  })
  pool.on('error', (error: Error) => log.error({ err: error }, 'tenant call thread failed'))
  return pool
}

/** Rejects if a worker does not answer at all, so no call waits for ever. */
function withinLimit(reply: Promise<TenantReply>, clock: Clock): Promise<TenantReply> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(CALL_MS_MAX, () => reject(new Error('the worker did not answer')))
    reply.then(resolve, reject).finally(() => timer.cancel())
  })
}

const NOTHING_SPENT = { signUs: 0, connectUs: 0 }

function notCalled(hint: string): TenantCall {
  return { reply: Promise.resolve(noReply(hint)), spent: () => NOTHING_SPENT }
}

function noReply(hint: string): TenantReply {
  return {
    outcome: 'connection_error',
    httpStatus: null,
    latencyMs: 0,
    attempts: 1,
    errorHint: hint,
    answer: null,
    signUs: 0,
    connectUs: 0,
  }
}

interface Flights {
  /** Counts a call until the returned function is called or its deadline passes. */
  takeOff(tenantId: string, deadlineAtMs: EpochMs): () => void
  count(tenantId: string): number
}

/**
 * Counts without timers: calls begin in the order of their deadlines, so the overdue ones are
 * first.
 */
function createFlights(clock: Clock): Flights {
  const tenants = new Map<string, Set<{ deadlineAtMs: EpochMs }>>()
  return {
    takeOff(tenantId, deadlineAtMs) {
      const flight = { deadlineAtMs }
      const flights = tenants.get(tenantId) ?? new Set()
      tenants.set(tenantId, flights.add(flight))
      return () => {
        flights.delete(flight)
        if (flights.size === 0 && tenants.get(tenantId) === flights) tenants.delete(tenantId)
      }
    },
    count(tenantId) {
      const flights = tenants.get(tenantId)
      if (flights === undefined) return 0
      const nowMs = clock.nowMs()
      for (const flight of flights) {
        if (flight.deadlineAtMs > nowMs) break
        flights.delete(flight)
      }
      return flights.size
    },
  }
}
