// The endpoints of passes. Spec 4.2.
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  PASS_CHANGE,
  PASS_STATUSES,
  Pass,
  PassBatch,
  PassCount,
  PassInput,
  PassUpdate,
} from '../../../shared/schemas/pass.ts'
import { PASS_DAYS_MAX, PassStatistics } from '../../../shared/schemas/pass-statistics.ts'
import { ExternalId } from '../../../shared/schemas/tenant-fields.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, Reason, type Route, route } from '../../http/route.ts'
import { createBatch, revokeBatch, updateBatch } from './batch.ts'
import { createPass } from './create.ts'
import { readCount, readPass, readPasses } from './read.ts'
import { REVOKE_REASON_DEFAULT, revokePass } from './revoke.ts'
import { readPassStatistics } from './statistics.ts'
import { updatePass } from './update.ts'
import { inPasses, type PassPorts } from './view.ts'

const LIST = '/v1/passes'
const ONE = LIST + '/:id'
const OF_PASSES = { family: 'pass', bucket: 'passes_write' } as const
/** Spec 8. */
const BATCH_MAX = 100
const REVOKED_MAX = 1000

const FILTERS = {
  ...CREATED_FILTERS,
  status: Type.Optional(Type.Enum([...PASS_STATUSES])),
  template_id: IdFilter,
  card_id: IdFilter,
  external_id: Type.Optional(ExternalId),
}
const SomePasses = closed({
  passes: Type.Array(Type.Unknown(), { minItems: 1, maxItems: BATCH_MAX }),
})

const reads: readonly Route<PassPorts>[] = [
  route({
    method: 'GET',
    paths: [LIST],
    scope: 'read',
    summary: 'Lists passes, newest first.',
    family: 'pass',
    query: closed({ ...PAGE_QUERY, ...FILTERS }),
    answer: PageOf(Pass),
    run: (context, { query }, ports: PassPorts) => readPasses(inPasses(context, ports), query),
  }),
  route({
    method: 'GET',
    paths: [LIST + '/count'],
    scope: 'read',
    summary: 'Says how many passes there are.',
    family: 'pass',
    bucket: 'count',
    query: closed(FILTERS),
    answer: PassCount,
    run: (context, { query }) => readCount(context, query),
  }),
  route({
    method: 'GET',
    paths: [LIST + '/statistics'],
    scope: 'read',
    summary: 'Counts passes that were put into wallets and taken out of them, day by day.',
    family: 'pass',
    query: closed({
      days: Type.Optional(
        described(
          Type.Integer({ minimum: 1, maximum: PASS_DAYS_MAX }),
          'Days until today, today included; 30 when left out.',
        ),
      ),
      template_id: IdFilter,
    }),
    answer: PassStatistics,
    run: (context, { query }) => readPassStatistics(context, query),
  }),
  route({
    method: 'GET',
    paths: [ONE],
    scope: 'read',
    summary: 'Returns one pass.',
    family: 'pass',
    params: IdParams,
    answer: Pass,
    run: (context, { params }, ports: PassPorts) => readPass(inPasses(context, ports), params.id),
  }),
]

const batches: readonly Route<PassPorts>[] = [
  route({
    ...OF_PASSES,
    method: 'POST',
    paths: [LIST + '/batch'],
    scope: 'write',
    entitled: 'issuing',
    summary: 'Issues up to 100 passes. Each has its result; what is refused leaves the others.',
    body: SomePasses,
    bodyShape: closed({
      passes: described(
        Type.Array(PassInput, { minItems: 1, maxItems: BATCH_MAX }),
        'Passes to issue, 1 to 100.',
      ),
    }),
    answer: PassBatch,
    run: (context, { body }, ports: PassPorts) =>
      createBatch(inPasses(context, ports), body.passes),
  }),
  route({
    ...OF_PASSES,
    method: 'POST',
    paths: [LIST + '/batch_update'],
    scope: 'write',
    entitled: 'always',
    summary: 'Changes up to 100 passes. Each has its result; what is refused leaves the others.',
    body: SomePasses,
    bodyShape: closed({
      passes: described(
        Type.Array(PassUpdate, { minItems: 1, maxItems: BATCH_MAX }),
        'Passes to change, 1 to 100, each at most once.',
      ),
    }),
    answer: PassBatch,
    run: (context, { body }, ports: PassPorts) =>
      updateBatch(inPasses(context, ports), body.passes),
  }),
  route({
    ...OF_PASSES,
    method: 'POST',
    paths: [LIST + '/batch_revoke'],
    scope: 'write',
    entitled: 'always',
    summary: 'Revokes up to 1,000 passes for ever. Each has its result.',
    body: closed({
      ids: described(
        Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
          minItems: 1,
          maxItems: REVOKED_MAX,
        }),
        'Passes, 1 to 1,000.',
      ),
      reason: Reason,
    }),
    answer: PassBatch,
    run: (context, { body }, ports: PassPorts) =>
      revokeBatch(inPasses(context, ports), {
        ids: body.ids,
        reason: body.reason ?? REVOKE_REASON_DEFAULT,
      }),
  }),
]

const writes: readonly Route<PassPorts>[] = [
  route({
    ...OF_PASSES,
    method: 'POST',
    paths: [LIST],
    scope: 'write',
    entitled: 'issuing',
    summary: 'Issues a pass from a template.',
    body: PassInput,
    answer: Pass,
    status: 201,
    run: (context, { body }, ports: PassPorts) => createPass(inPasses(context, ports), body),
  }),
  route({
    ...OF_PASSES,
    method: 'PATCH',
    paths: [ONE],
    scope: 'write',
    entitled: 'always',
    summary: 'Changes a pass; the wallets that have it follow.',
    params: IdParams,
    body: closed(PASS_CHANGE, { minProperties: 1 }),
    answer: Pass,
    run: (context, { params, body }, ports: PassPorts) =>
      updatePass(inPasses(context, ports), params.id, body),
  }),
  route({
    ...OF_PASSES,
    method: 'POST',
    paths: [ONE + '/revoke'],
    scope: 'write',
    entitled: 'always',
    summary: 'Revokes a pass for ever: no scan of it is valid any more.',
    params: IdParams,
    body: closed({ reason: Reason }),
    answer: Pass,
    run: (context, { params, body }, ports: PassPorts) =>
      revokePass(inPasses(context, ports), {
        id: params.id,
        reason: body.reason ?? REVOKE_REASON_DEFAULT,
      }),
  }),
]

export const passRoutes: readonly Route<PassPorts>[] = [...reads, ...batches, ...writes]
