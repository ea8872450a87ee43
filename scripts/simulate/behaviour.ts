// How a tenant may behave when it is asked: well, slowly, wrongly, or not at all. Every row of a
// scenario names one.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sleep } from '../../shared/clock.ts'

export interface Asked {
  request: IncomingMessage
  response: ServerResponse
  /** Aborts when the caller has hung up or the tenant closes. */
  gone: AbortSignal
}

export type Behaviour = (asked: Asked) => void | Promise<void>

const DRIP_MS = 100
const DRIPS_MAX = 200
const FLOOD_PIECE = Buffer.alloc(64 * 1024, 'x')

/** Any status, headers and body. */
export function repliesWith(
  status: number,
  body: string | Buffer,
  headers: { readonly [name: string]: string } = {},
): Behaviour {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body)
  }
}

/** HTTP 200 with this value as JSON. */
export function says(reply: unknown): Behaviour {
  return repliesWith(200, JSON.stringify(reply))
}

export const approves: Behaviour = says({ approve: true })

export function declines(reason?: string): Behaviour {
  return says(
    reason === undefined ? { approve: false } : { approve: false, decline_reason: reason },
  )
}

/** Takes its time, then behaves. */
export function after(delayMs: number, behaviour: Behaviour): Behaviour {
  return async (asked) => {
    await sleep(delayMs, asked.gone)
    if (!asked.gone.aborted) await behaviour(asked)
  }
}

/** Waits for something to happen elsewhere, then behaves. */
export function once(happened: Promise<void>, behaviour: Behaviour): Behaviour {
  return async (asked) => {
    await happened
    if (!asked.gone.aborted) await behaviour(asked)
  }
}

/** Accepts the request and never answers. */
export const hangs: Behaviour = () => undefined

/** Begins an approval and sends it one byte at a time, slower than any caller waits. */
export const drips: Behaviour = async ({ response, gone }) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const reply = '{"approve":true}'.padEnd(DRIPS_MAX, ' ')
  for (const byte of reply) {
    if (gone.aborted) return
    response.write(byte)
    await sleep(DRIP_MS, gone)
  }
  response.end()
}

/** Cuts the connection without a word. */
export const resets: Behaviour = ({ request }) => {
  request.socket.resetAndDestroy()
}

/** Sends the headers of an approval and cuts the connection before the body. */
export const resetsAfterHeaders: Behaviour = ({ request, response }) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '16' })
  response.write('{', () => request.socket.resetAndDestroy())
}

/** A well-formed approval, followed by more bytes than a caller should read. */
export function floods(bytes: number): Behaviour {
  return async ({ response, gone }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"approve":true,"padding":"')
    for (let sent = 0; sent < bytes && !gone.aborted; sent += FLOOD_PIECE.length) {
      if (!response.write(FLOOD_PIECE)) await drained(response, gone)
    }
    if (!gone.aborted) response.end('"}')
  }
}

function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve)
    gone.addEventListener('abort', () => resolve(), { once: true })
  })
}
