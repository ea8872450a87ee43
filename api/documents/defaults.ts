// The default of an omitted parameter or body field, for the reference: a value, which becomes
// `default` if its schema accepts it, or words. A field with neither states its default in its own
// description, or restricts, adds or changes something only when it is sent.
import { PAGE_DEFAULT } from '../../shared/limits.ts'
import { REVEAL_SECONDS_DEFAULT } from '../../shared/schemas/card-reveal.ts'
import type { Parameter, Schema } from './document.ts'

interface LeftOut {
  value?: unknown
  words?: string
}

const value = (of: unknown): LeftOut => ({ value: of })
const words = (of: string): LeftOut => ({ words: of })
const NULL = words('null')

/**
 * By `operation.field`, by `holder.field`, or by the field alone; the first that is there counts.
 */
const DEFAULTS: { readonly [place: string]: LeftOut } = {
  limit: value(PAGE_DEFAULT),
  order: value('desc'),
  sort: value('created'),
  scale: value(3),
  external_id: NULL,
  metadata: words('none'),
  'createWebhookEndpoint.description': value(''),
  event_types: words('null, every type'),
  'createWebhookEndpointRecovery.event_types': words('every type'),
  dry_run: value(false),
  expires_in: words('never by itself'),
  'createPayment.expires_in': value(604_800),
  'createPayment.currency': value('USD'),
  confirmation_expires_in: value(900),
  'capturePayment.amount_cents': words('everything that is left'),
  'capturePayment.final': value(true),
  'refundPayment.amount_cents': words('everything that landed'),
  'createSettlementAccount.schedule': words('continuously'),
  'createApiKey.scope': words('write for a publishable key; refused for a secret one'),
  'createTenantApiKeyAsOperator.scope': value('admin'),
  'createTenantApiKeyAsOperator.name': value('First key'),
  'createTenantPersonAsOperator.role': value('owner'),
  cidrs: value([]),
  'suspendCard.reason': value('requested'),
  'terminateCard.reason': value('requested'),
  'replaceCard.reason': value('replaced'),
  'revokePass.reason': value('requested'),
  'batchRevokePasses.reason': value('requested'),
  reason: words('none is kept'),
  on_behalf_of: words('you act for yourself'),
  acknowledge_fraud: value(false),
  realtime: value(false),
  stand_in: value('controls'),
  'createProgram.currency': words('null, each card names its own'),
  'createProgram.time_zone': value('UTC'),
  'createProgram.stand_in_policy': words('null'),
  'createProgram.fraud_rules': words(
    'three rules, which the answer shows; only the one about wrong security codes is active',
  ),
  hold_expiry: value([]),
  hold_adjustments: value([]),
  fx_margin_bps: value(0),
  max_per_authorization_cents: NULL,
  max_per_card_per_day_cents: NULL,
  max_per_hour_cents: NULL,
  excluded_kinds: value(['cash_withdrawal', 'quasi_cash', 'original_credit']),
  time_zone: value('UTC'),
  valid_seconds: value(900),
  expires_in_s: value(REVEAL_SECONDS_DEFAULT),
  kind: value('authorization'),
  'createSimulateCardNetworkMessage.transaction_type': value('purchase'),
  'evaluateCard.transaction_type': value('purchase'),
  fallback_from_chip: value(false),
  recurring: value(false),
  initiator: value('cardholder'),
  partial_approval_capable: value(false),
  cashback_cents: value(0),
  fee_cents: value(0),
  is_repeat: value(false),
  'createSimulateCardNetworkMessage.entry_method': value('chip'),
  'evaluateCard.entry_method': value('unknown'),
  logo_text: NULL,
  'colors.background': value('#ffffff'),
  'header.format': value('text'),
  'header.alignment': value('natural'),
  'primary.format': value('text'),
  'primary.alignment': value('natural'),
  'secondary.format': value('text'),
  'secondary.alignment': value('natural'),
  'auxiliary.format': value('text'),
  'auxiliary.alignment': value('natural'),
  'back.format': value('text'),
  'back.alignment': value('natural'),
  label: value(''),
  change_message: NULL,
  'colors.label': words('a colour that is readable on the background'),
  'colors.foreground': words('a colour that is readable on the background'),
  'nfc.message': value('{{payload}}'),
  'barcode.message': value('{{payload}}'),
  alt_text: NULL,
  requires_authentication: value(false),
  one_time: value(false),
  relevant_at: NULL,
  barcode: NULL,
  nfc: NULL,
  locations: value([]),
  medium: value('barcode'),
  holder_name: NULL,
  name_on_card: words('the name of the cardholder'),
  merchant_lock: value(false),
  cancel_after: NULL,
  schedule: value([]),
  filters: NULL,
  rolling_seconds: NULL,
  explanation: NULL,
  note: NULL,
}

const QUERY_DEFAULTS: ReadonlySet<string> = new Set(['limit', 'order', 'sort', 'scale'])
const LISTED = /^(allowed|blocked)_/

function leftOut(operation: string, holder: string, field: string): LeftOut | undefined {
  return (
    DEFAULTS[operation + '.' + field] ??
    DEFAULTS[holder + '.' + field] ??
    DEFAULTS[field] ??
    (LISTED.test(field) ? NULL : undefined)
  )
}

/** The parameter with its default; as it is where it has none, or has to be sent. */
export function withDefault(
  operation: string,
  parameter: Parameter | { $ref: string },
): Parameter | { $ref: string } {
  if (!('name' in parameter) || parameter.required || parameter.in !== 'query') return parameter
  // A filter of a list restricts nothing where it is left out.
  if (!QUERY_DEFAULTS.has(parameter.name)) return parameter
  const found = leftOut(operation, '', parameter.name)
  if (found?.value === undefined) return parameter
  return { ...parameter, schema: { ...parameter.schema, default: found.value } }
}

/** The body with the defaults of the fields that may be left out, at every depth. */
export function withDefaults(operation: string, schema: Schema, holder = ''): Schema {
  const { properties, required = [], items, anyOf } = schema
  const inner = (part: Schema): Schema => withDefaults(operation, part, holder)
  return {
    ...schema,
    ...(items !== undefined && { items: inner(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(inner) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => {
          const whole = withDefaults(operation, part, name)
          const found = required.includes(name) ? undefined : leftOut(operation, holder, name)
          return [name, found === undefined ? whole : defaulted(whole, found)]
        }),
      ),
    }),
  }
}

function defaulted(schema: Schema, { value: given, words: said }: LeftOut): Schema {
  const { description = '' } = schema
  const told = /left out|leaves it out/.test(description)
  if (given !== undefined && fits(schema, given)) return { ...schema, default: given }
  const text = said ?? (given === undefined ? undefined : JSON.stringify(given))
  if (told || text === undefined) return schema
  return { ...schema, description: (description + ' Left out: ' + text + '.').trim() }
}

function fits({ type, enum: values, anyOf }: Schema, given: unknown): boolean {
  if (anyOf !== undefined) return anyOf.some((option) => fits(option, given))
  if (values !== undefined) return values.includes(given)
  const types = [type].flat()
  if (Array.isArray(given)) return types.includes('array')
  if (typeof given === 'number') return types.includes('integer') || types.includes('number')
  return types.includes(typeof given)
}
