// `sandbox-secrets.json` (0600): every secret of the sandbox in plaintext, so it survives restarts
// although the database has only hashes and sealed values. The credentials are written here first,
// and the bootstrap puts them into the database. Afterwards the file gets the resources of the
// seed, with the secrets that the API shows only once.
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { StartProblem } from './start-problem.ts'

export const SANDBOX_SECRETS_FILE = 'sandbox-secrets.json'
export const SECRETS_FORMAT = 1
const SECRET_BYTES = 32
const FORMER_PORTS_MAX = 16

export interface SandboxCard {
  id: string
  token: string
  /** Empty, like the CVC, of a card that is only ever named by its token. */
  pan: string
  exp_month: number
  exp_year: number
  cvc: string
  cardholder_id: string
  currency: string
  pin?: string
  wallet_token_id?: string
  /** The 3DS transaction with a known result. */
  three_ds_id?: string
  /** It was made and is not yet in the state its plan wants. */
  unfinished?: true
}

export interface SandboxEndpoint {
  id: string
  secret: string
}

export interface SandboxOwner {
  id: string
  email: string
  password: string
  /** Base32, for an authenticator. */
  totp_secret: string
  recovery_codes: string[]
}

export interface SandboxSecrets {
  format: typeof SECRETS_FORMAT
  tenant_id: string
  network: { key_id: string; secret: string }
  keys: { read: string; write: string; admin: string; publishable: string }
  /** Unset until the API has made it. */
  realtime_endpoint?: SandboxEndpoint
  /**
   * Where the demo tenant listens, and where it did: an endpoint that still points there may follow
   * it.
   */
  demo_tenant: { port: number; former_ports: number[] }
  /**
   * The sandbox's own identity provider; unset in files from before there was one, until they are
   * completed.
   */
  identity_peer?: { port: number; key: string; secret: string }
  /** The same of the sandbox's own payment processor. */
  stripe_peer?: { port: number; key: string; secret: string }
  /**
   * Where ISO 8583 links went before, so that they go there again; unset before the first of them
   * could.
   */
  iso_port?: number
  /** The same of the sandbox's own push service. */
  push_port?: number
  /** The same of the sandbox's own Google wallet. */
  google_port?: number
  /** The same of the sandbox's own mail receiver, and of its pages. */
  smtp_port?: number
  inbox_port?: number
  /** And of the dispatcher's health and metrics. */
  dispatcher_port?: number
  /** And of the API's metrics. */
  api_metrics_port?: number
  /** And of the sandbox's own chain. */
  chain_port?: number
  /** And of the sandbox's own holder. */
  holder_port?: number
  /** And of the settler's health and metrics. */
  settler_port?: number
  /** Ids of those that the API has made, by their names in the plan. */
  programs: { [name: string]: string }
  /** The operator of the sandbox; unset in older files, until they are completed. */
  operator?: { id: string; key: string }
  /**
   * The person who approves calls that a key alone may not make; unset in older files, until they
   * are completed.
   */
  owner?: SandboxOwner
  /** Those that the API has made, by purpose. */
  cards: { [purpose: string]: SandboxCard }
  /** False while cards that only the simulator uses are still being made. */
  furnished?: boolean
}

/** Random bytes in base64 behind a prefix, for example `nsec_`. */
export function newSecret(prefix: string): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64')
}

/**
 * The same secrets with the identity provider on this port; its key and its secret are made once.
 */
export function withIdentityPeer(secrets: SandboxSecrets, port: number): SandboxSecrets {
  const account = secrets.identity_peer ?? {
    key: newSecret('idkey_'),
    secret: newSecret('idsec_'),
  }
  return { ...secrets, identity_peer: { ...account, port } }
}

/** The same secrets with the payment processor on this port. */
export function withStripePeer(secrets: SandboxSecrets, port: number): SandboxSecrets {
  const account = secrets.stripe_peer ?? {
    key: 'sk_test_' + randomBytes(SECRET_BYTES).toString('hex'),
    secret: newSecret('whsec_'),
  }
  return { ...secrets, stripe_peer: { ...account, port } }
}

/** The same secrets with the demo tenant on another port. */
export function withDemoTenantPort(secrets: SandboxSecrets, port: number): SandboxSecrets {
  const { port: former, former_ports: formers } = secrets.demo_tenant
  if (port === former) return secrets
  const others = [former, ...formers].filter((candidate) => candidate !== port)
  return { ...secrets, demo_tenant: { port, former_ports: others.slice(0, FORMER_PORTS_MAX) } }
}

/**
 * Null where the data directory has no sandbox; throws with the path where the file is not one of
 * ours.
 */
export function readSandboxSecrets(dataDir: string): SandboxSecrets | null {
  const path = join(dataDir, SANDBOX_SECRETS_FILE)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const secrets = parseSecrets(text)
  if (secrets === null) {
    throw new StartProblem(
      path + ' is damaged: restore it, or delete it to get a fresh sandbox tenant',
    )
  }
  return secrets
}

function parseSecrets(text: string): SandboxSecrets | null {
  try {
    const secrets: unknown = JSON.parse(text)
    const known =
      typeof secrets === 'object' &&
      secrets !== null &&
      'format' in secrets &&
      secrets.format === SECRETS_FORMAT
    return known ? (secrets as SandboxSecrets) : null
  } catch {
    return null
  }
}

/**
 * Replaces the whole file, on disk before this returns: the database must never hold keys that no
 * file contains.
 */
export function writeSandboxSecrets(dataDir: string, secrets: SandboxSecrets): void {
  writePrivateFile(join(dataDir, SANDBOX_SECRETS_FILE), JSON.stringify(secrets, null, 2) + '\n')
}

/** Writes beside, syncs and renames; mode 0600 from the first byte. */
export function writePrivateFile(path: string, text: string): void {
  const draft = path + '.new'
  const fd = openSync(draft, 'w', 0o600)
  try {
    writeSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, path)
}
