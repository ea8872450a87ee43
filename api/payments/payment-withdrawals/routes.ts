// The endpoints of withdrawals.

import { Type } from '../../../shared/schema-builders.ts'
import { ASSERTION_INPUT } from '../../../shared/schemas/assertion-input.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  PAYMENT_WITHDRAWAL_STATUSES,
  PaymentWithdrawal,
  PaymentWithdrawalOfTenant,
} from '../../../shared/schemas/payment-withdrawal.ts'
import { ExternalId, TENANT_FIELDS_INPUT } from '../../../shared/schemas/tenant-fields.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import { Cents, CONFIRMATION_S, DAY_S, READ, WRITE } from '../route-parts.ts'
import { type ConfirmWithdrawalPorts, confirmWithdrawal } from './confirm.ts'
import {
  cancelWithdrawal,
  createWithdrawal,
  linkWithdrawal,
  type WithdrawalPorts,
} from './create.ts'
import { cancelAnyWithdrawal, readAllWithdrawals } from './operate.ts'
import { readWithdrawal, readWithdrawals } from './read.ts'

/** The parts of the process that the endpoints of withdrawals use. */
export interface WithdrawalRoutePorts extends WithdrawalPorts, ConfirmWithdrawalPorts {}

export const paymentWithdrawalRoutes: readonly Route<WithdrawalRoutePorts>[] = [
  route({
    ...READ,
    method: 'GET',
    paths: ['/v1/payment_withdrawals'],
    summary: 'Lists withdrawals from payment accounts, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...PAYMENT_WITHDRAWAL_STATUSES])),
      payment_account_id: IdFilter,
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(PaymentWithdrawal),
    run: (context, { query }) => readWithdrawals(context, query),
  }),
  route({
    ...READ,
    method: 'GET',
    paths: ['/v1/payment_withdrawals/:id'],
    summary: 'Shows a withdrawal, and its transaction once one was sent.',
    params: IdParams,
    answer: PaymentWithdrawal,
    run: (context, { params }) => readWithdrawal(context, params.id),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_accounts/:id/withdrawals'],
    summary: 'Begins a withdrawal, which the holder approves with the passkey on a page.',
    params: IdParams,
    body: closed({
      amount_cents: described(Cents, 'In US cents, at most what is available.'),
      to_address: described(
        Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
        'The address that is paid, with its checksum (EIP-55).',
      ),
      confirmation_expires_in: described(
        Type.Optional(Type.Integer({ minimum: 60, maximum: DAY_S })),
        'Seconds that the holder has to approve: a minute to a day.',
      ),
      ...TENANT_FIELDS_INPUT,
    }),
    answer: PaymentWithdrawal,
    status: 201,
    run: (context, { params, body }, ports: WithdrawalPorts) =>
      createWithdrawal(
        context,
        {
          paymentAccountId: params.id,
          amountCents: body.amount_cents,
          recipient: body.to_address,
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
    paths: ['/v1/payment_withdrawals/:id/confirmation_links'],
    summary: 'Makes a fresh link to the page on which the holder approves; earlier links end.',
    params: IdParams,
    answer: PaymentWithdrawal,
    run: (context, { params }, ports: WithdrawalPorts) => linkWithdrawal(context, params.id, ports),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_withdrawals/:id/confirm'],
    summary: 'Confirms a withdrawal with an assertion of the holder’s passkey, as its page does.',
    params: IdParams,
    body: closed({ ...ASSERTION_INPUT }),
    answer: PaymentWithdrawal,
    run: (context, { params, body }, ports: ConfirmWithdrawalPorts) =>
      confirmWithdrawal(context, { id: params.id, assertion: body }, ports),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_withdrawals/:id/cancel'],
    summary: 'Cancels a withdrawal that the holder has not approved.',
    params: IdParams,
    answer: PaymentWithdrawal,
    run: (context, { params }) => cancelWithdrawal(context, params.id),
  }),
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/payment_withdrawals'],
    summary: 'Lists withdrawals of every tenant, newest first.',
    query: closed({
      ...PAGE_QUERY,
      status: Type.Optional(Type.Enum([...PAYMENT_WITHDRAWAL_STATUSES])),
      tenant_id: IdFilter,
      payment_account_id: IdFilter,
    }),
    answer: PageOf(PaymentWithdrawalOfTenant),
    run: (context, { query }) => readAllWithdrawals(context, query),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/payment_withdrawals/:id/cancel'],
    summary: 'Cancels a withdrawal, or asks the settler to while its transaction is in no block.',
    params: IdParams,
    answer: PaymentWithdrawal,
    run: (context, { params }) => cancelAnyWithdrawal(context, params.id),
  }),
]
