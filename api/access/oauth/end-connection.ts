// Ends a connection: its tokens are refused in every process from the commit on. The audit log of
// the tenant gets a row in the same transaction, and after a theft the owners get mail.
import { newId } from '../../../shared/id.ts'
import type { GrantEnd } from '../../../shared/schemas/oauth.ts'
import { appendAudit } from '../../write/audit.ts'
import { writeMail } from '../mails/index.ts'
import type { OauthCall } from './call.ts'
import { endGrant, findOwners } from './store.ts'

type Call = Pick<OauthCall, 'sql' | 'seal' | 'now' | 'requestId' | 'address'>

/** Ending a connection that has ended changes nothing. */
export async function endConnection(
  call: Call,
  id: string,
  reason: Exclude<GrantEnd, 'tenant'>,
): Promise<void> {
  const ended = await endGrant(call.sql, { id, reason, now: call.now })
  if (ended === null) return
  if (reason === 'token_reused') await tellOwners(call, ended)
  await appendAudit(call.sql, {
    id: newId('aud', call.now),
    tenantId: ended.tenantId,
    environment: ended.environment,
    createdAt: ended.endedAt,
    actorType: 'oauth',
    actorId: ended.clientId,
    action: reason === 'platform' ? 'POST /oauth/revoke' : 'oauth_token_reused',
    resourceId: id,
    requestId: call.requestId,
    address: call.address,
  })
}

async function tellOwners(
  call: Call,
  { tenantId, clientId }: { tenantId: string; clientId: string },
): Promise<void> {
  for (const { email, ...names } of await findOwners(call.sql, { tenantId, clientId })) {
    const fields = { ...names, at: call.now }
    await writeMail(call.sql, call, { to: email, template: 'connection_ended', fields })
  }
}
