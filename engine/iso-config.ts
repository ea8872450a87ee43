// What the ISO 8583 port needs to open: its files read, and every combination that would let in whom it should not refused.
import { readFileSync } from 'node:fs'
import type { Result } from '../shared/result.ts'
import type { Settings } from '../shared/settings.ts'
import type { IsoTls } from './doors/iso8583.ts'

export const ISO_NAMES = [
  'SVC_ENGINE_ISO_PORT',
  'SVC_ENGINE_ISO_NETWORK',
  'SVC_ENGINE_ISO_TLS_CERT',
  'SVC_ENGINE_ISO_TLS_KEY',
  'SVC_ENGINE_ISO_CLIENT_CA',
] as const

export interface IsoConfig {
  port: number
  /** Empty where client certificates name it. */
  networkKeyId: string
  tls: IsoTls | null
}

export type IsoSettings = Settings<(typeof ISO_NAMES)[number]>

/** Null without a port; every problem together. */
export function isoConfig(
  settings: IsoSettings,
  host: string,
): Result<IsoConfig | null, readonly string[]> {
  const port = settings.SVC_ENGINE_ISO_PORT
  if (port === null) return { ok: true, value: null }
  const problems = [...tlsProblems(settings), ...identityProblems(settings, host)]
  const file = (path: string | null): string => (path === null ? '' : readPem(path, problems))
  const certificate = file(settings.SVC_ENGINE_ISO_TLS_CERT)
  const key = file(settings.SVC_ENGINE_ISO_TLS_KEY)
  const authorities = file(settings.SVC_ENGINE_ISO_CLIENT_CA)
  if (problems.length > 0) return { ok: false, error: problems }
  const clientAuthorities = authorities === '' ? null : authorities
  return {
    ok: true,
    value: {
      port,
      networkKeyId: settings.SVC_ENGINE_ISO_NETWORK ?? '',
      tls: certificate === '' ? null : { certificate, key, clientAuthorities },
    },
  }
}

function tlsProblems(settings: IsoSettings): string[] {
  const certificate = settings.SVC_ENGINE_ISO_TLS_CERT !== null
  if (certificate !== (settings.SVC_ENGINE_ISO_TLS_KEY !== null))
    return ['SVC_ENGINE_ISO_TLS_CERT and SVC_ENGINE_ISO_TLS_KEY belong together: set both or none']
  if (settings.SVC_ENGINE_ISO_CLIENT_CA !== null && !certificate)
    return ['SVC_ENGINE_ISO_CLIENT_CA needs SVC_ENGINE_ISO_TLS_CERT and SVC_ENGINE_ISO_TLS_KEY']
  return []
}

/** Who may open a link: whoever has a certificate, or whoever is on this machine. */
function identityProblems(settings: IsoSettings, host: string): string[] {
  const certified = settings.SVC_ENGINE_ISO_CLIENT_CA !== null
  const named = settings.SVC_ENGINE_ISO_NETWORK !== null
  if (certified && named)
    return ['SVC_ENGINE_ISO_NETWORK must not be set with SVC_ENGINE_ISO_CLIENT_CA, which says it']
  if (certified) return []
  const problems: string[] = []
  if (!named) {
    problems.push(
      'SVC_ENGINE_ISO_NETWORK must name the network key of the links, or SVC_ENGINE_ISO_CLIENT_CA who certifies it',
    )
  }
  if (!isLoopback(host)) {
    problems.push(
      'SVC_ENGINE_ISO_PORT without SVC_ENGINE_ISO_CLIENT_CA needs an SVC_ENGINE_HOST that only this machine reaches',
    )
  }
  return problems
}

/** Whether only this machine can reach a port on the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function readPem(path: string, problems: string[]): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    problems.push(path + ' cannot be read (' + code + ')')
    return ''
  }
}
