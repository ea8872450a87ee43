// The endpoints of payment methods. Cards are added and removed on the processor's portal alone.
import { Type } from '../../../shared/schema-builders.ts'
import { PaymentMethod, PaymentMethods } from '../../../shared/schemas/billing-payment-method.ts'
import { described } from '../../../shared/schemas/described.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import type { ProcessorPort } from '../processor/index.ts'
import type { BillingPort } from '../require-billing.ts'
import { SIMULATED_CARDS, type SimulatedCard, simulateMethod } from './simulate.ts'
import { findMethod, listMethods } from './store.ts'
import { methodView } from './view.ts'

const PATH = '/v1/billing/payment_methods'
const CARDS = Object.keys(SIMULATED_CARDS) as SimulatedCard[]

export const paymentMethodRoutes: readonly Route<BillingPort & ProcessorPort>[] = [
  route({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists the cards with which you pay, newest first.',
    scope: 'admin',
    answer: PaymentMethods,
    run: (context) => readMethods(context),
  }),
  route({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Shows a card with which you pay or paid.',
    scope: 'admin',
    params: IdParams,
    answer: PaymentMethod,
    run: (context, { params }) => readMethod(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/simulate/payment_methods'],
    summary: 'Plays a person who adds a card on the portal; invoices are then charged to it.',
    scope: 'admin',
    entitled: 'always',
    status: 201,
    sandboxOnly: true,
    body: closed({
      card: described(Type.Enum(CARDS), 'How the card behaves when an invoice is charged to it.'),
    }),
    answer: PaymentMethod,
    run: (context, { body }, ports: BillingPort & ProcessorPort) =>
      simulateMethod(context, body.card, ports),
  }),
]

async function readMethod({ sql, principal }: Context, id: string): Promise<PaymentMethod> {
  const row = await findMethod(sql, principal, id)
  if (row === null) throw new Refusal('resource_missing')
  return methodView(row)
}

async function readMethods({ sql, principal }: Context): Promise<{ data: PaymentMethod[] }> {
  return { data: (await listMethods(sql, principal)).map(methodView) }
}
