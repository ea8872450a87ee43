// Client certificate → the network key its link stands for, by the rules that hold for every door.
import type { X509Certificate } from 'node:crypto'
import { clientGate, type Tls } from '../tls.ts'

export interface LinkClient {
  keyId: string
  /** The certificate is valid until then, and so is the link; milliseconds since the epoch. */
  untilMs: number
}

/**
 * Who a link with this certificate is, or null where it may not be one. Chosen: of the key that the port is for, where it is for
 * one, else of the only key whose rules name the client.
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
