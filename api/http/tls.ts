// TLS of the API. Spec 5.1: 1.3, and at least 1.2.
import type { ServerOptions } from 'node:https'
import { SUITES_1_2, SUITES_1_3 } from '../../shared/certificate-files.ts'

/** A handshake that is not done after this many milliseconds is given up. */
const HANDSHAKE_MS_MAX = 5000

/** Both sides choose the newest version they share: 1.3 for every caller that supports it. */
export function serverTls({ cert, key }: { cert: string; key: string }): ServerOptions {
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
