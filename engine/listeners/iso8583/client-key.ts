// Finds the network key of a link by its client certificate, by the rules of every listener.
import type { X509Certificate } from 'node:crypto'
import { clientGate, type Tls } from '../tls.ts'

export interface LinkClient {
  keyId: string
  /** End of the certificate and of the link; milliseconds since the epoch. */
  untilMs: number
}

/**
 * The client of a link with this certificate, or null if it may not be one. Chosen: the key of the
 * port, if the port has one, else the only key whose rules name the client.
 */
export function linkClient(
  tls: Tls,
  certificate: X509Certificate,
  networkKeyId: string | null,
  nowMs: number,
): LinkClient | null {
  const pem = certificate.toString()
  const gate = clientGate(tls)
  const candidates = new Set(
    networkKeyId === null ? tls.clientRules.map(({ keyId }) => keyId) : [networkKeyId],
  )
  const keys = [...candidates].filter((keyId) => gate?.problem(pem, nowMs, keyId) === null)
  const [keyId] = keys
  return keyId === undefined || keys.length > 1
    ? null
    : { keyId, untilMs: Date.parse(certificate.validTo) }
}
