// An answer that goes on: the handler of a route with the media type text/event-stream returns a
// function that opens the stream for the connection of its request.
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GateParts } from './gates/parts.ts'
import { stillAllowed } from './gates/still-allowed.ts'

/** The connection of a stream. */
export interface StreamConnection {
  /** Header Last-Event-ID; null without one. */
  lastEventId: string | null
  /** False as soon as the credential no longer allows the call. */
  isAllowed(): boolean | Promise<boolean>
  /** Bytes of the answer that the connection has not taken. */
  unsentBytes(): number
}

export type StreamAnswer = (connection: StreamConnection) => Promise<Readable>

export const EVENT_STREAM = 'text/event-stream'

/** Proxies neither keep the events nor collect them. */
export const STREAM_HEADERS = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }

/** Opens the stream; one that nobody waits for any more is closed at once. */
export async function openStream(
  parts: GateParts,
  [request, reply]: [FastifyRequest, FastifyReply],
  open: StreamAnswer,
): Promise<Readable> {
  const told = request.headers['last-event-id']
  const body = await open({
    lastEventId: typeof told === 'string' ? told : null,
    isAllowed: stillAllowed(parts, request),
    unsentBytes: () => reply.raw.writableLength,
  })
  if (reply.sent || reply.raw.destroyed) body.destroy()
  return body
}
