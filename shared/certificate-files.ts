// The certificate and key a server speaks TLS with: PEM files that settings name, read and checked
// before anything listens.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { noteCertificate } from './certificate-ends.ts'

/** Forward secret and authenticated: no CBC, no static RSA. Below TLS 1.2 none of them exists. */
export const SUITES_1_2 = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
]
/** All of TLS 1.3. */
export const SUITES_1_3 = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
]

export interface PemFile {
  path: string
  pem: string
}

/**
 * A file that a setting names; null where there is none, or where it cannot be read, with a
 * sentence added to the problems.
 */
export function readPem(setting: string, path: string | null, problems: string[]): PemFile | null {
  if (path === null) return null
  try {
    return { path, pem: readFileSync(path, 'utf8') }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    problems.push(setting + ' ' + path + ' cannot be read: ' + reason + '.')
    return null
  }
}

/** The certificate in a file, or null with a sentence. */
export function certificateIn(
  setting: string,
  file: PemFile | null,
  problems: string[],
): X509Certificate | null {
  if (file === null) return null
  try {
    const certificate = new X509Certificate(file.pem)
    noteCertificate(setting, certificate)
    return certificate
  } catch {
    problems.push(setting + ' ' + file.path + ' holds no PEM certificate.')
    return null
  }
}

/** The names of the two settings of a server. */
export interface CertificateSettings {
  cert: string
  key: string
}

/**
 * Both files of a server. Null if none is configured, or if the files have problems, which are then
 * added to `problems`. The sentences never repeat a byte of a file: one is a key.
 */
export function readServerCertificate(
  settings: CertificateSettings,
  paths: { cert: string | null; key: string | null },
  problems: string[],
): { cert: PemFile; key: PemFile } | null {
  if (paths.cert === null && paths.key === null) return null
  if (paths.cert === null) problems.push(settings.key + ' needs ' + settings.cert + '.')
  if (paths.key === null) problems.push(settings.cert + ' needs ' + settings.key + '.')
  const cert = readPem(settings.cert, paths.cert, problems)
  const key = readPem(settings.key, paths.key, problems)
  const certificate = certificateIn(settings.cert, cert, problems)
  const privateKey = privateKeyIn(settings.key, key, problems)
  if (certificate !== null && privateKey !== null && !certificate.checkPrivateKey(privateKey)) {
    problems.push(
      settings.key + ' ' + paths.key + ' is not the key of the certificate ' + paths.cert + '.',
    )
  }
  return cert === null || key === null ? null : { cert, key }
}

function privateKeyIn(setting: string, file: PemFile | null, problems: string[]): KeyObject | null {
  if (file === null) return null
  try {
    return createPrivateKey(file.pem)
  } catch {
    problems.push(
      setting + ' ' + file.path + ' holds no PEM private key that opens without a password.',
    )
    return null
  }
}
