// The endpoints of payments.

import { Type } from '../../../shared/schema-builders.ts'
import { ASSERTION_INPUT } from '../../../shared/schemas/assertion-input.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { PAYMENT_STATUSES, Payment } from '../../../shared/schemas/payment.ts'
import { PaymentAccount } from '../../../shared/schemas/payment-account.ts'
import { ExternalId, TENANT_FIELDS_INPUT } from '../../../shared/schemas/tenant-fields.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import type { ConfirmPorts } from '../passkeys/approval.ts'
import { Cents, CONFIRMATION_S, DAY_S, HOUR_S, Id, READ, Words, WRITE } from '../route-parts.ts'
import { createPayment, linkConfirmation, type PaymentPorts } from './authorize.ts'
import { capturePayment } from './capture.ts'
import { closePaymentAccount } from './close-account.ts'
import { confirmPayment } from './confirm.ts'
import type { PaymentEnginePort } from './engine.ts'
import { readPayment, readPayments } from './read.ts'
import { refundPayment } from './refund.ts'
import { voidPayment } from './release.ts'
import { abandonSettlement, retrySettlement } from './settle-again.ts'

const EXPIRES_IN_S = 7 * DAY_S

/** The parts of the process that the endpoints of payments use. */
export interface PaymentRoutePorts extends PaymentPorts, ConfirmPorts {}

const READS: readonly Route[] = [
  route({
    ...READ,
    method: 'GET',
    paths: ['/v1/payments'],
    summary: 'Lists payments, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...PAYMENT_STATUSES])),
      payment_account_id: IdFilter,
      cardholder_id: IdFilter,
      settlement_account_id: IdFilter,
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(Payment),
    run: (context, { query }) => readPayments(context, query),
  }),
  route({
    ...READ,
    method: 'GET',
    paths: ['/v1/payments/:id'],
    summary: 'Shows a payment: its status, its captures and its refunds.',
    params: IdParams,
    answer: Payment,
    run: (context, { params }) => readPayment(context, params.id),
  }),
]

const BEGIN: readonly Route<PaymentRoutePorts>[] = [
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payments'],
    summary: 'Begins a payment: it is declined, or waits for the holder. Look at its status.',
    body: closed({
      payment_account_id: described(Id, 'The account that pays.'),
      settlement_account_id: described(Id, 'The account that is paid.'),
      amount_cents: described(Cents, 'The amount, in US cents.'),
      currency: described(Type.Optional(Type.Literal('USD')), 'US dollars only.'),
      description: described(Type.Optional(Words), 'Text that the holder reads before approving.'),
      expires_in: described(
        Type.Optional(Type.Integer({ minimum: HOUR_S, maximum: EXPIRES_IN_S })),
        'Seconds until what is not captured is released: an hour to 7 days.',
      ),
      confirmation_expires_in: described(
        Type.Optional(Type.Integer({ minimum: 60, maximum: DAY_S })),
        'Seconds that the holder has to approve: a minute to a day.',
      ),
      ...TENANT_FIELDS_INPUT,
    }),
    answer: Payment,
    status: 201,
    run: (context, { body }, ports: PaymentRoutePorts) =>
      createPayment(
        context,
        {
          paymentAccountId: body.payment_account_id,
          settlementAccountId: body.settlement_account_id,
          amountCents: body.amount_cents,
          description: body.description ?? null,
          expiresIn: body.expires_in ?? EXPIRES_IN_S,
          confirmationExpiresIn: body.confirmation_expires_in ?? CONFIRMATION_S,
          externalId: body.external_id ?? null,
          metadata: body.metadata ?? {},
        },
        ports,
      ),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payments/:id/confirmation_links'],
    summary: 'Makes a fresh link to the page on which the holder approves; earlier links end.',
    params: IdParams,
    answer: Payment,
    run: (context, { params }, ports: PaymentRoutePorts) =>
      linkConfirmation(context, params.id, ports),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payments/:id/confirm'],
    summary: 'Confirms a payment with an assertion of the holder’s passkey, as its page does.',
    params: IdParams,
    body: closed({ ...ASSERTION_INPUT }),
    answer: Payment,
    run: (context, { params, body }, ports: PaymentRoutePorts) =>
      confirmPayment(context, { id: params.id, assertion: body }, ports),
  }),
]

const MOVES: readonly Route<PaymentEnginePort>[] = [
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payments/:id/capture'],
    summary: 'Captures a confirmed payment, or a part of it; it lands with a settlement batch.',
    params: IdParams,
    body: closed({
      amount_cents: described(Type.Optional(Cents), 'The amount, in US cents.'),
      final: described(Type.Optional(Type.Boolean()), 'Whether the rest is released at once.'),
    }),
    answer: Payment,
    run: (context, { params, body }, port: PaymentEnginePort) =>
      capturePayment(
        context,
        { id: params.id, amountCents: body.amount_cents ?? null, final: body.final ?? true },
        port,
      ),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payments/:id/void'],
    summary: 'Releases what is left of a payment; not while a capture is in flight.',
    params: IdParams,
    answer: Payment,
    run: (context, { params }, port: PaymentEnginePort) => voidPayment(context, params.id, port),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payments/:id/refund'],
    summary: 'Refunds what landed, or a part of it; the refund lands with a settlement batch.',
    params: IdParams,
    body: closed({
      amount_cents: described(Type.Optional(Cents), 'The amount, in US cents.'),
    }),
    answer: Payment,
    run: (context, { params, body }) =>
      refundPayment(context, { id: params.id, amountCents: body.amount_cents ?? null }),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_accounts/:id/close'],
    summary: 'Closes a payment account for ever: without money and open payments or withdrawals.',
    params: IdParams,
    answer: PaymentAccount,
    run: (context, { params }) => closePaymentAccount(context, params.id),
  }),
]

const OPERATOR_ROUTES: readonly Route<PaymentEnginePort>[] = [
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/payments/:id/retry'],
    summary: 'Queues the failed captures of a payment for another settlement batch.',
    params: IdParams,
    answer: Payment,
    run: (context, { params }) => retrySettlement(context, params.id),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/payments/:id/abandon'],
    summary: 'Gives up the failed captures of a payment, and releases what is left of it.',
    params: IdParams,
    answer: Payment,
    run: (context, { params }, port: PaymentEnginePort) =>
      abandonSettlement(context, params.id, port),
  }),
]

export const paymentRoutes: readonly Route<PaymentRoutePorts>[] = [
  ...READS,
  ...BEGIN,
  ...MOVES,
  ...OPERATOR_ROUTES,
]
