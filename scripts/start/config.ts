// The settings of `npm start`: every variable of the service is checked
// here, all problems together, before anything starts. The only place of these processes that sees
// the environment.
import { configuredLists } from '../../api/issuing/sanctions/lists.ts'
import { isLoopback, isoConfig } from '../../engine/iso-config.ts'
import { readTls, type TlsSettings } from '../../engine/listeners/tls.ts'
import type { MasterKeys } from '../../shared/keyring.ts'
import { misspeltSettings } from '../../shared/misspelt-settings.ts'
import type { Result } from '../../shared/result.ts'
import { readSettings, SETTINGS, type SettingName, type Settings } from '../../shared/settings.ts'
import { engineSocketPath } from './socket-path.ts'

/**
 * The address ranges of tenant endpoints in the sandbox, unless SVC_WEBHOOK_ALLOW_CIDRS sets
 * others: this machine.
 */
const SANDBOX_CIDRS = '127.0.0.0/8,::1/128'
/**
 * The size of a sandbox, unless the person sets another: every connection is a process of
 * PostgreSQL with some 6 MB of its own.
 */
const SANDBOX_CONNECTIONS = '3'

export type Environment = { readonly [name: string]: string | undefined }

export interface Listener {
  host: string
  port: number
  /** How a client on this machine reaches it. */
  url: string
}

/** The ISO 8583 port, as far as settings define it; `npm start` completes it for the sandbox. */
export interface IsoListener {
  /** Null: any free one, where only this machine can reach it. */
  port: number | null
  /** Null: the sandbox’s own network key. */
  networkKeyId: string | null
  /** The rules for client certificates name the network key of a link. */
  namedByRules: boolean
}

export interface StartConfig {
  dataDir: string
  api: Listener
  engine: Listener
  iso: IsoListener
  /** The port of the dispatcher's health and metrics; null: any free one. */
  dispatcherPort: number | null
  /** The port of the API's metrics; null: any free one. */
  metricsPort: number | null
  authUrl: string
  /** Null: run an embedded PostgreSQL. */
  databaseUrl: string | null
  masterKeys: MasterKeys | null
  environment: 'sandbox' | 'live'
  /** Null: the sandbox runs an identity provider of its own. */
  identityUrl: string | null
  /**
   * Passes for Apple's wallet are signed with a certificate that the settings name; else the
   * sandbox makes one.
   */
  ownAppleCertificate: boolean
  /**
   * An account of Google's that the settings name speaks with Google's wallet; else the sandbox
   * makes both.
   */
  ownGoogleAccount: boolean
  /** The settings name a mail server; else the sandbox runs a receiver of its own. */
  ownMailServer: boolean
  /** Port of that receiver's pages; null: any free one. */
  inboxPort: number | null
  /** The settings name an account at the payment processor; else the sandbox runs its own. */
  ownStripeAccount: boolean
  /** The settings name a chain for the sandbox or live; else the sandbox runs its own. */
  ownChain: boolean
  /** Port of the settler's health and metrics; null: any free one. */
  settlerPort: number | null
  engineSocket: string
  /** Shards on this machine; more than one have a front door on the network port. */
  shards: number
  /** A sentence for each variable that looks like a setting and is none. */
  misspelt: readonly string[]
  /** Colours were asked not to be used. */
  noColor: boolean
  /** The environment of a child: that of this process, with the additions of `npm start`. */
  childEnvironment(additions: Environment): Environment
}

/** The configuration, or a sentence per problem. */
export function readStartConfig(
  environment: Environment = process.env,
): Result<StartConfig, readonly string[]> {
  const settings = readSettings(environment, Object.keys(SETTINGS) as SettingName[])
  if (!settings.ok) return settings
  const { value } = settings
  const problems: string[] = []
  if (value.SVC_API_PORT === value.SVC_ENGINE_PORT) {
    problems.push('SVC_API_PORT and SVC_ENGINE_PORT must differ: both are ' + value.SVC_API_PORT)
  }
  if (value.SVC_ENVIRONMENT === 'live' && value.SVC_MASTER_KEY === null) {
    problems.push('SVC_MASTER_KEY must be set in live: a generated key is refused')
  }
  const lists = configuredLists(value.SVC_SCREENING_LISTS, value.SVC_ENVIRONMENT)
  if (!lists.ok) problems.push(lists.error)
  if (value.SVC_ENGINE_TLS_CERT !== null) {
    problems.push('SVC_ENGINE_TLS_CERT is for npm run engine: the sandbox speaks without TLS')
  }
  if (value.SVC_API_TLS_CERT !== null || value.SVC_API_TLS_KEY !== null) {
    problems.push('SVC_API_TLS_CERT is for npm run api: the sandbox speaks without TLS')
  }
  problems.push(...portProblems(value))
  if (problems.length > 0) return { ok: false, error: problems }

  const dataDir = value.SVC_DATA_DIR
  const api = listener(value.SVC_API_HOST, value.SVC_API_PORT)
  const pagesUrl = value.SVC_PUBLIC_URL ?? namedUrl(api)
  return {
    ok: true,
    value: {
      dataDir,
      api,
      engine: listener(value.SVC_ENGINE_HOST, value.SVC_ENGINE_PORT),
      iso: {
        port: value.SVC_ENGINE_ISO_PORT,
        networkKeyId: value.SVC_ENGINE_ISO_NETWORK,
        namedByRules: value.SVC_ENGINE_TLS_CLIENTS.length > 0,
      },
      dispatcherPort: value.SVC_DISPATCHER_PORT,
      metricsPort: value.SVC_API_METRICS_PORT,
      authUrl: value.SVC_AUTH_URL ?? pagesUrl,
      databaseUrl: value.DATABASE_URL,
      masterKeys: value.SVC_MASTER_KEY,
      environment: value.SVC_ENVIRONMENT,
      identityUrl: value.SVC_IDENTITY_URL,
      ...ownParties(value),
      inboxPort: value.SVC_INBOX_PORT,
      settlerPort: value.SVC_SETTLER_PORT,
      engineSocket: value.SVC_ENGINE_SOCKET ?? engineSocketPath(dataDir),
      shards: value.SVC_SHARDS,
      misspelt: misspeltSettings(environment),
      noColor: (environment['NO_COLOR'] ?? '') !== '',
      childEnvironment: childEnvironmentOf(environment, { dataDir, pagesUrl }),
    },
  }
}

/**
 * Returns the problems that the engine would find with its ports, once a port and a network key are
 * found for ISO 8583.
 */
function portProblems(
  value: TlsSettings &
    Settings<'SVC_ENGINE_HOST' | 'SVC_ENGINE_ISO_PORT' | 'SVC_ENGINE_ISO_NETWORK'>,
): readonly string[] {
  const { SVC_ENGINE_ISO_PORT: port, SVC_ENGINE_ISO_NETWORK: keyId, SVC_ENGINE_HOST: host } = value
  const tls = readTls(value)
  if (!tls.ok) return tls.error
  if (port === null && !isLoopback(host)) return []
  const config = isoConfig({
    setting: 'SVC_ENGINE_ISO_PORT',
    port: port ?? 1,
    networkKeyId: keyId ?? (value.SVC_ENGINE_TLS_CLIENTS.length > 0 ? null : 'sandbox'),
    host,
    tls: tls.value,
  })
  return config.ok ? [] : config.error
}

function listener(host: string, port: number): Listener {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return {
    host,
    port,
    url: 'http://' + (reachable.includes(':') ? '[' + reachable + ']' : reachable) + ':' + port,
  }
}

/** Outside parties that the settings name; the sandbox plays all others. */
function ownParties(
  value: Settings<
    | 'SVC_APPLE_PASS_CERT'
    | 'SVC_GOOGLE_WALLET_ACCOUNT'
    | 'SVC_SMTP_URL'
    | 'SVC_CHAIN_SANDBOX'
    | 'SVC_CHAIN_LIVE'
    | 'SVC_STRIPE_KEY_SANDBOX'
  >,
): Pick<
  StartConfig,
  'ownAppleCertificate' | 'ownGoogleAccount' | 'ownMailServer' | 'ownChain' | 'ownStripeAccount'
> {
  return {
    ownAppleCertificate: value.SVC_APPLE_PASS_CERT !== null,
    ownGoogleAccount: value.SVC_GOOGLE_WALLET_ACCOUNT !== null,
    ownMailServer: value.SVC_SMTP_URL !== null,
    ownStripeAccount: value.SVC_STRIPE_KEY_SANDBOX !== null,
    ownChain: value.SVC_CHAIN_SANDBOX !== null || value.SVC_CHAIN_LIVE !== null,
  }
}

/** Passkeys belong to a name: browsers refuse them for an address of numbers. */
function namedUrl({ url, port }: Listener): string {
  return /\/\/(?:127\.0\.0\.1|\[::1\]):/.test(url) ? 'http://localhost:' + port : url
}

function childEnvironmentOf(
  environment: Environment,
  { dataDir, pagesUrl }: { dataDir: string; pagesUrl: string },
): StartConfig['childEnvironment'] {
  return (additions) => ({
    ...environment,
    SVC_DATA_DIR: dataDir,
    SVC_WEBHOOK_ALLOW_CIDRS: environment['SVC_WEBHOOK_ALLOW_CIDRS'] ?? SANDBOX_CIDRS,
    SVC_DATABASE_CONNECTIONS: environment['SVC_DATABASE_CONNECTIONS'] ?? SANDBOX_CONNECTIONS,
    SVC_PUBLIC_URL: pagesUrl,
    ...additions,
  })
}
