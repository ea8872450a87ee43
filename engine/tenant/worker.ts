// Runs in a worker thread: signs authorization requests and sends them, many at a time. Address
// book, connections and late slots belong to the thread. The thread sees no environment; its
// settings come as workerData.
import { workerData } from 'node:worker_threads'
import { parseCidrs } from '../../shared/address.ts'
import { openAddressBook } from '../../shared/address-book.ts'
import { assert } from '../../shared/assert.ts'
import { systemClock } from '../../shared/clock.ts'
import type { EndpointRequest, SpentTimes, TenantReply } from './caller.ts'
import { openConnections } from './connections.ts'
import { openDial } from './dial.ts'
import { callEndpoint, type EndpointCallTools } from './endpoint-call.ts'
import { createLateReplyLimit } from './late-reply-limit.ts'
import { sharedTimings } from './shared-timings.ts'

export interface WorkerSettings {
  /** Allowed private ranges, in the format of parseCidrs. */
  openedCidrs: string
  lateCallsMax: number
  nameServers: readonly string[]
  trustedRoots: readonly string[]
  /** Share of traces that are kept, 0 to 1; null while traces are off. */
  traceShare: number | null
  /** Memory in which every call writes its signing and connecting times. */
  spent: SharedArrayBuffer
}

function openTools(settings: WorkerSettings): EndpointCallTools {
  const opened = parseCidrs(settings.openedCidrs)
  assert(opened.ok, 'the ranges were written by cidrsText')
  const addresses = openAddressBook({
    opened: opened.value,
    clock: systemClock,
    nameServers: settings.nameServers,
  })
  const dial = openDial({ addresses, opened: opened.value, trustedRoots: settings.trustedRoots })
  return {
    connections: openConnections({ dial, clock: systemClock }),
    lateReplyLimit: createLateReplyLimit(settings.lateCallsMax),
    clock: systemClock,
    traceShare: settings.traceShare,
  }
}

// piscina passes its own workerData through; the thread serves one pool for life.
const settings = workerData as WorkerSettings
const tools = openTools(settings)
const cells = sharedTimings(settings.spent)

/** An authorization request, and the cell of its call. */
export interface AskTask {
  request: EndpointRequest
  cell: number
}

/** The task of the pool. */
export function askTenant({ request, cell }: AskTask): Promise<TenantReply> {
  return callEndpoint(request, tools, (spent: SpentTimes) => cells.write(cell, spent))
}

/** A task that proves the thread runs: all code above has been loaded by then. */
export function startThread(): null {
  return null
}
