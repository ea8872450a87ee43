// The calls that the API refused.

import { unixSeconds } from '../../../shared/clock.ts'
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { RefusedCall, RefusedCallHours } from '../../../shared/schemas/refused-call.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, type Route, route } from '../../http/route.ts'
import { countByHour, listRefusedCalls, type RefusedCallRow } from './store.ts'

const CodeFilter = Type.Optional(Type.String({ pattern: '^[a-z0-9_]{1,80}$' }))

export const refusedCallRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/refused_calls'],
    scope: 'read',
    summary: 'Lists the last 1,000 calls that the API refused, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      code: described(CodeFilter, 'The error code of the answer.'),
      credential_id: described(IdFilter, 'The key, platform or person that called.'),
    }),
    answer: PageOf(RefusedCall),
    run: async ({ sql, principal }, { query }) =>
      mapPage(await listRefusedCalls(sql, principal, query), refusedCallView),
  }),
  route({
    method: 'GET',
    paths: ['/v1/refused_calls/hours'],
    scope: 'read',
    summary: 'Counts the last 1,000 refused calls by hour and error code.',
    answer: RefusedCallHours,
    run: async ({ sql, principal }) => {
      const counts = await countByHour(sql, principal)
      return {
        object: 'refused_call_hours',
        livemode: principal.environment === 'live',
        hours: [...Map.groupBy(counts, ({ hour }) => hour)].map(([hour, codes]) => ({
          hour: unixSeconds(hour),
          codes: codes.map(({ code, count }) => ({ code, count })),
        })),
      }
    },
  }),
]

function refusedCallView(row: RefusedCallRow): RefusedCall {
  return {
    id: row.id,
    object: 'refused_call',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    request_id: row.requestId,
    method: row.method,
    path: row.path,
    status: row.status,
    code: row.code,
    param: row.param,
    credential: { kind: row.credentialKind, id: row.credentialId },
    address: row.address,
  }
}
