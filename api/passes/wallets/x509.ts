// Issues certificates (RFC 5280) for the sandbox, which has no other issuer: an authority of our
// own and its certificates.
import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { EpochMs } from '../../../shared/clock.ts'
import {
  bits,
  integer,
  nothing,
  octets,
  oid,
  sequence,
  setOf,
  simply,
  tagged,
  time,
  truth,
  utf8,
} from './der.ts'

const OIDS = {
  sha256Rsa: '1.2.840.113549.1.1.11',
  keyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

const NAME_OIDS = {
  UID: '0.9.2342.19200300.100.1.1',
  CN: '2.5.4.3',
  OU: '2.5.4.11',
  O: '2.5.4.10',
} as const

/** Purposes of a key. */
const KEY_PURPOSES = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  /** Apple: to sign passes. */
  passSigning: '1.2.840.113635.100.4.14',
} as const

const SERIAL_BYTES = 16
const X509_V3 = 2
const DIGITAL_SIGNATURE = bits(Buffer.from([0x80]), 7)
const CERTIFICATES_AND_LISTS = bits(Buffer.from([0x06]), 1)

export type CertificateName = { readonly [Part in keyof typeof NAME_OIDS]?: string }

export interface CertificateRequest {
  subject: CertificateName
  /** An RSA key; its public half is certified. */
  key: KeyObject
  issuer: { subject: CertificateName; key: KeyObject }
  validFrom: EpochMs
  validUntil: EpochMs
  /** `authority` signs others and is nothing else. */
  use: 'authority' | readonly (keyof typeof KEY_PURPOSES)[]
  /** DNS names, and IPv4 addresses in four bytes. */
  names?: readonly (string | Buffer)[]
}

/** A certificate as PEM. */
export function issueCertificate(request: CertificateRequest): string {
  const { subject, key, issuer, validFrom, validUntil } = request
  const algorithm = sequence(oid(OIDS.sha256Rsa), nothing())
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const said = sequence(
    tagged(0, integer(X509_V3)),
    integer(serialNumber()),
    algorithm,
    nameOf(issuer.subject),
    sequence(time(validFrom), time(validUntil)),
    nameOf(subject),
    publicKey,
    tagged(3, sequence(...extensionsOf(request, publicKey))),
  )
  return pem(sequence(said, algorithm, bits(sign('sha256', said, issuer.key))))
}

/** Positive, and never shorter: a leading nought would be cut off. */
function serialNumber(): Buffer {
  const bytes = randomBytes(SERIAL_BYTES)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}

function nameOf(name: CertificateName): Buffer {
  const parts = Object.entries(NAME_OIDS).flatMap(([part, type]) => {
    const text = name[part as keyof CertificateName]
    return text === undefined ? [] : [setOf(sequence(oid(type), utf8(text)))]
  })
  return sequence(...parts)
}

function extensionsOf({ use, issuer, names = [] }: CertificateRequest, publicKey: Buffer) {
  const signs = use === 'authority'
  const issuerKey = createPublicKey(issuer.key).export({ type: 'spki', format: 'der' })
  const always = [
    critical(OIDS.basicConstraints, signs ? sequence(truth()) : sequence()),
    critical(OIDS.keyUsage, signs ? CERTIFICATES_AND_LISTS : DIGITAL_SIGNATURE),
    extension(OIDS.keyIdentifier, octets(keyIdentifier(publicKey))),
    extension(OIDS.authorityKey, sequence(simply(0, keyIdentifier(issuerKey)))),
  ]
  if (signs) return always
  const purposes = use.map((purpose) => oid(KEY_PURPOSES[purpose]))
  const spoken = names.map((name) =>
    typeof name === 'string' ? simply(2, Buffer.from(name)) : simply(7, name),
  )
  return [
    ...always,
    extension(OIDS.extendedKeyUsage, sequence(...purposes)),
    ...(spoken.length === 0 ? [] : [extension(OIDS.alternativeName, sequence(...spoken))]),
  ]
}

function extension(type: string, content: Buffer): Buffer {
  return sequence(oid(type), octets(content))
}

function critical(type: string, content: Buffer): Buffer {
  return sequence(oid(type), truth(), octets(content))
}

/** Any hash of the key does; only that both sides name the same one counts. RFC 7093. */
function keyIdentifier(publicKey: Buffer): Buffer {
  return createHash('sha256').update(publicKey).digest().subarray(0, 20)
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return '-----BEGIN CERTIFICATE-----\n' + lines.join('\n') + '\n-----END CERTIFICATE-----\n'
}
