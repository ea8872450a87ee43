// The signer of passes for Apple's wallet: the certificate of a pass type, its key and the
// authority that signed it, from files that settings name. The certificate contains the pass type's
// name.
import { X509Certificate } from 'node:crypto'
import {
  type CertificateSettings,
  certificateIn,
  readPem,
  readServerCertificate,
} from '../../../../shared/certificate-files.ts'
import type { PassCertificates } from './signature.ts'

const AUTHORITY_SETTING = 'SVC_APPLE_PASS_AUTHORITY'
const SETTINGS: CertificateSettings = { cert: 'SVC_APPLE_PASS_CERT', key: 'SVC_APPLE_PASS_KEY' }

export interface AppleIssuer {
  certificates: PassCertificates
  /** `pass.…`, also the topic of pushes. */
  passType: string
  /** Apple's name of the developer. */
  team: string
}

export interface AppleFiles {
  SVC_APPLE_PASS_CERT: string | null
  SVC_APPLE_PASS_KEY: string | null
  SVC_APPLE_PASS_AUTHORITY: string | null
}

/**
 * Returns null without configuration: then Apple's wallet gets no passes. Returns null for invalid
 * files too: the problems name the error.
 */
export function readAppleIssuer(files: AppleFiles, problems: string[]): AppleIssuer | null {
  const paths = { cert: files.SVC_APPLE_PASS_CERT, key: files.SVC_APPLE_PASS_KEY }
  const own = readServerCertificate(SETTINGS, paths, problems)
  const authority = readPem(AUTHORITY_SETTING, files.SVC_APPLE_PASS_AUTHORITY, problems)
  if (own === null && authority === null) return null
  if (own === null || authority === null) {
    problems.push('Apple passes need all of ' + Object.keys(files).join(', ') + '.')
    return null
  }
  const before = problems.length
  const signer = certificateIn(AUTHORITY_SETTING, authority, problems)
  if (problems.length > before || signer === null) return null
  const certificate = new X509Certificate(own.cert.pem)
  const passType = partOf(certificate, 'UID')
  const team = partOf(certificate, 'OU')
  if (!certificate.checkIssued(signer))
    problems.push(AUTHORITY_SETTING + ' did not sign the certificate in ' + SETTINGS.cert + '.')
  if (passType === null || team === null)
    problems.push(SETTINGS.cert + ' is not the certificate of a pass type: it has no UID or no OU.')
  if (passType === null || team === null || problems.length > before) return null
  const { cert, key } = own
  return {
    certificates: { certificate: cert.pem, key: key.pem, authority: authority.pem },
    passType,
    team,
  }
}

function partOf({ subject }: X509Certificate, name: string): string | null {
  const line = subject.split('\n').find((part) => part.startsWith(name + '='))
  return line === undefined ? null : line.slice(name.length + 1)
}
