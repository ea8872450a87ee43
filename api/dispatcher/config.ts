// The dispatcher's settings: read once, all problems reported together. No other module of this
// process reads the environment.
import type { Cidr } from '../../shared/address.ts'
import { readPem } from '../../shared/certificate-files.ts'
import { type Seal, sealer, type Unseal, unsealer } from '../../shared/keyring.ts'
import { loadMasterKeys, rereadMasterKeys } from '../../shared/master-key-file.ts'
import { misspeltSettings } from '../../shared/misspelt-settings.ts'
import type { Result } from '../../shared/result.ts'
import type { ListFile } from '../../shared/setting-values.ts'
import { readSettings, type Settings } from '../../shared/settings.ts'
import { readSmtpSettings, type SmtpSettings } from '../access/mails/index.ts'
import { readProcessorConfig } from '../billing/processor/config.ts'
import type { ProcessorConfig } from '../billing/processor/index.ts'
import { type MetricsAddress, metricsAddress } from '../http/metrics-port.ts'
import { publicUrlOf } from '../http/public-url.ts'
import { configuredLists } from '../issuing/sanctions/lists.ts'
import { readAppleIssuer } from '../passes/wallets/apple/issuer.ts'
import type { PushSettings } from '../passes/wallets/apple/push/push-service.ts'
import { type GoogleIssuer, readGoogleIssuer } from '../passes/wallets/google/account.ts'
import type { AnchorTarget } from '../platform/audit/index.ts'
import { DISPATCHER_SETTINGS } from '../setting-names.ts'
import { type TraceConfig, traceConfig } from '../tracing/span.ts'

export interface DispatcherConfig {
  databaseUrl: string
  /** Most connections of a pool; null: as many as it wants. */
  connectionsMax: number | null
  seal: Seal
  unseal: Unseal
  /** Private ranges tenant endpoints may use. */
  openedRanges: readonly Cidr[]
  retryDelaysMs: readonly number[]
  /** Threads that sign and send; 0: only the dispatcher's own. */
  threads: number
  /** Port of health and metrics; null: closed. */
  metrics: MetricsAddress | null
  /** Retention of events in milliseconds. */
  retentionMs: number
  /** Retention of sealed identities of erased cardholders, in milliseconds. */
  identityRetentionMs: number
  /** Retention of messages about unknown cards, in milliseconds. */
  unmatchedRetentionMs: number
  /** Service that verifies identities; null: none. */
  identity: { url: string; key: string } | null
  /** Lists of people who must not become cardholders. */
  lists: readonly ListFile[]
  /** Base URL for pass holders. */
  publicUrl: string
  /** The directory of the machine's engines, with their anchors of the system clock. */
  dataDir: string
  /** Settings for notifying Apple devices of changed passes; null: none are notified. */
  push: PushSettings | null
  /** Issuer for notifying Google's wallet of changed passes; null: Google is not notified. */
  google: GoogleIssuer | null
  /** The payment processor. */
  processor: ProcessorConfig
  /** Mail server; null: no mail is sent. */
  smtp: SmtpSettings | null
  /** Place outside of the database for the heads of the audit logs; null: none. */
  anchors: AnchorTarget | null
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
export function readDispatcherConfig(
  environment: { readonly [name: string]: string | undefined } = process.env,
): Result<Readonly<DispatcherConfig>, readonly string[]> {
  const settings = readSettings(environment, DISPATCHER_SETTINGS)
  const databaseMissing = (environment['DATABASE_URL'] ?? '').trim() === ''
  const missing = databaseMissing
    ? ['DATABASE_URL must be set: the dispatcher needs the PostgreSQL of the installation']
    : []
  if (!settings.ok) return { ok: false, error: [...settings.error, ...missing] }
  const { value } = settings
  if (value.DATABASE_URL === null) return { ok: false, error: missing }
  const { SVC_IDENTITY_URL: url, SVC_IDENTITY_KEY: key } = value
  if ((url === null) !== (key === null))
    return { ok: false, error: ['SVC_IDENTITY_URL and SVC_IDENTITY_KEY must be set together'] }
  if (value.SVC_ENVIRONMENT === 'live' && url?.startsWith('http:'))
    return {
      ok: false,
      error: ['SVC_IDENTITY_URL must be https in live: it is told who people are'],
    }

  const keySource = {
    dataDir: value.SVC_DATA_DIR,
    configured: value.SVC_MASTER_KEY,
    environment: value.SVC_ENVIRONMENT,
  }
  const keys = loadMasterKeys(keySource)
  if (!keys.ok) return { ok: false, error: [keys.error] }
  const lists = configuredLists(value.SVC_SCREENING_LISTS, value.SVC_ENVIRONMENT)
  if (!lists.ok) return { ok: false, error: [lists.error] }
  const push = readPush(value)
  if (!push.ok) return push
  const problems: string[] = []
  const google = readGoogleIssuer(value, problems)
  const smtp = readSmtpSettings(value, problems)
  const processor = readProcessorConfig(value, problems)
  const anchors = readAnchors(value, problems)
  if (problems.length > 0) return { ok: false, error: problems }
  return {
    ok: true,
    value: Object.freeze({
      ...{ databaseUrl: value.DATABASE_URL, connectionsMax: value.SVC_DATABASE_CONNECTIONS },
      ...sealing(keys.value, () => rereadMasterKeys(keySource)),
      openedRanges: value.SVC_WEBHOOK_ALLOW_CIDRS,
      retryDelaysMs: value.SVC_WEBHOOK_RETRY_DELAYS,
      threads: value.SVC_DISPATCHER_THREADS,
      dataDir: value.SVC_DATA_DIR,
      metrics: metricsAddress(value.SVC_METRICS_HOST, value.SVC_DISPATCHER_PORT),
      retentionMs: value.SVC_EVENT_RETENTION,
      unmatchedRetentionMs: value.SVC_UNMATCHED_RETENTION,
      identity: url === null || key === null ? null : { url: url.replace(/\/+$/, ''), key },
      lists: lists.value,
      publicUrl: publicUrlOf(value),
      push: push.value,
      ...{ google, smtp, processor, anchors },
      ...{ identityRetentionMs: value.SVC_IDENTITY_RETENTION, traces: traceConfig(value) },
      misspelt: misspeltSettings(environment),
      logLevel: value.SVC_LOG_LEVEL,
    }),
  }
}

function sealing(...keys: Parameters<typeof sealer>): Pick<DispatcherConfig, 'seal' | 'unseal'> {
  return { seal: sealer(...keys), unseal: unsealer(...keys) }
}

function readAnchors(
  value: Settings<(typeof DISPATCHER_SETTINGS)[number]>,
  problems: string[],
): AnchorTarget | null {
  const { SVC_AUDIT_ANCHORS: place, SVC_AUDIT_ANCHORS_SECRET: secret } = value
  if (place === null || 'path' in place) return place
  if (value.SVC_ENVIRONMENT === 'live' && place.url.startsWith('http:'))
    problems.push('SVC_AUDIT_ANCHORS must be a file or https in live')
  if (secret !== null) return { ...place, secret }
  problems.push('SVC_AUDIT_ANCHORS_SECRET must be set: it signs what is posted')
  return null
}

function readPush(
  value: Settings<(typeof DISPATCHER_SETTINGS)[number]>,
): Result<PushSettings | null, readonly string[]> {
  const problems: string[] = []
  const issuer = readAppleIssuer(value, problems)
  const { SVC_APPLE_PUSH_URL: url, SVC_APPLE_PUSH_AUTHORITY: path } = value
  const authority = readPem('SVC_APPLE_PUSH_AUTHORITY', path, problems)?.pem ?? null
  if (problems.length > 0) return { ok: false, error: problems }
  return { ok: true, value: issuer === null ? null : { issuer, url, authority } }
}
