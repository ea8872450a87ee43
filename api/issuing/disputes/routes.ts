// The endpoints of disputes: the tenant's, and those by which an operator reports the network's and
// the sponsor bank's decisions.
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import {
  DISPUTE_OUTCOMES,
  DISPUTE_REASONS,
  DISPUTE_STATUSES,
  Dispute,
  DisputeEvidence,
  EVIDENCE_FIELDS,
  EVIDENCE_KINDS,
} from '../../../shared/schemas/dispute.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  ExternalId,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from '../../../shared/schemas/tenant-fields.ts'
import { CREATED_FILTERS, parseFilterInstant } from '../../database/created-filter.ts'
import { PAGE_QUERY, sortBy } from '../../database/page.ts'
import { closed, IdFilter, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import { addEvidence } from './add-evidence.ts'
import { createDispute } from './create.ts'
import { decideForNetwork } from './decide.ts'
import { submitDispute } from './move.ts'
import { readDispute, readDisputes, readEvidence } from './read.ts'
import { requireEvidence } from './require-evidence.ts'
import { updateDispute } from './update.ts'

/** Several lines of free text; no control characters except those of text. */
const Words = Type.String({
  minLength: 1,
  maxLength: 5000,
  pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$',
})

const TENANT_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/disputes'],
    summary: 'Lists disputes, newest first or by the deadline of their response.',
    family: 'card',
    scope: 'read',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      ...sortBy('evidence_due_by'),
      status: Type.Optional(Type.Enum([...DISPUTE_STATUSES])),
      reason: Type.Optional(Type.Enum([...DISPUTE_REASONS])),
      transaction_id: IdFilter,
      card_id: IdFilter,
      cardholder_id: IdFilter,
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(Dispute),
    run: (context, { query }) => readDisputes(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/disputes/:id'],
    summary: 'Shows a dispute: its amount, stage, deadline and outcome.',
    family: 'card',
    scope: 'read',
    params: IdParams,
    answer: Dispute,
    run: (context, { params }) => readDispute(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/disputes'],
    summary: 'Files a dispute of a captured transaction, or of a part of it.',
    family: 'card',
    scope: 'write',
    entitled: 'always',
    body: closed({
      transaction_id: Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' }),
      amount_cents: described(
        Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
        'The disputed amount; all that was captured and neither refunded nor disputed when left out.',
      ),
      reason: described(
        Type.Enum([...DISPUTE_REASONS]),
        'Why the cardholder does not accept the charge.',
      ),
      explanation: described(Type.Optional(Words), 'In the cardholder’s words.'),
      ...TENANT_FIELDS_INPUT,
    }),
    answer: Dispute,
    status: 201,
    run: (context, { body }) =>
      createDispute(context, {
        transactionId: body.transaction_id,
        amountCents: body.amount_cents ?? null,
        reason: body.reason,
        explanation: body.explanation ?? null,
        externalId: body.external_id ?? null,
        metadata: body.metadata ?? {},
      }),
  }),
  route({
    method: 'PATCH',
    paths: ['/v1/disputes/:id'],
    summary: 'Changes external_id and metadata of a dispute.',
    family: 'card',
    scope: 'write',
    entitled: 'always',
    params: IdParams,
    body: closed({ ...TENANT_FIELDS_CHANGE }, { minProperties: 1 }),
    answer: Dispute,
    run: (context, { params, body }) => updateDispute(context, { id: params.id, change: body }),
  }),
  route({
    method: 'GET',
    paths: ['/v1/disputes/:id/evidence'],
    summary: 'Lists the evidence of a dispute.',
    family: 'card',
    scope: 'read',
    params: IdParams,
    query: closed(PAGE_QUERY),
    answer: PageOf(DisputeEvidence),
    run: (context, { params, query }) => readEvidence(context, { ...query, disputeId: params.id }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/disputes/:id/evidence'],
    summary: 'Adds evidence, as text or named fields, to a dispute that awaits its response.',
    family: 'card',
    scope: 'write',
    entitled: 'always',
    params: IdParams,
    body: closed({
      kind: described(Type.Enum([...EVIDENCE_KINDS]), 'The kind of evidence.'),
      text: described(Type.Optional(Words), 'The evidence in words. Send text, fields or both.'),
      fields: described(
        Type.Optional(closed(EVIDENCE_FIELDS, { minProperties: 1 })),
        'The evidence in the fields that networks ask for by name.',
      ),
    }),
    answer: DisputeEvidence,
    status: 201,
    run: (context, { params, body }) =>
      addEvidence(context, {
        disputeId: params.id,
        kind: body.kind,
        text: body.text ?? null,
        fields: body.fields ?? {},
      }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/disputes/:id/submit'],
    summary: 'Submits the response to a dispute; the network then decides.',
    family: 'card',
    scope: 'write',
    entitled: 'always',
    params: IdParams,
    answer: Dispute,
    run: (context, { params }) => submitDispute(context, params.id),
  }),
]

const OPERATOR_ROUTES: readonly Route[] = [
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/disputes/:id/outcome'],
    summary: 'Records how the network decided a submitted dispute.',
    params: IdParams,
    body: closed({
      outcome: described(Type.Enum([...DISPUTE_OUTCOMES]), "The network's decision."),
    }),
    answer: Dispute,
    run: (context, { params, body }) => decideForNetwork(context, { id: params.id, ...body }),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/disputes/:id/require_evidence'],
    summary: 'Asks the tenant for more evidence by a deadline, as the sponsor bank wants it.',
    params: IdParams,
    body: closed({
      requested: described(
        Words,
        'The evidence that the sponsor bank asks for; the tenant reads it.',
      ),
      due_by: described(
        Type.Optional(Type.String({ format: 'date-time', maxLength: 40 })),
        'ISO 8601: the tenant’s new deadline; ten days from now when left out.',
      ),
    }),
    answer: Dispute,
    run: (context, { params, body }) =>
      requireEvidence(context, {
        id: params.id,
        requested: body.requested,
        dueBy: body.due_by === undefined ? null : parseFilterInstant(body.due_by),
      }),
  }),
]

export const disputeRoutes: readonly Route[] = [...TENANT_ROUTES, ...OPERATOR_ROUTES]
