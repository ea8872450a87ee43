// Only this module makes a refused call public.
import { unixSeconds } from '../../../shared/clock.ts'
import type { RefusedCall } from '../../../shared/schemas/refused-call.ts'
import type { RefusedCallRow } from './store.ts'

export function refusedCallView(row: RefusedCallRow): RefusedCall {
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
