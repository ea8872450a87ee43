// The endpoints of payment accounts.

import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  PAYMENT_ACCOUNT_STATUSES,
  PaymentAccount,
} from '../../../shared/schemas/payment-account.ts'
import { ExternalId, TENANT_FIELDS_INPUT } from '../../../shared/schemas/tenant-fields.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, Reason, type Route, route } from '../../http/route.ts'
import { READ, WRITE } from '../route-parts.ts'
import { createPaymentAccount, linkEnrolment, type PaymentAccountPorts } from './create.ts'
import { movePaymentAccount } from './move.ts'
import { readPaymentAccount, readPaymentAccounts } from './read.ts'

export const paymentAccountRoutes: readonly Route<PaymentAccountPorts>[] = [
  route({
    ...READ,
    method: 'GET',
    paths: ['/v1/payment_accounts'],
    summary: 'Lists payment accounts, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...PAYMENT_ACCOUNT_STATUSES])),
      cardholder_id: IdFilter,
      program_id: IdFilter,
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(PaymentAccount),
    run: (context, { query }) => readPaymentAccounts(context, query),
  }),
  route({
    ...READ,
    method: 'GET',
    paths: ['/v1/payment_accounts/:id'],
    summary: 'Shows a payment account: its address, its passkey and its cents.',
    params: IdParams,
    answer: PaymentAccount,
    run: (context, { params }) => readPaymentAccount(context, params.id),
  }),
  route({
    ...WRITE,
    entitled: 'issuing',
    method: 'POST',
    paths: ['/v1/payment_accounts'],
    summary: 'Opens a payment account for an approved cardholder, who enrols a passkey on a page.',
    body: closed({
      cardholder_id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
      recovery_address: described(
        Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })),
        'An address with its checksum (EIP-55) that may withdraw everything to itself, nine days after it asked for it, for a holder who lost the passkey.',
      ),
      ...TENANT_FIELDS_INPUT,
    }),
    answer: PaymentAccount,
    status: 201,
    run: (context, { body }, ports: PaymentAccountPorts) =>
      createPaymentAccount(
        context,
        {
          cardholderId: body.cardholder_id,
          recoveryAddress: body.recovery_address ?? null,
          externalId: body.external_id ?? null,
          metadata: body.metadata ?? {},
        },
        ports,
      ),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_accounts/:id/enrolment_links'],
    summary: 'Makes a fresh link to the enrolment page, valid for a day; earlier links end.',
    params: IdParams,
    answer: PaymentAccount,
    run: (context, { params }, ports: PaymentAccountPorts) =>
      linkEnrolment(context, params.id, ports),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_accounts/:id/suspend'],
    summary: 'Suspends a payment account: every payment is declined until it is resumed.',
    params: IdParams,
    body: closed({ reason: Reason }),
    answer: PaymentAccount,
    run: (context, { params, body }) =>
      movePaymentAccount(context, {
        id: params.id,
        move: 'suspend',
        reason: body.reason ?? 'requested',
      }),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_accounts/:id/resume'],
    summary: 'Resumes a suspended payment account.',
    params: IdParams,
    answer: PaymentAccount,
    run: (context, { params }) =>
      movePaymentAccount(context, { id: params.id, move: 'resume', reason: null }),
  }),
]
