// The endpoints of cardholders.
import { Type } from '../../../shared/schema-builders.ts'
import { CARDHOLDER_STATUSES, Cardholder } from '../../../shared/schemas/cardholder.ts'
import { CARDHOLDER_CHANGE, CARDHOLDER_INPUT } from '../../../shared/schemas/cardholder-input.ts'
import { described } from '../../../shared/schemas/described.ts'
import { KeptIdentity } from '../../../shared/schemas/kept-identity.ts'
import { type Page, PageOf } from '../../../shared/schemas/list.ts'
import { OperatorSanctionsAlert } from '../../../shared/schemas/sanctions-alert.ts'
import { ExternalId } from '../../../shared/schemas/tenant-fields.ts'
import type { Context } from '../../context.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  closed,
  IdFilter,
  IdParams,
  operatorRoute,
  Reason,
  type Route,
  route,
} from '../../http/route.ts'
import { inPasses, type PassPorts } from '../../passes/passes/index.ts'
import { createCardholder } from './create.ts'
import { decideKyc } from './decide-kyc.ts'
import { discloseIdentity, eraseCardholder } from './erase.ts'
import { freezeAsOperator, freezeCardholder } from './freeze.ts'
import { reviewAlert } from './review-alert.ts'
import type { ScreeningPort } from './screen.ts'
import { type CardholderFilters, findCardholder, listCardholders } from './store.ts'
import { unfreezeAsOperator, unfreezeCardholder } from './unfreeze.ts'
import { updateCardholder } from './update.ts'
import { verifyCardholder } from './verify.ts'
import { cardholderView } from './view.ts'

/** An erasure screens once more, and changes passes. */
export type ErasurePorts = ScreeningPort & PassPorts

const LIST = '/v1/cardholders'
const ONE = LIST + '/:id'
const OPERATED = '/operator/v1/cardholders/:id'

const reads: readonly Route<ScreeningPort>[] = [
  route({
    method: 'GET',
    paths: [LIST],
    scope: 'read',
    summary: 'Lists cardholders, newest first.',
    family: 'card',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: described(
        Type.Optional(Type.Enum([...CARDHOLDER_STATUSES])),
        'Only cardholders with this status.',
      ),
      program_id: IdFilter,
      email: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(Cardholder),
    run: (context, { query }) => readCardholders(context, query),
  }),
  route({
    method: 'GET',
    paths: [ONE],
    scope: 'read',
    summary: 'Returns one cardholder.',
    family: 'card',
    params: IdParams,
    answer: Cardholder,
    run: (context, { params }) => readCardholder(context, params.id),
  }),
]

const writes: readonly Route<ErasurePorts>[] = [
  route({
    method: 'POST',
    paths: [LIST],
    scope: 'write',
    entitled: 'issuing',
    summary:
      'Creates a cardholder; their identity is verified as soon as first and last name, date of birth and address are known.',
    family: 'card',
    body: closed(CARDHOLDER_INPUT),
    answer: Cardholder,
    status: 201,
    run: (
      context,
      { body: { program_id: programId, type: _individual, ...person } },
      ports: ScreeningPort,
    ) => createCardholder(context, { programId, person }, ports),
  }),
  route({
    method: 'PATCH',
    paths: [ONE],
    scope: 'write',
    entitled: 'always',
    summary:
      'Changes what is known of a cardholder, or their status; a new name or date of birth is verified afresh.',
    family: 'card',
    params: IdParams,
    body: closed(CARDHOLDER_CHANGE, { minProperties: 1 }),
    answer: Cardholder,
    run: (context, { params, body }, ports: ScreeningPort) =>
      updateCardholder(context, { cardholderId: params.id, change: body }, ports),
  }),
  route({
    method: 'POST',
    paths: [ONE + '/verify'],
    scope: 'write',
    entitled: 'identity_checks',
    summary:
      'Asks for the verification of a cardholder’s identity, for the first time or again after it failed.',
    family: 'card',
    params: IdParams,
    answer: Cardholder,
    run: (context, { params }) => verifyCardholder(context, { cardholderId: params.id }),
  }),
  route({
    method: 'POST',
    paths: [ONE + '/freeze'],
    scope: 'write',
    entitled: 'always',
    summary: 'Freezes a cardholder: every authorization of their cards is declined.',
    family: 'card',
    params: IdParams,
    body: closed({ reason: Reason }),
    answer: Cardholder,
    run: (context, { params, body }) =>
      freezeCardholder(context, { cardholderId: params.id, reason: body.reason ?? null }),
  }),
  route({
    method: 'POST',
    paths: [ONE + '/unfreeze'],
    scope: 'write',
    entitled: 'always',
    summary: 'Lifts the tenant’s own freeze of a cardholder.',
    family: 'card',
    params: IdParams,
    answer: Cardholder,
    run: (context, { params }) => unfreezeCardholder(context, { cardholderId: params.id }),
  }),
  route({
    method: 'POST',
    paths: [ONE + '/erase'],
    scope: 'write',
    entitled: 'always',
    summary:
      'Erases a person for good, when all their cards are terminated: name, details, external_id and metadata leave every resource and event.',
    family: 'card',
    params: IdParams,
    answer: Cardholder,
    run: (context, { params }, ports: ErasurePorts) =>
      eraseCardholder(inPasses(context, ports), { cardholderId: params.id }, ports),
  }),
]

const operated: readonly Route<ScreeningPort>[] = [
  operatorRoute({
    method: 'POST',
    paths: [OPERATED + '/kyc'],
    summary: 'Decides about a cardholder’s identity in the provider’s place.',
    params: IdParams,
    body: closed({ decision: Type.Enum(['approved', 'rejected']), reason: Reason }),
    answer: Cardholder,
    run: (context, { params, body }) =>
      decideKyc(context, {
        cardholderId: params.id,
        decision: body.decision,
        reason: body.reason ?? null,
      }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [OPERATED + '/disclose_identity'],
    summary: 'Shows the identity of an erased cardholder, which the law keeps for years.',
    params: IdParams,
    answer: KeptIdentity,
    run: (context, { params }) => discloseIdentity(context, { cardholderId: params.id }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [OPERATED + '/freeze'],
    summary: 'Freezes a cardholder so that the tenant cannot lift it.',
    params: IdParams,
    body: closed({ reason: Reason }),
    answer: Cardholder,
    run: (context, { params, body }) =>
      freezeAsOperator(context, { cardholderId: params.id, reason: body.reason ?? null }),
  }),
  operatorRoute({
    method: 'POST',
    paths: [OPERATED + '/unfreeze'],
    summary: 'Lifts an operator’s freeze of a cardholder.',
    params: IdParams,
    answer: Cardholder,
    run: (context, { params }) => unfreezeAsOperator(context, { cardholderId: params.id }),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/sanctions_alerts/:id/review'],
    summary:
      'Decides whether a cardholder is the person on the list; dismissing the last alert unfreezes them.',
    params: IdParams,
    body: closed({ decision: Type.Enum(['dismiss', 'confirm']), note: Reason }),
    answer: OperatorSanctionsAlert,
    run: (context, { params, body }) =>
      reviewAlert(context, {
        alertId: params.id,
        decision: body.decision,
        note: body.note ?? null,
      }),
  }),
]

export const cardholderRoutes: readonly Route<ErasurePorts>[] = [...reads, ...writes, ...operated]

async function readCardholder({ sql, principal }: Context, id: string): Promise<Cardholder> {
  const cardholder = await findCardholder(sql, principal, id)
  if (cardholder === null) throw new Refusal('resource_missing')
  return cardholderView(cardholder)
}

async function readCardholders(
  { sql, principal }: Context,
  query: PageQuery & CardholderFilters,
): Promise<Page<Cardholder>> {
  return mapPage(await listCardholders(sql, principal, query), cardholderView)
}
