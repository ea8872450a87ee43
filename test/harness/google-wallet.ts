// The sandbox's Google wallet beside an API of a test, and an account that both know.
import { createPublicKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GoogleIssuer, readGoogleIssuer } from '../../api/passes/wallets/google/account.ts'
import { type GooglePeer, startGooglePeer } from '../../scripts/google-wallet-peer/peer.ts'
import { ensureAccount } from '../../scripts/start/google-wallet.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import { SEEDED_AT_MS } from './tenant.ts'

export const ISSUER_ID = '3388000000012345678'

export interface TestGoogle {
  peer: GooglePeer
  issuer: GoogleIssuer
  /** The peer's time; the test sets it to its own. */
  clock: Clock
  time: { nowMs: number }
  /** Sets the URL at which the peer reaches the API. */
  serve(url: string): void
}

/** Listens until `close`. Its time is constant unless a test moves it. */
export async function startTestGoogle(): Promise<TestGoogle & { close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-google-'))
  const path = ensureAccount(directory, 'http://127.0.0.1:1/token')
  const said = JSON.parse(readFileSync(path, 'utf8')) as { [field: string]: string }
  const time = { nowMs: SEEDED_AT_MS + 60_000 }
  const clock = { ...systemClock, nowMs: () => time.nowMs }
  const options = {
    port: 0,
    account: {
      email: said['client_email'] ?? '',
      keyId: said['private_key_id'] ?? '',
      publicKey: createPublicKey(said['private_key'] ?? ''),
    },
    issuerId: ISSUER_ID,
    clock,
    log: createLog({ name: 'test', level: 'silent' }),
    serviceUrl: 'http://127.0.0.1:1' as string | null,
    pace: 0.01,
  }
  const peer = await startGooglePeer(options)
  ensureAccount(directory, peer.url + '/token')
  const problems: string[] = []
  const issuer = readGoogleIssuer(settingsOf(path, peer.url), problems)
  if (issuer === null) throw new Error(problems.join(' '))
  return {
    peer,
    issuer,
    clock,
    time,
    serve(url) {
      options.serviceUrl = url
    },
    async close() {
      await peer.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Settings of a sandbox that speaks with the wallet there. */
export function settingsOf(path: string, url: string): Parameters<typeof readGoogleIssuer>[0] {
  return {
    SVC_GOOGLE_WALLET_ACCOUNT: path,
    SVC_GOOGLE_WALLET_ISSUER: ISSUER_ID,
    SVC_GOOGLE_WALLET_URL: url,
    SVC_GOOGLE_PAY_URL: url + '/',
    SVC_GOOGLE_WALLET_RATE: 20,
    SVC_ENVIRONMENT: 'sandbox',
    SVC_PUBLIC_URL: null,
    SVC_API_HOST: '127.0.0.1',
    SVC_API_PORT: 8080,
    SVC_API_TLS_CERT: null,
  }
}
