// Every environment variable in one table: default, parser, sentence. Each process's config.ts
// picks the rows it uses; the README's table is generated from it. All problems are reported
// together.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseCidrs } from './address.ts'
import { AUDIT_SETTINGS } from './audit-settings.ts'
import { BILLING_SETTINGS } from './billing-settings.ts'
import { CLUSTER_SETTINGS } from './cluster-settings.ts'
import { DATABASE_SETTINGS } from './database-settings.ts'
import { parseMasterKeys } from './keyring.ts'
import { MAIL_SETTINGS } from './mail-settings.ts'
import { METRICS_SETTINGS } from './metrics-settings.ts'
import { PAYMENT_SETTINGS } from './payment-settings.ts'
import type { Result } from './result.ts'
import { RETENTION_SETTINGS } from './retention-settings.ts'
import {
  host,
  integer,
  oneOf,
  optionalPath,
  optionalPort,
  optionalUrl,
  parseClientRules,
  parseDelays,
  parseLists,
  parseNetworkKey,
  parseNetworkSecret,
  parseOperatorKey,
  parseSecretKey,
  parseSecrets,
  type Setting,
  setting,
  wordList,
} from './setting-values.ts'
import { TRACE_SETTINGS } from './trace-settings.ts'
import { WALLET_SETTINGS } from './wallet-settings.ts'

export type { ClientRule } from './setting-values.ts'

/** One processor stays with the thread that hands out deliveries. */
const SENDER_THREADS = Math.min(4, availableParallelism() - 1)
/** The kernel takes 107. */
const SOCKET_PATH_BYTES_MAX = 100

function ok<Value>(value: Value): Result<Value, string> {
  return { ok: true, value }
}

export const SETTINGS = {
  SVC_DATA_DIR: setting({
    fallback: '.data',
    about: 'Directory of all stored data: journal, config cache, keys, embedded PostgreSQL.',
    parse: (text) => (text === '' ? { ok: false, error: 'must not be empty' } : ok(resolve(text))),
  }),
  SVC_API_PORT: setting({
    fallback: '8080',
    about: 'Port of the REST API.',
    parse: integer(1, 65535),
  }),
  SVC_ENGINE_PORT: setting({
    fallback: '8081',
    about: 'Port of the network messages.',
    parse: integer(1, 65535),
  }),
  SVC_API_HOST: setting({
    fallback: '127.0.0.1',
    about: 'Address the REST API listens on.',
    parse: host,
  }),
  SVC_ENGINE_HOST: setting({
    fallback: '127.0.0.1',
    about: 'Address the network port listens on.',
    parse: host,
  }),
  ...DATABASE_SETTINGS,
  SVC_ENGINE_ISO_PORT: setting({
    fallback: '',
    about:
      'Port of the network messages in ISO 8583; closed when unset. `npm start` opens one and writes it to sandbox.json.',
    parse: optionalPort,
  }),
  SVC_ENGINE_ISO_NETWORK: setting({
    fallback: '',
    about:
      'Id of the network key (`nkey_…`) of ISO 8583 links. Unset: SVC_ENGINE_TLS_CLIENTS names the key of each certificate.',
    parse: (text) => ok(text === '' ? null : text),
  }),
  SVC_AUTH_BUDGET_MS: setting({
    fallback: '1500',
    about: 'Milliseconds from receipt until the tenant’s silence becomes stand-in. Spec 8.',
    parse: integer(50, 1500),
  }),
  SVC_WEBHOOK_ALLOW_CIDRS: setting({
    fallback: '',
    about:
      'Private address ranges that tenant endpoints may use, comma-separated. `npm start` opens loopback.',
    parse: parseCidrs,
  }),
  SVC_WEBHOOK_RETRY_DELAYS: setting({
    fallback: '0,30s,5m,2h,22h',
    about:
      'Delay before each of the five attempts of a delivery, each counted from the previous failure.',
    parse: parseDelays,
  }),
  SVC_DISPATCHER_THREADS: setting({
    fallback: '',
    about:
      'Threads of a dispatcher that sign and send; 0: none beside its own. Unset: one less than there are processors, at most 4.',
    parse: (text) => (text === '' ? ok(SENDER_THREADS) : integer(0, 64)(text)),
  }),
  ...RETENTION_SETTINGS,
  ...AUDIT_SETTINGS,
  SVC_IDENTITY_URL: setting({
    fallback: '',
    about:
      'Base URL of the identity provider. Unset: verifications wait. `npm start` runs one of its own in the sandbox.',
    parse: optionalUrl(['http:', 'https:']),
  }),
  SVC_IDENTITY_KEY: setting({
    fallback: '',
    about: 'Our credential at the identity provider.',
    parse: (text) => ok(text === '' ? null : text),
  }),
  SVC_IDENTITY_SECRET: setting({
    fallback: '',
    about:
      'Secret with which the identity provider signs its callbacks to `/partners/identity/callbacks`; two, comma-separated, while one replaces the other. Unset: callbacks are not accepted.',
    parse: parseSecrets,
  }),
  SVC_AUTH_URL: setting({
    fallback: '',
    about:
      'Public base URL of the authorization (OAuth) host, which a challenge_url names; SVC_PUBLIC_URL when unset.',
    parse: optionalUrl(['http:', 'https:']),
  }),
  SVC_SIGN_UP: setting({
    fallback: '',
    about:
      'Whether people may sign themselves up: `open` or `closed`. Unset: open in a sandbox installation, closed in live.',
    parse: (text) => (text === '' ? ok(null) : oneOf<'open' | 'closed'>(['open', 'closed'])(text)),
  }),
  SVC_PANEL_MS: setting({
    fallback: '800',
    about:
      'Milliseconds that a page of the dashboard waits for each of its panels; a late one says so.',
    parse: integer(50, 60_000),
  }),
  SVC_PUBLIC_URL: setting({
    fallback: '',
    about:
      'Public base URL of the API for holders of passes, for their devices and in URLs of answers (pages of errors, challenges); a Host header never decides it. Unset: the address it listens on. The dispatcher needs the same value. Apple’s devices accept https only.',
    parse: optionalUrl(['http:', 'https:']),
  }),
  ...MAIL_SETTINGS,
  ...METRICS_SETTINGS,
  ...TRACE_SETTINGS,
  ...PAYMENT_SETTINGS,
  ...BILLING_SETTINGS,
  ...WALLET_SETTINGS,
  ...CLUSTER_SETTINGS,
  SVC_OUTSIDE_PARTIES: setting({
    fallback: '',
    about:
      'Outside parties that their process plays, comma-separated; `npm start` sets it. Unset: all.',
    parse: wordList,
  }),
  SVC_TRUSTED_PROXIES: setting({
    fallback: '',
    about: 'Address ranges of proxies whose X-Forwarded-For is believed.',
    parse: parseCidrs,
  }),
  SVC_OPERATOR_CIDRS: setting({
    fallback: '127.0.0.0/8,::1/128',
    about: 'Address ranges from which operators reach their pages under /operator.',
    parse: parseCidrs,
  }),
  SVC_MASTER_KEY: setting({
    fallback: '',
    about:
      'Master keys `<id>:<base64 of 32 bytes>`, current first, comma-separated. Unset: `master.key` in the data directory, made at first start; live refuses a generated key.',
    parse: (text) => (text === '' ? ok(null) : parseMasterKeys(text, false)),
  }),
  SVC_OPERATOR_KEY: setting({
    fallback: '',
    about:
      'Credential of an operator (`svc_op_…`), for `npm run operator`; that of the sandbox when unset.',
    parse: parseOperatorKey,
  }),
  SVC_API_KEY: setting({
    fallback: '',
    about:
      'Secret key of a tenant (`svc_sk_…`), for `npm run simulate` and `explain`; those of the sandbox when unset.',
    parse: parseSecretKey,
  }),
  SVC_NETWORK_KEY: setting({
    fallback: '',
    about:
      'Id of the network’s key with which `npm run simulate` signs; that of the sandbox when unset.',
    parse: parseNetworkKey,
  }),
  SVC_NETWORK_SECRET: setting({
    fallback: '',
    about: 'Secret of that network’s key, for `npm run simulate`.',
    parse: parseNetworkSecret,
  }),
  SVC_ENVIRONMENT: setting({
    fallback: 'sandbox',
    about:
      'Environments that this installation serves: `sandbox`, or `live` (both environments; refuses generated master keys).',
    parse: oneOf<'sandbox' | 'live'>(['sandbox', 'live']),
  }),
  SVC_ENGINE_SOCKET: setting({
    fallback: '',
    about:
      'Private control socket of the engine (mode 0600); `engine.sock` in the data directory when unset.',
    parse: (text) => {
      const path = text === '' ? null : resolve(text)
      return path !== null && Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX
        ? { ok: false, error: 'must be at most ' + SOCKET_PATH_BYTES_MAX + ' bytes as a full path' }
        : ok(path)
    },
  }),
  SVC_ENGINE_TLS_CERT: setting({
    fallback: '',
    about:
      'Certificate chain (PEM file) of the network’s ports. Set: they speak TLS 1.2 and 1.3 with AEAD suites only. Read at start.',
    parse: optionalPath,
  }),
  SVC_ENGINE_TLS_KEY: setting({
    fallback: '',
    about: 'Private key (PEM file, without password) of that certificate.',
    parse: optionalPath,
  }),
  SVC_ENGINE_TLS_CLIENT_CA: setting({
    fallback: '',
    about:
      'Authority (PEM file) that signs the networks’ client certificates. Set: sending messages and reading metrics need a certificate.',
    parse: optionalPath,
  }),
  SVC_ENGINE_TLS_CLIENTS: setting({
    fallback: '',
    about:
      'Client certificates of each network key: `<key id>=<DNS name or sha256:fingerprint>`, comma-separated; a key may have several entries. A key without an entry accepts every certificate of the authority.',
    parse: parseClientRules,
  }),
  SVC_ENGINE_ALLOW_CIDRS: setting({
    fallback: '',
    about:
      'Address ranges from which networks and probes reach the engine’s ports, comma-separated; connections from other addresses are closed before anything is read. Unset: all.',
    parse: parseCidrs,
  }),
  SVC_API_TLS_CERT: setting({
    fallback: '',
    about:
      'Certificate chain (PEM file) of the REST API. Set: it speaks TLS 1.3 and 1.2 with AEAD suites only. Read at start.',
    parse: optionalPath,
  }),
  SVC_API_TLS_KEY: setting({
    fallback: '',
    about: 'Private key (PEM file, without password) of that certificate.',
    parse: optionalPath,
  }),
  SVC_JOURNAL_SEGMENT_BYTES: setting({
    fallback: String(64 * 1024 * 1024),
    about: 'Size of one journal segment, written in advance.',
    parse: integer(1024 * 1024, 1024 * 1024 * 1024),
  }),
  SVC_SNAPSHOT_ENTRIES: setting({
    fallback: '500000',
    about: 'Journal entries between two snapshots of the decision state.',
    parse: integer(100, 100_000_000),
  }),
  SVC_SCREENING_LISTS: setting({
    fallback: '',
    about:
      'Lists that cardholders are screened against: `ofac:<directory with sdn.csv and alt.csv>` and `pep:<file>`, comma-separated; read again when they change. Unset: the synthetic sample, which live refuses.',
    parse: parseLists,
  }),
  SVC_LOG_LEVEL: setting({
    fallback: 'info',
    about: 'fatal, error, warn, info, debug or trace.',
    parse: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace']),
  }),
} as const

export type SettingName = keyof typeof SETTINGS
export type SettingValue<Name extends SettingName> =
  (typeof SETTINGS)[Name] extends Setting<infer Value> ? Value : never
export type Settings<Name extends SettingName> = { readonly [Key in Name]: SettingValue<Key> }

/** Reads the named variables; every problem is reported, not only the first. */
export function readSettings<Name extends SettingName>(
  environment: { readonly [name: string]: string | undefined },
  names: readonly Name[],
): Result<Settings<Name>, readonly string[]> {
  const problems: string[] = []
  const values: Partial<Record<SettingName, unknown>> = {}
  for (const name of names) {
    const row: Setting<unknown> = SETTINGS[name]
    const parsed = row.parse((environment[name] ?? row.fallback).trim())
    if (parsed.ok) values[name] = parsed.value
    else problems.push(name + ' ' + parsed.error)
  }
  return problems.length > 0
    ? { ok: false, error: problems }
    : { ok: true, value: values as Settings<Name> }
}

/** The settings a command understands, a line each, for `--help`. */
export function settingsUsage(names: readonly SettingName[]): string {
  const width = Math.max(...names.map((name) => name.length))
  return names
    .map((name) => {
      const { fallback, about } = SETTINGS[name]
      return (
        '  ' +
        name.padEnd(width) +
        '  ' +
        about +
        (fallback === '' ? '' : ' Default: ' + fallback + '.') +
        '\n'
      )
    })
    .join('')
}
