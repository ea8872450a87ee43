// How long the API waits for its callers, and over which transport it speaks.
import type { ServerOptions } from 'node:http'
import type { ServerOptions as TlsOptions } from 'node:https'
import { SUITES_1_2, SUITES_1_3 } from '../../shared/certificate-files.ts'
import type { HttpServices } from './services.ts'

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

/** A handshake that is not done after this many milliseconds is given up. */
const HANDSHAKE_MS_MAX = 5000

/** Both sides choose the newest version they share: 1.3 for every caller that supports it. */
function serverTls({ cert, key }: { cert: string; key: string }): TlsOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: [...SUITES_1_3, ...SUITES_1_2].join(':'),
    honorCipherOrder: true,
    handshakeTimeout: HANDSHAKE_MS_MAX,
  }
}
