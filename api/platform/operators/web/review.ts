// The pages on which an operator decides about applications for live. An operator is a person who
// signed in with a passkey, from an address of operators; for anyone else the pages do not exist.
// Each decision is proved by the passkey again.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '../../../../shared/id.ts'
import { addressRanges, inRanges } from '../../../../shared/peer-address.ts'
import { findSession } from '../../../access/sessions/index.ts'
import {
  endingPage,
  type PageServices,
  type Problem,
  peoplePages,
  proofForm,
  provePerson,
  type SignedCall,
} from '../../../access/web/index.ts'
import type { OperatorContext } from '../../../context.ts'
import { tx } from '../../../database/transaction.ts'
import { longFieldOf } from '../../../http/pages/fields.ts'
import { sendPage } from '../../../http/pages/page.ts'
import { Refusal } from '../../../http/refusal.ts'
import { auditCall } from '../../../write/audit.ts'
import { findApplication, listWaiting } from '../../kyb/index.ts'
import { findTenant } from '../../tenants/index.ts'
import { applyDecision } from '../decide-kyb.ts'
import { findOperatorOf } from '../store.ts'
import { type ReviewPage, reviewPage, waitingPage } from './review-view.ts'

const PATH = '/operator/kyb/:tenantId'
const SHOWN_MAX = 100
const REASON_CHARACTERS_MAX = 500

interface OperatorCall extends SignedCall {
  operatorId: string
}

/** Parts of the process that the pages of operators need. */
export type ReviewServices = PageServices & Pick<OperatorContext['call'], 'waitUntilEngineCovers'>

export function registerOperatorPages(server: FastifyInstance, services: ReviewServices): void {
  const ranges = addressRanges(services.operatorCidrs)
  const operating =
    (run: (call: OperatorCall) => Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const address = request.clientAddress
      const isNear = address !== null && inRanges(ranges, address)
      const session = isNear ? await findSession(services, request) : null
      const isProved = session?.factor === 'passkey'
      const operator = isProved ? await findOperatorOf(services.sql, session.identity.id) : null
      if (session === null || operator === null) return sendPage(reply, endingPage('closed'))
      return run({ services, request, reply, session, operatorId: operator.id })
    }
  peoplePages(server, services, (pages) => {
    pages.get(
      '/operator',
      operating(async ({ reply }) =>
        sendPage(reply, waitingPage(await listWaiting(services.sql, SHOWN_MAX))),
      ),
    )
    pages.get(
      PATH,
      operating((call) => show(call, null)),
    )
    for (const move of ['approve', 'reject'] as const)
      pages.post(
        PATH + '/' + move,
        operating((call) => decide(call, services, move)),
      )
  })
}

async function show(call: OperatorCall, problem: Problem | null): Promise<FastifyReply> {
  const { services, request, reply } = call
  const { tenantId } = request.params as { tenantId: string }
  const tenant = await findTenant(services.sql, tenantId)
  const application = tenant && (await findApplication(services.sql, tenantId))
  if (tenant === null || application === null) return sendPage(reply, endingPage('closed'))
  const page: ReviewPage = {
    ...{ tenant, application, problem },
    reason: longFieldOf(request, 'reason'),
    approve: proofForm(call, 'POST ' + PATH + '/approve'),
    reject: proofForm(call, 'POST ' + PATH + '/reject'),
  }
  return sendPage(reply, reviewPage(page))
}

async function decide(
  call: OperatorCall,
  { sql, waitUntilEngineCovers }: ReviewServices,
  move: 'approve' | 'reject',
): Promise<FastifyReply> {
  const { services, request, reply, operatorId } = call
  const { tenantId } = request.params as { tenantId: string }
  const reason = longFieldOf(request, 'reason').trim()
  if (reason.length > REASON_CHARACTERS_MAX || /\p{Cc}/u.test(reason))
    return show(call, { status: 422, sentence: 'A reason is one line of at most 500 characters.' })
  if (move === 'reject' && reason === '')
    return show(call, { status: 422, sentence: 'Say why: the tenant reads it.' })
  const proof = await provePerson(call)
  if ('sentence' in proof) return show(call, proof)
  if (proof.factor !== 'passkey')
    return show(call, { status: 422, sentence: 'An operator decides with a passkey.' })
  const { id: requestId, admittedAtMs: now, clientAddress, wait, method, routeOptions } = request
  const context: OperatorContext = {
    ...{ sql, seal: services.seal, unseal: services.unseal, requestId, now, operatorId },
    wait: wait ?? { over: false, committing: false },
    newId: (prefix) => newId(prefix, now),
    call: {
      ...{ clientAddress, keyed: null, factor: null, waitUntilEngineCovers },
      operation: method + ' ' + routeOptions.url,
    },
  }
  try {
    const problem = await tx(
      sql,
      async (inner): Promise<Problem | null> => {
        if (!(await proof.take(inner)))
          return { status: 422, sentence: 'This passkey’s answer was used before. Try again.' }
        const decision = { tenantId, move, reason: reason === '' ? null : reason }
        await auditCall(inner, context, await applyDecision(inner, context, decision))
        return null
      },
      request,
    )
    return problem === null ? reply.redirect('/operator', 303) : show(call, problem)
  } catch (error) {
    if (error instanceof Refusal) return show(call, { status: 422, sentence: error.message })
    throw error
  }
}
