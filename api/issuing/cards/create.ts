// Issues a card to a cardholder. Spec 6.2, card.created.
import { isCurrency } from '../../../shared/money.ts'
import type { Card } from '../../../shared/schemas/card.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { CardType } from '../../../shared/wire/config-records.ts'
import type { Context } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireFreeExternalId } from '../../write/tenant-fields.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import { requireIssuable } from '../cardholders/index.ts'
import { requireActiveProgram } from '../programs/index.ts'
import { issueCard } from './issue.ts'
import { recordCardEvent } from './move.ts'
import { type LimitInput, writeCardLimits } from './replace-limits.ts'
import { type AddressInput, shippingTo } from './shipping.ts'
import { insertCard, type NewCard, rereadCard } from './store.ts'
import { cardView } from './view.ts'

/** Repeating the call would create another card. */
const ADVICE = 'GET resource_id shows it; this call would make another.'
/** Chosen: the currency of a card if neither it nor its program names one. */
const CURRENCY_DEFAULT = 'USD'

export interface CardInput {
  cardholder_id: string
  type: CardType
  currency?: string
  name_on_card?: string
  shipping?: AddressInput
  limits?: readonly LimitInput[]
  external_id?: string
  metadata?: Metadata
}

/**
 * A virtual card works from the answer on, a physical one once it is activated. The server never
 * repeats this call, because each run creates another card. Refuses while the program is not
 * active, and for cardholders who may have no card.
 */
export async function createCard(context: Context, input: CardInput): Promise<Card> {
  const { principal } = context
  const made = newCard(context, input)
  const change = async (sql: TxSql) => {
    const { programId } = await requireIssuable(sql, principal, input.cardholder_id)
    const program = await requireActiveProgram(sql, principal, programId)
    await requireFreeExternalId(sql, principal, { table: 'cards', ...made })
    const currency = input.currency ?? program.currency ?? CURRENCY_DEFAULT
    const card = { ...made, programId, currency }
    await issueCard(sql, context, (number) => insertCard(sql, principal, card, number))
    const { limits = [] } = input
    const row = await rereadCard(sql, principal, card.id)
    await writeCardLimits(sql, context, row, limits)
    const shown = cardView(await rereadCard(sql, principal, card.id))
    await recordCardEvent(sql, context, 'card.created', shown)
    return shown
  }
  return writeConfirmed(context, change, { advice: ADVICE })
}

/** The card without the values that its program gives. */
function newCard(context: Context, input: CardInput): Omit<NewCard, 'programId' | 'currency'> {
  const { type, currency } = input
  if (currency !== undefined && !isCurrency(currency)) {
    throw new Refusal('parameter_invalid', {
      param: 'currency',
      message: currency + ' is no currency that is known here.',
    })
  }
  return {
    id: context.newId('card'),
    cardholderId: input.cardholder_id,
    type,
    status: type === 'virtual' ? 'active' : 'issued',
    nameOnCard: input.name_on_card ?? null,
    shipping: shippingOf(input),
    externalId: input.external_id ?? null,
    metadata: input.metadata ?? {},
    now: context.now,
  }
}

/** Chosen: a physical card needs an address, a virtual one has none. */
function shippingOf({ type, shipping }: CardInput) {
  if (type === 'physical') {
    if (shipping === undefined) throw new Refusal('parameter_missing', { param: 'shipping' })
    return shippingTo(shipping)
  }
  if (shipping === undefined) return null
  throw new Refusal('parameter_invalid', {
    param: 'shipping',
    message: 'A virtual card is not sent to anybody.',
  })
}
