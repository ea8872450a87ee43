// Names of the settings of the api, the dispatcher and the settler. Their help reads them, so
// this file imports no code.
import type { SettingName } from '../shared/settings.ts'

/** Settings of the address at which the api is reached. */
export const PUBLIC_URL_SETTINGS = [
  'SVC_PUBLIC_URL',
  'SVC_API_HOST',
  'SVC_API_PORT',
  'SVC_API_TLS_CERT',
] as const

/** Settings of the Google account. */
export const GOOGLE_SETTINGS = [
  'SVC_GOOGLE_WALLET_ACCOUNT',
  'SVC_GOOGLE_WALLET_ISSUER',
  'SVC_GOOGLE_WALLET_URL',
  'SVC_GOOGLE_PAY_URL',
  'SVC_GOOGLE_WALLET_RATE',
] as const

/** Settings of the chains on which payments are settled. */
const CHAIN_SETTINGS = ['SVC_CHAIN_SANDBOX', 'SVC_CHAIN_LIVE'] as const

/** Settings of the payment processor that collects what tenants owe. */
const BILLING_SETTINGS = [
  'SVC_STRIPE_KEY_SANDBOX',
  'SVC_STRIPE_KEY_LIVE',
  'SVC_STRIPE_URL',
  'SVC_STRIPE_RATE',
] as const

/** Settings of traces. */
const TRACE_SETTINGS = ['SVC_TRACES_URL', 'SVC_TRACES_SHARE'] as const

/** Settings of the api. */
export const API_SETTINGS = [
  'SVC_DATA_DIR',
  ...PUBLIC_URL_SETTINGS,
  'SVC_METRICS_HOST',
  'SVC_API_METRICS_PORT',
  'SVC_API_TLS_KEY',
  'DATABASE_URL',
  'SVC_LINK_DATABASE_URL',
  'SVC_DATABASE_CONNECTIONS',
  'SVC_ENGINE_SOCKET',
  'SVC_SHARDS',
  'SVC_DOOR_SOCKET',
  'SVC_ENGINE_HOST',
  'SVC_ENGINE_PORT',
  'SVC_ENGINE_TLS_CERT',
  'SVC_MASTER_KEY',
  'SVC_ENVIRONMENT',
  'SVC_AUTH_URL',
  'SVC_SIGN_UP',
  'SVC_PANEL_MS',
  'SVC_MAIL_FROM',
  'SVC_APPLE_PASS_CERT',
  'SVC_APPLE_PASS_KEY',
  'SVC_APPLE_PASS_AUTHORITY',
  ...GOOGLE_SETTINGS,
  'SVC_WEBHOOK_ALLOW_CIDRS',
  'SVC_TRUSTED_PROXIES',
  'SVC_OPERATOR_CIDRS',
  'SVC_IDENTITY_SECRET',
  'SVC_SCREENING_LISTS',
  ...CHAIN_SETTINGS,
  ...BILLING_SETTINGS,
  'SVC_STRIPE_WEBHOOK_SECRET_SANDBOX',
  'SVC_STRIPE_WEBHOOK_SECRET_LIVE',
  'SVC_HOLDER_URL',
  ...TRACE_SETTINGS,
  'SVC_LOG_LEVEL',
] as const satisfies readonly SettingName[]

/** Settings of the settler. */
export const SETTLER_SETTINGS = [
  'DATABASE_URL',
  'SVC_DATABASE_CONNECTIONS',
  'SVC_DATA_DIR',
  'SVC_MASTER_KEY',
  'SVC_ENVIRONMENT',
  ...CHAIN_SETTINGS,
  'SVC_METRICS_HOST',
  'SVC_SETTLER_PORT',
  'SVC_LOG_LEVEL',
] as const satisfies readonly SettingName[]

/** Settings of the dispatcher. */
export const DISPATCHER_SETTINGS = [
  'DATABASE_URL',
  'SVC_DATABASE_CONNECTIONS',
  'SVC_DATA_DIR',
  ...PUBLIC_URL_SETTINGS,
  'SVC_MASTER_KEY',
  'SVC_ENVIRONMENT',
  'SVC_WEBHOOK_ALLOW_CIDRS',
  'SVC_WEBHOOK_RETRY_DELAYS',
  'SVC_DISPATCHER_THREADS',
  'SVC_METRICS_HOST',
  'SVC_DISPATCHER_PORT',
  'SVC_EVENT_RETENTION',
  'SVC_IDENTITY_RETENTION',
  'SVC_UNMATCHED_RETENTION',
  'SVC_AUDIT_ANCHORS',
  'SVC_AUDIT_ANCHORS_SECRET',
  'SVC_IDENTITY_URL',
  'SVC_IDENTITY_KEY',
  'SVC_SMTP_URL',
  'SVC_SMTP_AUTHORITY',
  'SVC_MAIL_FROM',
  'SVC_SCREENING_LISTS',
  'SVC_APPLE_PASS_CERT',
  'SVC_APPLE_PASS_KEY',
  'SVC_APPLE_PASS_AUTHORITY',
  'SVC_APPLE_PUSH_URL',
  'SVC_APPLE_PUSH_AUTHORITY',
  ...GOOGLE_SETTINGS,
  ...BILLING_SETTINGS,
  ...TRACE_SETTINGS,
  'SVC_LOG_LEVEL',
] as const satisfies readonly SettingName[]
