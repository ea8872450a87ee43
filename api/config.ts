// The API's settings: read once, all problems reported together. No other module of this process
// reads the environment.
import { join } from 'node:path'
import type { Cidr } from '../shared/address.ts'
import { readPem, readServerCertificate } from '../shared/certificate-files.ts'
import { type Seal, sealer, type Unseal, unsealer } from '../shared/keyring.ts'
import { loadMasterKeys, rereadMasterKeys } from '../shared/master-key-file.ts'
import { misspeltSettings } from '../shared/misspelt-settings.ts'
import type { Result } from '../shared/result.ts'
import type { ListFile } from '../shared/setting-values.ts'
import { readSettings } from '../shared/settings.ts'
import { doorSocket, shardNames, shardSocket } from '../shared/shards.ts'
import type { Environment } from '../shared/wire/config-records.ts'
import { readProcessorConfig } from './billing/processor/config.ts'
import type { ProcessorConfig } from './billing/processor/index.ts'
import type { NetworkPortOptions } from './engine-link/network-port.ts'
import { type MetricsAddress, metricsAddress } from './http/metrics-port.ts'
import { listenerUrl, publicUrlOf } from './http/public-url.ts'
import { configuredLists } from './issuing/sanctions/lists.ts'
import { type AppleIssuer, readAppleIssuer } from './passes/wallets/apple/issuer.ts'
import { type GoogleIssuer, readGoogleIssuer } from './passes/wallets/google/account.ts'
import { type ChainConfigs, readChainConfigs } from './payments/chain/chain-config.ts'
import { API_SETTINGS } from './setting-names.ts'
import { type TraceConfig, traceConfig } from './tracing/span.ts'

const TLS_SETTINGS = { cert: 'SVC_API_TLS_CERT', key: 'SVC_API_TLS_KEY' }

export interface ApiConfig {
  host: string
  port: number
  /** Port of the metrics, on 127.0.0.1; null: closed. */
  metrics: MetricsAddress | null
  /** PEM texts; null: the API listens without TLS. */
  tls: { cert: string; key: string } | null
  databaseUrl: string
  /** The same database, as the role of the engine link. */
  linkDatabaseUrl: string
  /** Most connections of a pool; null: as many as it wants. */
  connectionsMax: number | null
  installation: Environment
  /** Base URL of the pages that people open; null: `publicUrl`. */
  authUrl: string | null
  /** Mail is sent. */
  sendsMail: boolean
  /** People may sign themselves up. */
  signUp: boolean
  /** Base URL for pass holders and their devices. */
  publicUrl: string
  /** Base URL of our reference pages; a path alone when our address is unknown. */
  docsUrl: string
  /** Milliseconds that a page of the dashboard waits for each of its panels. */
  panelMs: number
  /** The issuer that signs passes for Apple's wallet; null: no Apple passes. */
  apple: AppleIssuer | null
  /** The issuer for Google's wallet; null: no passes go to Google. */
  google: GoogleIssuer | null
  /** The payment processor, and the secrets with which it signs. */
  processor: ProcessorConfig
  processorSecrets: { readonly [environment in Environment]: readonly string[] }
  /** The chain of each environment; null: payments are closed there. */
  chains: ChainConfigs
  /** The sandbox's simulated holder; null: its simulate calls are closed. */
  holderUrl: string | null
  /** Path of the engine's control socket. */
  /** The control socket of each shard's engine, the first one first. */
  engineSockets: readonly string[]
  /** Engines and the front door that get config records, with their shards. */
  linkTargets: readonly { socketPath: string; shard?: string }[]
  /** The directory of the machine's engines, with their anchors of the system clock. */
  dataDir: string
  /** The engine's network port, for the messages that a tenant simulates in the sandbox. */
  networkPort: NetworkPortOptions
  seal: Seal
  unseal: Unseal
  /** Private ranges tenant endpoints may use. */
  openedRanges: readonly Cidr[]
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly Cidr[]
  /** Addresses from which operators reach their pages. */
  operatorCidrs: readonly Cidr[]
  /** Secrets with which the identity provider signs; empty: its callbacks are refused. */
  identitySecrets: readonly string[]
  /** Lists of people who must not become cardholders. */
  lists: readonly ListFile[]
  /** Receiver of traces; null: off. */
  traces: TraceConfig | null
  /** A sentence for each variable that looks like a setting and is none. */
  misspelt: readonly string[]
  logLevel: string
}

/**
 * Returns the configuration, or a sentence per problem. Makes `master.key` when sandbox has none
 * yet.
 */
export function readConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<Readonly<ApiConfig>, readonly string[]> {
  const settings = readSettings(environment, API_SETTINGS)
  const databaseMissing = (environment['DATABASE_URL'] ?? '').trim() === ''
  const missing = databaseMissing ? ['DATABASE_URL must be set: the API needs its PostgreSQL'] : []
  if (!settings.ok) return { ok: false, error: [...settings.error, ...missing] }
  const { value } = settings
  if (value.DATABASE_URL === null) return { ok: false, error: missing }

  const keySource = {
    dataDir: value.SVC_DATA_DIR,
    configured: value.SVC_MASTER_KEY,
    environment: value.SVC_ENVIRONMENT,
  }
  const problems: string[] = []
  const paths = { cert: value.SVC_API_TLS_CERT, key: value.SVC_API_TLS_KEY }
  const tls = readServerCertificate(TLS_SETTINGS, paths, problems)
  const shown = readPem('SVC_ENGINE_TLS_CERT', value.SVC_ENGINE_TLS_CERT, problems)
  const apple = readAppleIssuer(value, problems)
  const google = readGoogleIssuer(value, problems)
  const chains = readChainConfigs(value, problems)
  const processor = readProcessorConfig(value, problems)
  const keys = loadMasterKeys(keySource)
  if (!keys.ok) problems.push(keys.error)
  const lists = configuredLists(value.SVC_SCREENING_LISTS, value.SVC_ENVIRONMENT)
  if (!lists.ok) problems.push(lists.error)
  if (!keys.ok || !lists.ok || problems.length > 0) return { ok: false, error: problems }
  return {
    ok: true,
    value: Object.freeze({
      host: value.SVC_API_HOST,
      port: value.SVC_API_PORT,
      metrics: metricsAddress(value.SVC_METRICS_HOST, value.SVC_API_METRICS_PORT),
      tls: tls === null ? null : { cert: tls.cert.pem, key: tls.key.pem },
      ...databaseUrls(value.DATABASE_URL, value.SVC_LINK_DATABASE_URL),
      installation: value.SVC_ENVIRONMENT,
      ...pagesOf(value),
      ...{ publicUrl: publicUrlOf(value), docsUrl: docsUrlOf(value) },
      ...{ apple, google },
      ...{ processor, processorSecrets: processorSecretsOf(value) },
      ...{ chains, connectionsMax: value.SVC_DATABASE_CONNECTIONS },
      holderUrl: value.SVC_HOLDER_URL,
      ...socketsOf(value),
      dataDir: value.SVC_DATA_DIR,
      networkPort: {
        url: listenerUrl(shown !== null, value.SVC_ENGINE_HOST, value.SVC_ENGINE_PORT),
        certificate: shown?.pem ?? null,
      },
      seal: sealer(keys.value, () => rereadMasterKeys(keySource)),
      unseal: unsealer(keys.value, () => rereadMasterKeys(keySource)),
      openedRanges: value.SVC_WEBHOOK_ALLOW_CIDRS,
      trustedProxies: value.SVC_TRUSTED_PROXIES,
      ...{ identitySecrets: value.SVC_IDENTITY_SECRET, lists: lists.value },
      traces: traceConfig(value),
      misspelt: misspeltSettings(environment),
      logLevel: value.SVC_LOG_LEVEL,
    }),
  }
}

/** The sockets of the engines; several shards have a front door beside them, and one may. */
function socketsOf(value: {
  SVC_ENGINE_SOCKET: string | null
  SVC_DATA_DIR: string
  SVC_SHARDS: number
  SVC_DOOR_SOCKET: string | null
}): Pick<ApiConfig, 'engineSockets' | 'linkTargets'> {
  const first = value.SVC_ENGINE_SOCKET ?? join(value.SVC_DATA_DIR, 'engine.sock')
  const engines = shardNames(value.SVC_SHARDS).map((shard) => {
    return { shard, socketPath: shardSocket(first, shard) }
  })
  const socketPath = value.SVC_DOOR_SOCKET ?? doorSocket(first)
  const hasDoor = engines.length > 1 || value.SVC_DOOR_SOCKET !== null
  const door = hasDoor ? [{ socketPath }] : []
  const engineSockets = engines.map(({ socketPath }) => socketPath)
  return { engineSockets, linkTargets: [...engines, ...door] }
}

/**
 * Chosen: errors link the page that explains them by its full address when SVC_PUBLIC_URL gives it,
 * or when the API listens at only one address. An API that listens at every address does not know
 * the address a caller used: then the error carries only the path.
 */
function docsUrlOf(value: Parameters<typeof publicUrlOf>[0]): string {
  const known = value.SVC_PUBLIC_URL !== null || !['0.0.0.0', '::'].includes(value.SVC_API_HOST)
  return (known ? publicUrlOf(value) : '') + '/docs'
}

/** Chosen: people sign themselves up in a sandbox; in live only where an operator says they may. */
function pagesOf(value: {
  SVC_AUTH_URL: string | null
  SVC_SIGN_UP: 'open' | 'closed' | null
  SVC_PANEL_MS: number
  SVC_MAIL_FROM: string | null
  SVC_OPERATOR_CIDRS: readonly Cidr[]
  SVC_ENVIRONMENT: Environment
}): Pick<ApiConfig, 'authUrl' | 'signUp' | 'panelMs' | 'sendsMail' | 'operatorCidrs'> {
  const { SVC_AUTH_URL: authUrl, SVC_ENVIRONMENT: environment } = value
  const signUp = value.SVC_SIGN_UP ?? (environment === 'live' ? 'closed' : 'open')
  return {
    authUrl,
    signUp: signUp === 'open',
    panelMs: value.SVC_PANEL_MS,
    sendsMail: value.SVC_MAIL_FROM !== null,
    operatorCidrs: value.SVC_OPERATOR_CIDRS,
  }
}

function processorSecretsOf(value: {
  SVC_STRIPE_WEBHOOK_SECRET_SANDBOX: readonly string[]
  SVC_STRIPE_WEBHOOK_SECRET_LIVE: readonly string[]
}): ApiConfig['processorSecrets'] {
  const { SVC_STRIPE_WEBHOOK_SECRET_SANDBOX: sandbox, SVC_STRIPE_WEBHOOK_SECRET_LIVE: live } = value
  return { sandbox, live }
}

function databaseUrls(databaseUrl: string, ofLink: string | null) {
  return { databaseUrl, linkDatabaseUrl: ofLink ?? databaseUrl }
}
