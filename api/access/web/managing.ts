// Requests of owners and admins about the people of their tenant. Each change needs the person's
// second factor, as the same call of the API does.
import type { FastifyReply } from 'fastify'
import { newId } from '../../../shared/id.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { sendPage } from '../../http/pages/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { appendAudit } from '../../write/audit.ts'
import { mayManage } from '../people/index.ts'
import type { KnownSession } from '../sessions/index.ts'
import type { PageServices } from './ports.ts'
import { actionOf, type Problem, provePerson, USED } from './proof.ts'
import { endingPage } from './sign-in-view.ts'
import { type SignedCall, signedIn } from './signed-in.ts'

/** The path of a tenant's people. */
export const PEOPLE_PATH = '/people/:tenantId'

/** A request of an owner or admin of the tenant in the path. */
export interface ManagerCall extends SignedCall {
  member: KnownSession['memberships'][number]
}

/** Runs a handler for owners and admins; the page does not exist for anyone else. */
export function managing(
  services: PageServices,
  run: (call: ManagerCall) => Promise<FastifyReply>,
): ReturnType<typeof signedIn> {
  return signedIn(services, async (call) => {
    const { tenantId } = call.request.params as { tenantId: string }
    const member = call.session.memberships.find((each) => each.tenantId === tenantId)
    if (member === undefined || !mayManage(member.role, 'support'))
      return sendPage(call.reply, endingPage('closed'))
    return run({ ...call, member })
  })
}

const NO_FACTOR: Problem = {
  status: 422,
  sentence: 'Set up an authenticator or a passkey first: a password alone approves nothing.',
}

/** Makes a change after the person's second factor, with its audit row. */
export async function proved<Made extends { id: string }>(
  call: ManagerCall,
  work: (sql: TxSql) => Promise<Made>,
): Promise<Made | Problem> {
  const proof = await provePerson(call)
  if ('sentence' in proof) return proof
  if (proof.factor === 'password') return NO_FACTOR
  try {
    return await tx(
      call.services.sql,
      async (sql) => {
        if (!(await proof.take(sql))) return USED
        const made = await work(sql)
        await auditManager(sql, call, made.id)
        return made
      },
      call.request,
    )
  } catch (error) {
    if (error instanceof Refusal) return { status: 422, sentence: error.message }
    throw error
  }
}

function auditManager(sql: TxSql, call: ManagerCall, resourceId: string): Promise<void> {
  const { request, member } = call
  const { admittedAtMs: now, clientAddress: address, id: requestId } = request
  return appendAudit(sql, {
    ...{ id: newId('aud', now), tenantId: member.tenantId, environment: 'live', createdAt: now },
    ...{ actorType: 'person', actorId: member.personId, action: actionOf(request), resourceId },
    ...{ requestId, address, approvedBy: member.personId },
  })
}
