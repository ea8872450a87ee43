// One POST over a connection that undici keeps or opens, and the start of its answer. Reports
// details that only the socket knows: whether it was reused, when it was ready, and whether it
// broke before a byte of an answer came.
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { DiagnosticsChannel, Dispatcher } from 'undici'
import type { Clock } from '../../../shared/clock.ts'
import type { DeliveryRequest } from './compose.ts'
import { BudgetSpent, errorClassOf } from './error-class.ts'

const RESPONSE_BYTES_MAX = 16 * 1024
/**
 * Receivers close an idle connection at any moment; a connection that breaks later than this has
 * another reason.
 */
const STALE_MS_MAX = 1000

export interface Exchange {
  /**
   * The reason for a missing or incomplete answer; null when the answer is whole or enough of it
   * was read.
   */
  error: Error | null
  status: number | null
  retryAfter: string | undefined
  /** The start of the answer's body. */
  bytes: Buffer
  /**
   * Milliseconds from the begin of the exchange; null on a reused connection, or without a
   * connection.
   */
  connectedMs: number | null
  answeredMs: number | null
  /** A reused connection broke before any byte of an answer: the request may be sent once more. */
  stale: boolean
}

/**
 * Receives the socket of the request that begins at this moment: undici starts a request and writes
 * its head in one step.
 */
let begins: ((socket: Socket) => void) | null = null
const served = new WeakSet<Socket>()

subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as DiagnosticsChannel.ClientSendHeadersMessage
  begins?.(socket as Socket)
  begins = null
})

/** Never rejects; ends after `msMax` in every case. */
export function exchange(
  via: Dispatcher,
  request: DeliveryRequest,
  { clock, msMax }: { clock: Clock; msMax: number },
): Promise<Exchange> {
  return new Promise((resolve) => {
    const beganNs = clock.monotonicNs()
    const elapsedMs = (): number => Math.round((clock.monotonicNs() - beganNs) / 1e6)
    const state = newState()
    const end = (error: Error | null): void => {
      if (state.ended) return
      state.ended = true
      timer.cancel()
      const stale = error !== null && isStale(state, error, elapsedMs())
      const { status, retryAfter, connectedMs, answeredMs, chunks } = state
      const bytes = Buffer.concat(chunks)
      resolve({ error, status, retryAfter, bytes, connectedMs, answeredMs, stale })
    }
    const timer = clock.after(msMax, () => {
      const spent = new BudgetSpent()
      end(spent)
      state.controller?.abort(spent)
    })
    const { url, headers, body } = request
    via.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
      handlerOf(state, elapsedMs, end),
    )
  })
}

interface State {
  controller: Dispatcher.DispatchController | null
  ended: boolean
  reused: boolean
  sentMs: number
  connectedMs: number | null
  /** A byte of an answer came. */
  answered: boolean
  answeredMs: number | null
  status: number | null
  retryAfter: string | undefined
  chunks: Buffer[]
  byteCount: number
}

function newState(): State {
  return {
    controller: null,
    ended: false,
    reused: false,
    sentMs: 0,
    connectedMs: null,
    answered: false,
    answeredMs: null,
    status: null,
    retryAfter: undefined,
    chunks: [],
    byteCount: 0,
  }
}

function isStale(state: State, error: Error, elapsedMs: number): boolean {
  const { reused, answered, sentMs } = state
  const isReset = errorClassOf(error) === 'reset'
  return isReset && reused && !answered && elapsedMs - sentMs <= STALE_MS_MAX
}

function handlerOf(
  state: State,
  elapsedMs: () => number,
  end: (error: Error | null) => void,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      state.controller = controller
      if (state.ended) return controller.abort(new BudgetSpent())
      begins = (socket) => {
        state.reused = served.has(socket)
        served.add(socket)
        state.sentMs = elapsedMs()
        if (!state.reused) state.connectedMs = state.sentMs
      }
    },
    onResponseStarted() {
      state.answered = true
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return
      const retryAfter = headers['retry-after']
      state.status = status
      state.answeredMs = elapsedMs()
      state.retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter
    },
    onResponseData(controller, chunk) {
      if (state.ended) return
      state.chunks.push(chunk)
      state.byteCount += chunk.length
      if (state.byteCount < RESPONSE_BYTES_MAX) return
      end(null)
      // Unread bytes must not stay on a connection that is reused.
      controller.abort(new Error('enough was read'))
    },
    onResponseEnd: () => end(null),
    onResponseError: (_controller, error) => end(error),
  }
}
