// The endpoints of payment mandates.

import { Type } from '../../../shared/schema-builders.ts'
import { ASSERTION_INPUT } from '../../../shared/schemas/assertion-input.ts'
import { described } from '../../../shared/schemas/described.ts'
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import {
  PAYMENT_MANDATE_STATUSES,
  PaymentMandate,
} from '../../../shared/schemas/payment-mandate.ts'
import { ExternalId, TENANT_FIELDS_INPUT } from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdFilter, IdParams, type Route, route } from '../../http/route.ts'
import type { ConfirmPorts } from '../passkeys/approval.ts'
import { Cents, CONFIRMATION_S, DAY_S, HOUR_S, Id, READ, Words, WRITE } from '../route-parts.ts'
import { confirmMandate } from './confirm.ts'
import { createMandate, linkMandate, type MandatePorts, revokeMandate } from './create.ts'
import { findMandate, listMandates, type MandateFilters } from './store.ts'
import { mandateView } from './view.ts'

/** The parts of the process that the endpoints of mandates use. */
export interface MandateRoutePorts extends MandatePorts, ConfirmPorts {}

export const paymentMandateRoutes: readonly Route<MandateRoutePorts>[] = [
  route({
    ...READ,
    method: 'GET',
    paths: ['/v1/payment_mandates'],
    summary: 'Lists payment mandates, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...PAYMENT_MANDATE_STATUSES])),
      payment_account_id: IdFilter,
      settlement_account_id: IdFilter,
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(PaymentMandate),
    run: (context, { query }) => readMandates(context, query),
  }),
  route({
    ...READ,
    method: 'GET',
    paths: ['/v1/payment_mandates/:id'],
    summary: 'Shows a payment mandate: its limit, and how much of it is reserved and used.',
    params: IdParams,
    answer: PaymentMandate,
    run: (context, { params }) => readMandate(context, params.id),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_mandates'],
    summary: 'Begins a mandate: one approval of the holder for many payments to one payee.',
    body: closed({
      payment_account_id: described(Id, 'The account that pays.'),
      settlement_account_id: described(Id, 'The account that is paid.'),
      limit_cents: described(Cents, 'The most that all payments under it take, in US cents.'),
      per_payment_cents: described(
        Type.Optional(Cents),
        'The most that one payment takes, in US cents; the limit when left out.',
      ),
      description: described(Type.Optional(Words), 'Text that the holder reads before approving.'),
      expires_in: described(
        Type.Integer({ minimum: HOUR_S, maximum: 90 * DAY_S }),
        'Seconds until it covers no payment any more: an hour to 90 days.',
      ),
      confirmation_expires_in: described(
        Type.Optional(Type.Integer({ minimum: 60, maximum: DAY_S })),
        'Seconds that the holder has to approve: a minute to a day.',
      ),
      ...TENANT_FIELDS_INPUT,
    }),
    answer: PaymentMandate,
    status: 201,
    run: (context, { body }, ports: MandatePorts) =>
      createMandate(
        context,
        {
          paymentAccountId: body.payment_account_id,
          settlementAccountId: body.settlement_account_id,
          description: body.description ?? null,
          limitCents: body.limit_cents,
          perPaymentCents: body.per_payment_cents ?? null,
          expiresIn: body.expires_in,
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
    paths: ['/v1/payment_mandates/:id/confirmation_links'],
    summary: 'Makes a fresh link to the page on which the holder approves; earlier links end.',
    params: IdParams,
    answer: PaymentMandate,
    run: (context, { params }, ports: MandatePorts) => linkMandate(context, params.id, ports),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_mandates/:id/confirm'],
    summary: 'Confirms a mandate with an assertion of the holder’s passkey, as its page does.',
    params: IdParams,
    body: closed({ ...ASSERTION_INPUT }),
    answer: PaymentMandate,
    run: (context, { params, body }, ports: ConfirmPorts) =>
      confirmMandate(context, { id: params.id, assertion: body }, ports),
  }),
  route({
    ...WRITE,
    method: 'POST',
    paths: ['/v1/payment_mandates/:id/revoke'],
    summary: 'Revokes a mandate: no payment is covered any more; authorized ones stay.',
    params: IdParams,
    answer: PaymentMandate,
    run: (context, { params }) => revokeMandate(context, params.id),
  }),
]

async function readMandate({ sql, principal, now }: Context, id: string): Promise<PaymentMandate> {
  const mandate = await findMandate(sql, principal, { id, now })
  if (mandate === null) throw new Refusal('resource_missing')
  return mandateView(mandate)
}

async function readMandates(
  { sql, principal, now }: Context,
  query: PageQuery & MandateFilters,
): Promise<Page<PaymentMandate>> {
  return mapPage(await listMandates(sql, principal, { ...query, now }), (row) => mandateView(row))
}
