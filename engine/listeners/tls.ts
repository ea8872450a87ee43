// TLS of the network listeners: versions and suites, the files read and checked before the port
// opens, and which client may speak for which network key. One result in two shapes: for the HTTP
// server and for node:tls.
import { X509Certificate } from 'node:crypto'
import type { TlsOptions } from 'node:tls'
import {
  certificateIn,
  readPem,
  readServerCertificate,
  SUITES_1_2,
  SUITES_1_3,
} from '../../shared/certificate-files.ts'
import type { Result } from '../../shared/result.ts'
import type { ClientRule } from '../../shared/settings.ts'

/** Parsed client certificates in the cache; above this the cache starts empty. */
const CLIENTS_MAX = 1000

export interface TlsSettings {
  SVC_ENGINE_TLS_CERT: string | null
  SVC_ENGINE_TLS_KEY: string | null
  SVC_ENGINE_TLS_CLIENT_CA: string | null
  SVC_ENGINE_TLS_CLIENTS: readonly ClientRule[]
}

/** The TLS configuration, read and checked. */
export interface Tls {
  certPath: string
  keyPath: string
  /** PEM. */
  cert: string
  key: string
  /** The authority that signs the clients; null: clients need no certificate. */
  clientCa: { path: string; pem: string } | null
  clientRules: readonly ClientRule[]
}

/**
 * Reads the certificates of the settings, or returns every problem in a sentence; null without TLS.
 * Read once: a renewed certificate counts from the next start.
 */
export function readTls(settings: TlsSettings): Result<Tls | null, readonly string[]> {
  const { SVC_ENGINE_TLS_CERT: certPath, SVC_ENGINE_TLS_KEY: keyPath } = settings
  const { SVC_ENGINE_TLS_CLIENT_CA: caPath, SVC_ENGINE_TLS_CLIENTS: clientRules } = settings
  const problems: string[] = []
  if (certPath === null && keyPath === null) {
    if (caPath !== null) problems.push('SVC_ENGINE_TLS_CLIENT_CA needs SVC_ENGINE_TLS_CERT.')
    if (clientRules.length > 0)
      problems.push('SVC_ENGINE_TLS_CLIENTS needs SVC_ENGINE_TLS_CLIENT_CA.')
    return problems.length > 0 ? { ok: false, error: problems } : { ok: true, value: null }
  }
  if (clientRules.length > 0 && caPath === null)
    problems.push('SVC_ENGINE_TLS_CLIENTS needs SVC_ENGINE_TLS_CLIENT_CA.')
  const names = { cert: 'SVC_ENGINE_TLS_CERT', key: 'SVC_ENGINE_TLS_KEY' }
  const server = readServerCertificate(names, { cert: certPath, key: keyPath }, problems)
  const ca = readPem('SVC_ENGINE_TLS_CLIENT_CA', caPath, problems)
  certificateIn('SVC_ENGINE_TLS_CLIENT_CA', ca, problems)
  if (problems.length > 0 || server === null) return { ok: false, error: problems }
  const { cert, key } = server
  return {
    ok: true,
    value: {
      certPath: cert.path,
      keyPath: key.path,
      cert: cert.pem,
      key: key.pem,
      clientCa: ca,
      clientRules,
    },
  }
}

/**
 * For the HTTP port: clients without a certificate are let in, because a probe of our health has
 * none. See `clientGate`.
 */
export function httpServerTls(tls: Tls): TlsOptions {
  return { ...nodeServerTls(tls), rejectUnauthorized: false }
}

/**
 * Options for a server of node:tls, which refuses clients without a right certificate in the
 * handshake.
 */
export function nodeServerTls(tls: Tls): TlsOptions {
  return {
    cert: tls.cert,
    key: tls.key,
    minVersion: 'TLSv1.2',
    ciphers: [...SUITES_1_3, ...SUITES_1_2].join(':'),
    honorCipherOrder: true,
    ...(tls.clientCa === null
      ? {}
      : { ca: tls.clientCa.pem, requestCert: true, rejectUnauthorized: true }),
  }
}

export type ClientProblem = 'certificate_required' | 'certificate_refused'

export interface ClientGate {
  /**
   * Null if a client with this PEM certificate (empty: none) may send now, in milliseconds since
   * the epoch; with a network key's id also whether it may speak for that key.
   */
  problem(pem: string, nowMs: number, keyId?: string): ClientProblem | null
}

/**
 * Decides which clients may send. The handshake has checked the authority's signature; the gate
 * also checks that there is a certificate, that it is valid now (a connection may outlive it), and
 * its owner. Null if clients need no certificate.
 */
export function clientGate(tls: Tls | null): ClientGate | null {
  if (tls === null || tls.clientCa === null) return null
  const read = new Map<string, X509Certificate | null>()
  return {
    problem(pem, nowMs, keyId) {
      if (pem === '') return 'certificate_required'
      let certificate = read.get(pem)
      if (certificate === undefined) {
        certificate = parsed(pem)
        if (read.size >= CLIENTS_MAX) read.clear()
        read.set(pem, certificate)
      }
      if (certificate === null || !validAt(certificate, nowMs)) return 'certificate_refused'
      return keyId === undefined || speaksFor(tls.clientRules, certificate, keyId)
        ? null
        : 'certificate_refused'
    },
  }
}

function parsed(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}

function validAt(certificate: X509Certificate, nowMs: number): boolean {
  return Date.parse(certificate.validFrom) <= nowMs && nowMs <= Date.parse(certificate.validTo)
}

/**
 * Chosen: a network key named by a rule takes messages only from the clients of its rules, by DNS
 * name (wildcards do not count) or by fingerprint; any other key takes them from any client of the
 * authority. With rules, a message has to name its key, because without a name any key could be
 * meant.
 */
function speaksFor(
  rules: readonly ClientRule[],
  certificate: X509Certificate,
  keyId: string,
): boolean {
  if (rules.length === 0) return true
  if (keyId === '') return false
  const own = rules.filter((rule) => rule.keyId === keyId)
  return own.length === 0 || own.some((rule) => isClient(certificate, rule.client))
}

function isClient(certificate: X509Certificate, client: string): boolean {
  if (client.startsWith('sha256:')) {
    return certificate.fingerprint256.replaceAll(':', '').toLowerCase() === client.slice(7)
  }
  return (
    certificate.checkHost(client, {
      subject: 'default',
      wildcards: false,
      partialWildcards: false,
    }) !== undefined
  )
}
