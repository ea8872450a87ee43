// The fields of every record in one table: it checks the records of the control socket and gives
// the stored rows their order.
import { isMinorUnits } from '../../shared/money.ts'
import type {
  ConfigChange,
  ConfigRecord,
  ConfigType,
  ControlConfig,
  LimitConfig,
} from '../../shared/wire/config-records.ts'
import { type Row, recordOf, rowOf } from '../../shared/wire/rows.ts'

type Check = (value: unknown) => boolean
type ConfigOf<Type extends ConfigType> = Extract<ConfigRecord, { type: Type }>
type Checks<Part> = { readonly [Field in keyof Part]: Check }
type Fields = { readonly [Type in ConfigType]: Checks<Omit<ConfigOf<Type>, 'type'>> }

/** LMDB keys end at 1978 bytes, so no part of a key may be longer than this. */
const KEY_CHARS_MAX = 256

const text: Check = (value) => typeof value === 'string'
const keyText: Check = (value) =>
  typeof value === 'string' && value.length > 0 && value.length <= KEY_CHARS_MAX
const textOrNull: Check = (value) => value === null || text(value)
const flag: Check = (value) => typeof value === 'boolean'
const whole: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value)

const environment = oneOf('sandbox', 'live')
const INTERVALS = ['per_authorization', 'daily', 'weekly', 'monthly', 'yearly', 'all_time']

const boundOrNull: Check = (value) => value === null || whole(value)
const flagOrNull: Check = (value) => value === null || flag(value)
const wordsOrNull: Check = (value) => value === null || listOf(text)(value)

/** A value with exactly such fields. */
const shape =
  (fields: { readonly [field: string]: Check }): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([field, check]) => check(value[field]))
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)

const rule: Check = (value) =>
  value === null ||
  (isObject(value) && oneOf('allow', 'block')(value['mode']) && listOf(text)(value['values']))

const LIMIT: Checks<LimitConfig> = {
  id: text,
  interval: oneOf(...INTERVALS, 'rolling'),
  amount_cents: orNull(isMinorUnits),
  count: boundOrNull,
  currency: text,
  time_zone: text,
  rolling_seconds: boundOrNull,
  filter: orNull(
    shape({
      mccs: wordsOrNull,
      countries: wordsOrNull,
      kinds: wordsOrNull,
      card_present: flagOrNull,
    }),
  ),
}

const CONTROL: Checks<ControlConfig> = {
  id: text,
  version: whole,
  state: oneOf('active', 'draft'),
  mccs: rule,
  merchants: rule,
  countries: rule,
  currencies: rule,
  entry_methods: rule,
  card_presence: rule,
  kinds: rule,
  wallets: rule,
  schedule: listOf(
    shape({ days: listOf(whole), from_minute: whole, until_minute: whole, time_zone: text }),
  ),
  limits: listOf(shape(LIMIT)),
  authentication: oneOf('required', null),
  fallback: oneOf('blocked', null),
  single_use: orNull(shape({ mode: oneOf('exact', 'max'), amount_cents: boundOrNull })),
  merchant_lock: flag,
  cancel_after: boundOrNull,
}

const standInPolicy = shape({
  version: whole,
  action: oneOf('controls', 'decline'),
  max_per_authorization_cents: boundOrNull,
  max_per_card_per_day_cents: boundOrNull,
  max_per_hour_cents: boundOrNull,
  excluded_kinds: listOf(text),
})

const creditLimit = shape({
  per_authorization_cents: boundOrNull,
  per_card_per_day_cents: boundOrNull,
})

const fraudRule = shape({
  name: oneOf('card_testing', 'cvc_failures', 'pin_failures'),
  state: oneOf('draft', 'active', 'off'),
  count: whole,
  seconds: whole,
  amount_cents: boundOrNull,
})

const holdExpiry = shape({
  mccs: wordsOrNull,
  card_present: flagOrNull,
  initiator: oneOf('cardholder', 'merchant', null),
  hours: whole,
})

const holdAdjustment = shape({
  mccs: listOf(text),
  mode: oneOf('replace', 'add_percent', 'add_amount'),
  value: whole,
  max_cents: boundOrNull,
})

const FIELDS: Fields = {
  root: { id: oneOf('root'), version: whole, sealed: text },
  network_key: { id: keyText, version: whole, network: text, environment, sealed_secret: text },
  program: {
    id: keyText,
    version: whole,
    tenant_id: text,
    environment,
    status: oneOf('pending', 'active', 'suspended'),
    realtime: flag,
    endpoint_id: textOrNull,
    stand_in: oneOf('controls', 'decline'),
    time_zone: text,
    api_version: text,
    realtime_entitled: flag,
    stand_in_policy: orNull(standInPolicy),
    fraud_rules: listOf(fraudRule),
    hold_expiry: listOf(holdExpiry),
    hold_adjustments: listOf(holdAdjustment),
    fx_margin_bps: whole,
    clock_offset_ms: whole,
    billing_tolerance_bps: whole,
    billing_mismatch_action: oneOf('decline', 'take_larger'),
    credit_limit: creditLimit,
    // Last: the rows of earlier versions end before them.
    authorizations_closed: flag,
    // Absent: an api of the release before.
    shard: (value) => value === undefined || textOrNull(value),
  },
  cardholder: {
    id: keyText,
    version: whole,
    program_id: text,
    status: oneOf('active', 'inactive'),
    frozen: flag,
  },
  card: {
    id: keyText,
    version: whole,
    tenant_id: text,
    environment,
    program_id: text,
    cardholder_id: text,
    token: keyText,
    fingerprint: keyText,
    last4: text,
    card_type: oneOf('virtual', 'physical', 'account'),
    status: oneOf('issued', 'active', 'suspended', 'terminated'),
    exp_month: whole,
    exp_year: whole,
    cvc_verifier: text,
    currency: text,
    pin_verifier: textOrNull,
    windows_id: keyText,
    suspended_by: textOrNull,
    loss: oneOf('lost', 'stolen', null),
    funded_cents: boundOrNull,
  },
  controls: {
    id: keyText,
    version: whole,
    scope: oneOf('program', 'cardholder', 'card', 'payment_account'),
    controls: listOf(shape(CONTROL)),
  },
  endpoint: {
    id: keyText,
    version: whole,
    tenant_id: text,
    environment,
    url: text,
    status: oneOf('enabled', 'disabled'),
    sealed_secrets: listOf(text),
  },
  fx_rate: { id: keyText, version: whole, rate: text, rate_at_ms: whole },
  authentication: {
    id: keyText,
    version: whole,
    card_id: text,
    result: oneOf('authenticated', 'attempted', 'failed'),
    expires_at_ms: whole,
  },
  wallet_token: {
    id: keyText,
    version: whole,
    card_id: text,
    provider: text,
    status: oneOf('active', 'suspended', 'deactivated'),
  },
}

/** Programs of earlier versions: billing closed none, and there was one shard. */
const EARLIER: { readonly [field: string]: unknown } = { authorizations_closed: false, shard: null }

/**
 * A change as it came over the socket, or null if a field is missing or wrong. Unknown fields are
 * dropped.
 */
export function configChangeOf(value: unknown): ConfigChange | null {
  if (!isObject(value)) return null
  const type = value['type']
  if (!isConfigType(type)) return null
  const { id, version } = value
  if (value['removed'] === true)
    return keyText(id) && whole(version)
      ? { type, id: String(id), version: Number(version), removed: true }
      : null
  for (const [field, check] of Object.entries<Check>(FIELDS[type]))
    if (!check(value[field])) return null
  return configOf(type, configRow(value as unknown as ConfigRecord))
}

/** The fields of a stored row: the type, then those of the record in their order. */
const ROWS = Object.fromEntries(
  Object.entries(FIELDS).map(([type, checks]) => [type, ['type', ...Object.keys(checks)]]),
) as unknown as { readonly [Type in ConfigType]: readonly (keyof ConfigRecord)[] }

const CONTROL_ROW = Object.keys(CONTROL) as (keyof ControlConfig)[]
const LIMIT_ROW = Object.keys(LIMIT) as (keyof LimitConfig)[]

/** The row of a config record; `configOf` reverses it. Controls and their limits are rows too. */
export function configRow(configRecord: ConfigRecord): Row {
  const { type } = configRecord
  if (type !== 'controls') return rowOf(ROWS[type], configRecord)
  const controls = configRecord.controls.map((control) => {
    const limits = control.limits.map((limit) => rowOf(LIMIT_ROW, limit))
    return rowOf(CONTROL_ROW, { ...control, limits })
  })
  return rowOf(ROWS[type], { ...configRecord, controls })
}

/** The config record of a row that begins with its type. */
export function configOf(type: ConfigType, row: Row): ConfigRecord {
  const configRecord = recordOf<ConfigRecord>(ROWS[type], row, type === 'program' ? EARLIER : {})
  return configRecord.type === 'controls'
    ? { ...configRecord, controls: rowsTo(controlOf, configRecord.controls) }
    : configRecord
}

function controlOf(row: Row): ControlConfig {
  const control = recordOf<ControlConfig>(CONTROL_ROW, row, {})
  return { ...control, limits: rowsTo(limitOf, control.limits) }
}

function limitOf(row: Row): LimitConfig {
  return recordOf<LimitConfig>(LIMIT_ROW, row, {})
}

/** A list of rows in place of a list of `Part`. */
function rowsTo<Part>(partOf: (row: Row) => Part, rows: readonly unknown[]): Part[] {
  return rows.map((row) => partOf(row as Row))
}

/** True for the name of a record that this engine keeps. */
export function isConfigType(value: unknown): value is ConfigType {
  return typeof value === 'string' && Object.hasOwn(FIELDS, value)
}

function isObject(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
