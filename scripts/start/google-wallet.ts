// Google's wallet in the sandbox: an account and a wallet of its own, unless the person names an
// account of Google's. Live never has one of ours.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment, StartConfig } from './config.ts'
import type { StartedParty } from './outside-parties.ts'
import { loopbackPort } from './ports.ts'
import { writePrivateFile } from './sandbox-secrets.ts'

const DIRECTORY = 'google-wallet'
const RSA_BITS = 2048
const EMAIL = 'passes@svc-sandbox.iam.gserviceaccount.com'
const ISSUER_ID = '3388000000000000000'

export interface GoogleParts {
  /** The wallet among the outside parties, with its settings. */
  parties: readonly StartedParty[]
  /** The settings with which the API and the dispatcher call it. */
  service: Environment
  /** For sandbox.json; null where the wallet is Google's. */
  address: GoogleAddress | null
  port: number | null
}

export interface GoogleAddress {
  url: string
  /** The prefix of object ids. */
  issuer_id: string
}

const NONE: GoogleParts = { parties: [], service: {}, address: null, port: null }

/**
 * Each process gets only the settings it needs. The wallet keeps its former port, if that is free.
 */
export async function googleParts(
  config: StartConfig,
  formerPort: number | null,
): Promise<GoogleParts> {
  if (config.environment === 'live' || config.ownGoogleAccount) return NONE
  const port = await loopbackPort(formerPort)
  const url = 'http://127.0.0.1:' + port
  const service = {
    SVC_GOOGLE_WALLET_ACCOUNT: ensureAccount(config.dataDir, url + '/token'),
    SVC_GOOGLE_WALLET_ISSUER: ISSUER_ID,
    SVC_GOOGLE_WALLET_URL: url,
    SVC_GOOGLE_PAY_URL: url,
  }
  return {
    parties: [{ name: 'google-wallet', environment: service }],
    service,
    address: { url, issuer_id: ISSUER_ID },
    port,
  }
}

/**
 * The path of a key file as Google's console gives it. Its key is made once; where tokens are had
 * may move.
 */
export function ensureAccount(dataDir: string, tokenUri: string): string {
  const directory = join(dataDir, DIRECTORY)
  const path = join(directory, 'account.json')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const known = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : newAccount()
  writePrivateFile(path, JSON.stringify({ ...known, token_uri: tokenUri }, null, 2) + '\n')
  return path
}

function newAccount(): { [field: string]: string } {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: RSA_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return {
    type: 'service_account',
    project_id: 'svc-sandbox',
    private_key_id: randomBytes(20).toString('hex'),
    private_key: privateKey,
    client_email: EMAIL,
  }
}
