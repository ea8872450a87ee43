// The settings of an ISO 8583 port, an engine's or a front door's, and a refusal of every
// combination that would let a stranger in.
import type { Result } from '../shared/result.ts'
import type { Tls } from './listeners/tls.ts'

export interface IsoConfig {
  port: number
  /** Null if the rules for client certificates name it. */
  networkKeyId: string | null
  /** The TLS of the HTTP port. */
  tls: Tls | null
}

export interface IsoSettings {
  /** Name and value of the setting of the port; null: closed. */
  setting: 'SVC_ENGINE_ISO_PORT' | 'SVC_DOOR_ISO_PORT'
  port: number | null
  networkKeyId: string | null
  host: string
  /** The TLS of the HTTP port. */
  tls: Tls | null
}

/** Null without a port; every problem together. */
export function isoConfig(read: IsoSettings): Result<IsoConfig | null, readonly string[]> {
  const { setting, port, networkKeyId, host, tls } = read
  if (port === null) return { ok: true, value: null }
  const certified = tls !== null && tls.clientCa !== null
  const problems: string[] = []
  if (networkKeyId === null && !(certified && tls.clientRules.length > 0)) {
    problems.push(
      'SVC_ENGINE_ISO_NETWORK must name the network key of the links, or SVC_ENGINE_TLS_CLIENTS that of each client.',
    )
  }
  if (!certified && !isLoopback(host)) {
    problems.push(
      setting +
        ' without SVC_ENGINE_TLS_CLIENT_CA needs an SVC_ENGINE_HOST that only this machine reaches.',
    )
  }
  return problems.length > 0
    ? { ok: false, error: problems }
    : { ok: true, value: { port, networkKeyId, tls } }
}

/** True if only this machine can reach a port on the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
