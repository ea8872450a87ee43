// Certificates of a sandbox without Apple's: an authority of its own, the pass type's certificate
// and that of the push service's simulator. Created once, in the data directory; the authority's
// key is discarded, so it signs nothing more.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EpochMs } from '../../../../shared/clock.ts'
import { randomSecret } from '../../../../shared/id.ts'
import { type CertificateRequest, issueCertificate } from '../x509.ts'

const DIRECTORY = 'apple-wallet'
const RSA_BITS = 2048
const DAY_MS = 24 * 3_600_000
/** Chosen: the sandbox's certificates need no maintenance. */
const LIFE_MS = 10 * 365 * DAY_MS

/** Chosen: the pass type of the sandbox; Apple's certificate names a real one. */
export const SANDBOX_PASS_TYPE = 'pass.svc.sandbox'
const SANDBOX_TEAM = 'SVCSANDBOX'
const LOOPBACK = Buffer.from([127, 0, 0, 1])

/** Paths of PEM files, each readable by their owner only. */
export interface SandboxCertificates {
  authority: string
  passCertificate: string
  passKey: string
  /** For the simulator of Apple's push service, on this machine. */
  pushCertificate: string
  pushKey: string
}

/** Several processes may call this function at once at first start: one set wins, whole. */
export function ensureSandboxCertificates(dataDir: string, now: EpochMs): SandboxCertificates {
  const directory = join(dataDir, DIRECTORY)
  if (!existsSync(directory)) make(dataDir, directory, now)
  return pathsIn(directory)
}

function pathsIn(directory: string): SandboxCertificates {
  return {
    authority: join(directory, 'authority.pem'),
    passCertificate: join(directory, 'pass.pem'),
    passKey: join(directory, 'pass-key.pem'),
    pushCertificate: join(directory, 'push.pem'),
    pushKey: join(directory, 'push-key.pem'),
  }
}

function make(dataDir: string, directory: string, now: EpochMs): void {
  const draft = join(dataDir, DIRECTORY + '.' + randomSecret(6))
  mkdirSync(draft, { recursive: true, mode: 0o700 })
  const paths = pathsIn(draft)
  const texts = issueAll(now)
  for (const name of Object.keys(texts) as (keyof SandboxCertificates)[])
    writeFileSync(paths[name], texts[name], { mode: 0o600, flag: 'wx' })
  try {
    renameSync(draft, directory)
  } catch (error) {
    // Another process was first: its set wins.
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(directory)) throw error
  }
}

function issueAll(now: EpochMs): { [Name in keyof SandboxCertificates]: string } {
  const authority = newKey()
  const subject = { CN: 'svc sandbox pass authority', O: 'svc sandbox' }
  const issuer = { subject, key: authority }
  // A fresh certificate is valid for a slightly slow clock, too.
  const life = { issuer, validFrom: now - DAY_MS, validUntil: now + LIFE_MS }
  const [passKey, pushKey] = [newKey(), newKey()]
  const issue = (request: Omit<CertificateRequest, keyof typeof life>): string =>
    issueCertificate({ ...life, ...request })
  return {
    authority: issue({ subject, key: authority, use: 'authority' }),
    passCertificate: issue({
      subject: {
        UID: SANDBOX_PASS_TYPE,
        CN: 'Pass Type ID: ' + SANDBOX_PASS_TYPE,
        OU: SANDBOX_TEAM,
        O: 'svc sandbox',
      },
      key: passKey,
      // Apple's certificate has no mail usage; with it, mail signature tools verify these
      // signatures.
      use: ['clientAuth', 'passSigning', 'emailProtection'],
    }),
    passKey: pemOf(passKey),
    pushCertificate: issue({
      subject: { CN: 'svc sandbox push service' },
      key: pushKey,
      use: ['serverAuth'],
      names: ['localhost', LOOPBACK],
    }),
    pushKey: pemOf(pushKey),
  }
}

function newKey(): KeyObject {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: RSA_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return createPrivateKey(privateKey)
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs1', format: 'pem' }).toString()
}
