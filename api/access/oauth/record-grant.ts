// Records the connection that a person approved, with its audit row.
import { assert } from '../../../shared/assert.ts'
import { newId } from '../../../shared/id.ts'
import { appendAudit } from '../../write/audit.ts'
import type { OauthCall } from './call.ts'
import { insertGrant, type Payload } from './store.ts'

export async function recordGrant(
  { sql, now, approval, grants, requestId, address }: OauthCall,
  id: string,
  payload: Payload,
): Promise<void> {
  assert(approval !== null, 'only the page of consent makes connections')
  const { tenantId, environment, userId, scopes, redirectUri } = approval
  const clientId = String(payload['clientId'])
  const owner = { tenantId, environment }
  const row = { id, ...owner, clientId, userId, payload, scopes, redirectUri, now }
  const grant = await insertGrant(sql, row)
  grants.set(id, grant)
  await appendAudit(sql, {
    id: newId('aud', now),
    ...owner,
    createdAt: now + grant.clockOffsetMs,
    actorType: 'person',
    actorId: userId,
    action: 'POST /oauth/consent',
    resourceId: id,
    requestId,
    address,
  })
}
