// Only this module makes a card's row public: GET, list and every card.* event use it.
import { unixSeconds } from '../../../shared/clock.ts'
import type { Card, Limit, Shipping } from '../../../shared/schemas/card.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type {
  CardStatus,
  CardType,
  ControlConfig,
  ControlScope,
  Environment,
} from '../../../shared/wire/config-records.ts'

export interface CardRow {
  id: string
  environment: Environment
  programId: string
  cardholderId: string
  type: CardType
  status: CardStatus
  suspendReason: string | null
  terminateReason: string | null
  token: string
  last4: string
  expMonth: number
  expYear: number
  currency: string
  createdAt: number
  suspendedBy: NonNullable<Card['suspended_by']> | null
  /** The terminated card that this one replaces. */
  replaces: string | null
  /** The first card of its chain of replacements: spend windows are counted under it. */
  windowsId: string
  externalId: string | null
  metadata: Metadata
  nameOnCard: string | null
  shipping: Shipping | null
  /** The controls that bind the card: its own and those of its cardholder and program, if any. */
  controls: readonly { scope: ControlScope; controls: readonly ControlConfig[] }[]
}

/**
 * Chosen: `limits` lists every limit that binds the card, its own first; `scope` names the subject
 * of each.
 */
export function cardView(row: CardRow): Card {
  const binding = bindingControls(row)
  return {
    id: row.id,
    object: 'card',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    type: row.type,
    status: row.status,
    token: row.token,
    last4: row.last4,
    exp_month: row.expMonth,
    exp_year: row.expYear,
    currency: row.currency,
    program_id: row.programId,
    cardholder_id: row.cardholderId,
    external_id: row.externalId,
    metadata: row.metadata,
    name_on_card: row.nameOnCard,
    shipping: row.shipping === null ? null : shippingView(row.shipping),
    limits: binding.flatMap(limitsOf),
    spending_control_ids: binding.map(({ control }) => control.id),
    replaces: row.replaces,
    suspended_by: row.suspendedBy,
    suspend_reason: row.suspendReason,
    terminate_reason: row.terminateReason,
  }
}

/** Restores the order of the schema, because jsonb does not keep the order of keys. */
function shippingView(shipping: Shipping): Shipping {
  const { name, line1, line2, city, state, postal_code, country } = shipping
  const { status, carrier, tracking_number } = shipping
  const address = { name, line1, line2, city, state, postal_code, country }
  return { ...address, status, carrier, tracking_number }
}

/** A card's limits come from its program, its cardholder and itself. */
type CardScope = Exclude<ControlScope, 'payment_account'>
const NEAREST_FIRST: readonly CardScope[] = ['card', 'cardholder', 'program']

interface Binding {
  scope: CardScope
  control: ControlConfig
}

/** Active controls only. */
function bindingControls({ controls }: CardRow): Binding[] {
  const binding: Binding[] = []
  for (const scope of NEAREST_FIRST) {
    const bound = controls.find((each) => each.scope === scope)
    for (const control of bound?.controls ?? [])
      if (control.state === 'active') binding.push({ scope, control })
  }
  return binding
}

function limitsOf({ scope, control }: Binding): Limit[] {
  return control.limits.map((limit) => ({
    id: limit.id,
    scope,
    interval: limit.interval,
    amount_cents: limit.amount_cents,
    count: limit.count,
    currency: limit.currency,
    time_zone: limit.time_zone,
    rolling_seconds: limit.rolling_seconds,
  }))
}
