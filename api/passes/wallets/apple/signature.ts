// The detached signature of a pass: CMS (RFC 5652) over the manifest, with the certificate of the
// pass type and the authority that signed it. Apple requires a signed signing time.
import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { assert } from '../../../../shared/assert.ts'
import type { EpochMs } from '../../../../shared/clock.ts'
import {
  integer,
  nothing,
  octets,
  oid,
  partsOf,
  retagged,
  sequence,
  setOf,
  tagged,
  time,
} from '../der.ts'

const OIDS = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsa: '1.2.840.113549.1.1.1',
  ecdsaSha256: '1.2.840.10045.4.3.2',
} as const

const VERSION = 1

/** Certificates and key for signing passes: PEM texts. */
export interface PassCertificates {
  /** Certificate of the pass type. */
  certificate: string
  key: string
  /**
   * The authority that signed it: Apple's “Worldwide Developer Relations”, or the sandbox's own.
   */
  authority: string
}

export interface PassSigner {
  /** Returns the DER of a detached signature over these bytes. */
  sign(content: Buffer, signedAt: EpochMs): Buffer
}

/** The common parts of all signatures are made once. */
export function openPassSigner(certificates: PassCertificates): PassSigner {
  const key = createPrivateKey(certificates.key)
  const own = new X509Certificate(certificates.certificate).raw
  const authority = new X509Certificate(certificates.authority).raw
  const digestAlgorithm = sequence(oid(OIDS.sha256), nothing())
  const identifier = issuerAndSerial(own)
  return {
    sign(content, signedAt) {
      const digest = createHash('sha256').update(content).digest()
      const attributes = setOf(
        attribute(OIDS.contentType, oid(OIDS.data)),
        attribute(OIDS.signingTime, time(signedAt)),
        attribute(OIDS.messageDigest, octets(digest)),
      )
      const signer = sequence(
        integer(VERSION),
        identifier,
        digestAlgorithm,
        // The signature covers the set itself; in this place the set has a tag of its own. RFC 5652
        // 5.4.
        retagged(0, attributes),
        signatureAlgorithm(key),
        octets(sign('sha256', attributes, key)),
      )
      const signedData = sequence(
        integer(VERSION),
        setOf(digestAlgorithm),
        sequence(oid(OIDS.data)),
        retagged(0, setOf(own, authority)),
        setOf(signer),
      )
      return sequence(oid(OIDS.signedData), tagged(0, signedData))
    },
  }
}

function attribute(type: string, content: Buffer): Buffer {
  return sequence(oid(type), setOf(content))
}

function signatureAlgorithm(key: KeyObject): Buffer {
  return key.asymmetricKeyType === 'ec'
    ? sequence(oid(OIDS.ecdsaSha256))
    : sequence(oid(OIDS.rsa), nothing())
}

/** RFC 5280 4.1: an optional version comes first and has a tag of its own. */
function issuerAndSerial(certificate: Buffer): Buffer {
  const [signed] = partsOf(certificate)
  assert(signed !== undefined, 'a certificate says what it signs')
  const parts = partsOf(signed)
  const [serial, , issuer] = parts[0]?.[0] === 0xa0 ? parts.slice(1) : parts
  assert(serial !== undefined && issuer !== undefined, 'a certificate has a number and an issuer')
  return sequence(issuer, serial)
}
