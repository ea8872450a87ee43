// Customers and their payment methods.
import { type Form, formIn, integerIn, metadataIn, textIn } from './form.ts'
import type { CardStory, Customer, PaymentMethod } from './objects.ts'
import { declined, invalid, missing } from './problem.ts'
import type { PeerStore } from './store.ts'

type Emit = (type: string, object: object) => void

export interface CustomerWorld {
  store: PeerStore
  emit: Emit
}

/** Cards of the processor's documentation, by their names as tokens and by their numbers. */
const CARDS: readonly { token: string; number: string; brand: string; story: CardStory }[] = [
  { token: 'pm_card_visa', number: '4242424242424242', brand: 'visa', story: 'paid' },
  { token: 'pm_card_mastercard', number: '5555555555554444', brand: 'mastercard', story: 'paid' },
  {
    ...{ token: 'pm_card_chargeCustomerFail', number: '4000000000000341', brand: 'visa' },
    story: 'declined',
  },
  {
    ...{ token: 'pm_card_authenticationRequired', number: '4000002500003155', brand: 'visa' },
    story: 'authentication',
  },
  {
    ...{ token: 'pm_card_chargeCustomerFailLost', number: '4000000000009987', brand: 'visa' },
    story: 'lost',
  },
]

const YEARS_AHEAD = 8

export function storyOf(method: PaymentMethod): CardStory {
  return (method.metadata['peer_story'] as CardStory | undefined) ?? 'paid'
}

export function createCustomer({ store, emit }: CustomerWorld, form: Form): Customer {
  const customer = store.put('customer', {
    ...{ id: store.newId('cus'), object: 'customer', created: store.nowS, livemode: false },
    ...{ balance: integerIn(form, 'balance') ?? 0, currency: null, metadata: metadataIn(form) },
    ...{ email: textIn(form, 'email'), name: textIn(form, 'name') },
    invoice_settings: { default_payment_method: null },
  })
  emit('customer.created', customer)
  return customer
}

/** Refuses a customer that was deleted. */
export function liveCustomer(store: PeerStore, id: string): Customer {
  const customer = store.get('customer', id)
  if (customer.deleted === true) throw missing('customer', id)
  return customer
}

export function updateCustomer({ store, emit }: CustomerWorld, id: string, form: Form): Customer {
  const customer = liveCustomer(store, id)
  const chosen = textIn(formIn(form, 'invoice_settings'), 'default_payment_method')
  if (chosen !== null && store.find('payment_method', chosen)?.customer !== id)
    throw invalid('The payment method is not attached to the customer.', 'invoice_settings')
  const next = store.put('customer', {
    ...customer,
    balance: integerIn(form, 'balance') ?? customer.balance,
    email: textIn(form, 'email') ?? customer.email,
    name: textIn(form, 'name') ?? customer.name,
    metadata: { ...customer.metadata, ...metadataIn(form) },
    invoice_settings: {
      default_payment_method: chosen ?? customer.invoice_settings.default_payment_method,
    },
  })
  emit('customer.updated', next)
  return next
}

export function deleteCustomer({ store, emit }: CustomerWorld, id: string): object {
  const customer = store.put('customer', { ...liveCustomer(store, id), deleted: true })
  emit('customer.deleted', customer)
  return { id, object: 'customer', deleted: true }
}

export function methodsOf(store: PeerStore, customerId: string): PaymentMethod[] {
  return store.all('payment_method').filter(({ customer }) => customer === customerId)
}

/** Attaches one of the documentation's cards, or a method that was detached before. */
export function attachMethod(world: CustomerWorld, id: string, form: Form): PaymentMethod {
  const { store, emit } = world
  const customer = liveCustomer(store, textIn(form, 'customer') ?? '')
  const card = CARDS.find(({ token }) => token === id)
  const method = card === undefined ? store.get('payment_method', id) : newCard(store, card)
  if (method.customer !== null && method.customer !== customer.id)
    throw invalid('The payment method is attached to another customer.', 'customer')
  const attached = store.put('payment_method', { ...method, customer: customer.id })
  emit('payment_method.attached', attached)
  return attached
}

export function detachMethod({ store, emit }: CustomerWorld, id: string): PaymentMethod {
  const method = store.get('payment_method', id)
  if (method.customer === null) throw invalid('The payment method is attached to nobody.')
  const customer = store.get('customer', method.customer)
  const detached = store.put('payment_method', { ...method, customer: null })
  if (customer.invoice_settings.default_payment_method === id)
    store.put('customer', { ...customer, invoice_settings: { default_payment_method: null } })
  emit('payment_method.detached', detached)
  return detached
}

function newCard(store: PeerStore, card: (typeof CARDS)[number]): PaymentMethod {
  const year = new Date(store.nowMs).getUTCFullYear() + YEARS_AHEAD
  return store.put('payment_method', {
    ...{ id: store.newId('pm'), object: 'payment_method', type: 'card', customer: null },
    ...{ created: store.nowS, livemode: false, metadata: { peer_story: card.story } },
    card: {
      ...{ brand: card.brand, last4: card.number.slice(-4), funding: 'credit' },
      ...{ exp_month: 12, exp_year: year },
    },
  })
}

export interface TypedCard {
  number: string
  expMonth: number
  expYear: number
}

/**
 * Adds the card that a person typed into the portal; it becomes the default. A number that no test
 * card has is declined.
 */
export function addTypedCard(
  world: CustomerWorld,
  customerId: string,
  typed: TypedCard,
): PaymentMethod {
  const { store, emit } = world
  const card = CARDS.find(({ number }) => number === typed.number.replace(/[\s-]/g, ''))
  if (card === undefined) throw declined('card_declined', 'generic_decline')
  const { expMonth: exp_month, expYear: exp_year } = typed
  const isPast = Date.UTC(exp_year, exp_month) <= store.nowMs
  if (!(exp_month >= 1 && exp_month <= 12) || isPast) throw declined('expired_card', null)
  const made = newCard(store, card)
  const method = store.put('payment_method', {
    ...{ ...made, customer: customerId, card: { ...made.card, exp_month, exp_year } },
  })
  emit('payment_method.attached', method)
  makeDefault(world, customerId, method.id)
  return method
}

export function makeDefault(
  { store, emit }: CustomerWorld,
  customerId: string,
  methodId: string,
): void {
  const customer = liveCustomer(store, customerId)
  const invoice_settings = { default_payment_method: methodId }
  emit('customer.updated', store.put('customer', { ...customer, invoice_settings }))
}
