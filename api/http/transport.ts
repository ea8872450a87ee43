// How long the API waits for its callers, and over which transport it speaks.
import type { ServerOptions } from 'node:http'
import type { HttpServices } from './services.ts'
import { serverTls } from './tls.ts'

/** Chosen: a request must arrive whole within this many milliseconds; 1 MB at 300 kbit/s does. */
const REQUEST_MS_MAX = 30_000
/** Chosen: its head must arrive within this many, and so must the first request of a connection. */
const HEAD_MS_MAX = 5000
/** How often the server looks for requests that are late, in milliseconds. */
const CHECK_EVERY_MS = 1000
/**
 * Chosen: a connection without any traffic for this long is closed, such as one whose answer is not
 * read.
 */
const SILENCE_MS_MAX = 120_000
const KEEP_ALIVE_MS = 72_000
const HEADER_BYTES_MAX = 16 * 1024

/** A missing Host is refused by `admit`: Node's own refusal has no body. */
export function transport({ tls }: Pick<HttpServices, 'tls'>) {
  const http: ServerOptions = {
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEAD_MS_MAX,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    requireHostHeader: false,
  }
  const waits = {
    requestTimeout: REQUEST_MS_MAX,
    connectionTimeout: SILENCE_MS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
  if (tls === null) return { ...waits, http }
  // To everything but the handshake it is the same server: the types need not know.
  return { ...waits, https: { ...http, ...serverTls(tls) } } as object as typeof waits & {
    http: ServerOptions
  }
}
