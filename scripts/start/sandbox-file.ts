// `sandbox.json` (0600): the contract for scripts and tests. Renamed into place when the
// service is ready, and not before.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../../shared/assert.ts'
import type { PushAddress } from './apple-wallet.ts'
import type { GoogleAddress } from './google-wallet.ts'
import { type SandboxEndpoint, type SandboxSecrets, writePrivateFile } from './sandbox-secrets.ts'
import type { ListedCard } from './seed/listed-cards.ts'

export const SANDBOX_FILE = 'sandbox.json'

export interface SandboxUrls {
  apiUrl: string
  authUrl: string
  engineUrl: string
  /** Health and metrics. */
  dispatcherUrl: string
  /** The API's metrics. */
  apiMetricsUrl: string
  /** Health and metrics of the settler; null where payments are closed. */
  settlerUrl: string | null
  endpointUrl: string
  /** Where ISO 8583 links go; null where no port is open for them. */
  iso: IsoAddress | null
  /** Where simulated devices hear of pushes; null where the push service is Apple's. */
  push: PushAddress | null
  /** Where simulated holders save and delete; null where the wallet is Google's. */
  google: GoogleAddress | null
  /** The page that shows the sandbox's mails; null where another server gets them. */
  inboxUrl: string | null
}

export interface IsoAddress {
  host: string
  port: number
}

/** Renames the file into place. */
export function writeSandboxFile(
  dataDir: string,
  urls: SandboxUrls,
  secrets: SandboxSecrets,
  cards: readonly ListedCard[],
): string {
  const { network, keys, realtime_endpoint: endpoint } = secrets
  assert(endpoint !== undefined, 'a sandbox that is published has its endpoint')
  const path = join(dataDir, SANDBOX_FILE)
  const contract = {
    api_url: urls.apiUrl,
    auth_url: urls.authUrl,
    engine_url: urls.engineUrl,
    dispatcher_url: urls.dispatcherUrl,
    api_metrics_url: urls.apiMetricsUrl,
    settler_url: urls.settlerUrl,
    engine_iso: urls.iso,
    apple_push: urls.push,
    google_wallet: urls.google,
    inbox_url: urls.inboxUrl,
    tenant_id: secrets.tenant_id,
    network: { key_id: network.key_id, secret: network.secret },
    keys: { read: keys.read, write: keys.write, admin: keys.admin, publishable: keys.publishable },
    operator_key: secrets.operator?.key,
    owner: secrets.owner,
    realtime_endpoint: { id: endpoint.id, url: urls.endpointUrl, secret: endpoint.secret },
    cards,
  }
  writePrivateFile(path, JSON.stringify(contract, null, 2) + '\n')
  return path
}

/** Parts of the file that a reset of the sandbox makes anew, or uses up. */
export interface Renewed {
  owner: SandboxSecrets['owner']
  endpoint: SandboxEndpoint & { url: string }
  cards: readonly ListedCard[]
}

/** Renames the file into place with another endpoint and other cards; its addresses stay. */
export function renewSandboxFile(dataDir: string, { owner, endpoint, cards }: Renewed): void {
  const path = join(dataDir, SANDBOX_FILE)
  const contract: unknown = JSON.parse(readFileSync(path, 'utf8'))
  assert(typeof contract === 'object' && contract !== null, 'sandbox.json holds an object')
  const { id, url, secret } = endpoint
  const renewed = { ...contract, owner, realtime_endpoint: { id, url, secret }, cards }
  writePrivateFile(path, JSON.stringify(renewed, null, 2) + '\n')
}

/**
 * Called at the beginning and at the end of a start: no reader may take an earlier start's file for
 * a later one's.
 */
export function removeSandboxFile(dataDir: string): void {
  rmSync(join(dataDir, SANDBOX_FILE), { force: true })
}
