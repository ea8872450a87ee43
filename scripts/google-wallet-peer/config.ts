// The settings of the sandbox's Google wallet. Only this file of the process reads the environment.
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Result } from '../../shared/result.ts'
import { readSettings } from '../../shared/settings.ts'
import type { PeerAccount } from './access.ts'

export interface GooglePeerConfig {
  port: number
  account: PeerAccount
  issuerId: string
}

/**
 * Returns the configuration, or a sentence per problem. Only the public part of the account's key
 * is kept.
 */
export function readGooglePeerConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<GooglePeerConfig, readonly string[]> {
  const settings = readSettings(environment, [
    'SVC_GOOGLE_WALLET_ACCOUNT',
    'SVC_GOOGLE_WALLET_ISSUER',
    'SVC_GOOGLE_WALLET_URL',
  ])
  if (!settings.ok) return settings
  const { SVC_GOOGLE_WALLET_ACCOUNT: path, SVC_GOOGLE_WALLET_ISSUER: issuerId } = settings.value
  const { hostname, port } = new URL(settings.value.SVC_GOOGLE_WALLET_URL)
  const account = path === null ? null : accountIn(path)
  if (account === null || issuerId === null)
    return { ok: false, error: ['there is no account of the sandbox: npm start makes it'] }
  if (hostname !== '127.0.0.1' || port === '')
    return {
      ok: false,
      error: ['SVC_GOOGLE_WALLET_URL must say a port of 127.0.0.1: it listens there'],
    }
  return { ok: true, value: { port: Number(port), account, issuerId } }
}

function accountIn(path: string): PeerAccount | null {
  try {
    const said = JSON.parse(readFileSync(path, 'utf8')) as { [field: string]: string }
    const publicKey = createPublicKey(said['private_key'] ?? '')
    return { email: said['client_email'] ?? '', keyId: said['private_key_id'] ?? '', publicKey }
  } catch {
    return null
  }
}
