// The page on which an operator decides about an application for live. An operator is a person who
// signed in with a passkey, from an address of operators; for anyone else the pages do not exist.
// Each decision is proved by the passkey again, and its evidence stands beside the audit row.
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '../../../../shared/id.ts'
import { cookieForRepeat, renewSession, sessionCookie } from '../../../access/sessions/index.ts'
import {
  endingPage,
  forgetPerson,
  type PageServices,
  type Problem,
  type Proved,
  peoplePages,
  proofForm,
  provePerson,
  type SignedCall,
  sentForm,
  takeProvedForm,
  wasSent,
} from '../../../access/web/index.ts'
import type { OperatorContext } from '../../../context.ts'
import { tx } from '../../../database/transaction.ts'
import { longFieldOf } from '../../../http/pages/fields.ts'
import { sendPage } from '../../../http/pages/page.ts'
import { Refusal } from '../../../http/refusal.ts'
import { auditCall } from '../../../write/audit.ts'
import { findApplication } from '../../kyb/index.ts'
import { findTenant } from '../../tenants/index.ts'
import { applyDecision } from '../decide-kyb.ts'
import { operatorFinder } from './find-operator.ts'
import { type ReviewPage, reviewPage } from './review-view.ts'

const PATH = '/operator/kyb/:tenantId'
const REASON_CHARACTERS_MAX = 500

interface OperatorCall extends SignedCall {
  operatorId: string
}

/** Parts of the process that the pages of operators need. */
export type ReviewServices = PageServices & Pick<OperatorContext['call'], 'waitUntilEngineCovers'>

export function registerOperatorPages(server: FastifyInstance, services: ReviewServices): void {
  const findOperator = operatorFinder(services)
  const operating =
    (run: (call: OperatorCall) => Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const found = await findOperator(request)
      if (found === null) return sendPage(reply, endingPage('closed'))
      return run({ services, request, reply, ...found })
    }
  peoplePages(server, services, (pages) => {
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

type Move = 'approve' | 'reject'

/** 64 hex digits over the form of a decision: the application is the one that the page showed. */
function fingerprintOf(decision: {
  tenantId: string
  move: Move
  applicationId: string
  reason: string
}): string {
  const { tenantId, move, applicationId, reason } = decision
  const path = PATH.replace(':tenantId', tenantId) + '/' + move
  return hash('sha256', ['POST', path, applicationId, reason].join('\n'))
}

/**
 * `rejecting` is the reason of a rejection that waits for its passkey; null: the reason is not
 * typed yet.
 */
async function show(
  call: OperatorCall,
  problem: Problem | null,
  rejecting: string | null = null,
): Promise<FastifyReply> {
  const { services, request, reply } = call
  const { tenantId } = request.params as { tenantId: string }
  const tenant = await findTenant(services.sql, tenantId)
  const application = tenant && (await findApplication(services.sql, tenantId))
  if (tenant === null || application === null) return sendPage(reply, endingPage('closed'))
  const formOf = (move: Move, reason: string) => {
    const decision = { tenantId, move, applicationId: application.id, reason }
    return proofForm(call, 'POST ' + PATH + '/' + move, fingerprintOf(decision))
  }
  const page: ReviewPage = {
    ...{ tenant, application, problem },
    reason: longFieldOf(request, 'reason'),
    approve: formOf('approve', ''),
    reject: rejecting === null ? null : formOf('reject', rejecting),
  }
  return sendPage(reply, reviewPage(page))
}

/** A rejection takes two steps: the passkey signs the reason that the page shows. */
async function decide(
  call: OperatorCall,
  services: ReviewServices,
  move: Move,
): Promise<FastifyReply> {
  const { request } = call
  const { tenantId } = request.params as { tenantId: string }
  const reason = move === 'reject' ? longFieldOf(request, 'reason').trim() : ''
  if (reason.length > REASON_CHARACTERS_MAX || /\p{Cc}/u.test(reason))
    return show(call, { status: 422, sentence: 'A reason is one line of at most 500 characters.' })
  if (move === 'reject' && reason === '')
    return show(call, { status: 422, sentence: 'Say why: the tenant reads it.' })
  if (move === 'reject' && longFieldOf(request, 'signature') === '') return show(call, null, reason)
  const again = (problem: Problem) => show(call, problem, move === 'reject' ? reason : null)
  const application = await findApplication(services.sql, tenantId)
  if (application === null) return sendPage(call.reply, endingPage('closed'))
  const decision = { tenantId, move, reason, applicationId: application.id }
  const fingerprint = fingerprintOf(decision)
  const form = sentForm(call, [fingerprint])
  const isRepeat = (): Promise<boolean> => wasSent(services.sql, form)
  // The second click needs no proof: it changes nothing.
  if (await isRepeat()) return repeated(call)
  const proof = await provePerson(call, fingerprint, isRepeat)
  if ('sentence' in proof) return (await isRepeat()) ? repeated(call) : again(proof)
  if (proof.factor !== 'passkey' || proof.evidence === undefined)
    return again({ status: 422, sentence: 'An operator decides with a passkey.' })
  const problem = await save(call, services, { ...decision, form, proof })
  if (problem === 'repeated') return repeated(call)
  return problem === null ? call.reply.redirect('/operator', 303) : again(problem)
}

/** The answer of the first sending, with a cookie that goes on: the browser may have lost it. */
async function repeated({
  services,
  request,
  reply,
  session,
}: OperatorCall): Promise<FastifyReply> {
  const cookie = await cookieForRepeat(services, request, session)
  if (cookie !== null) reply.header('Set-Cookie', cookie)
  return reply.redirect('/operator', 303)
}

interface ProvedDecision {
  tenantId: string
  move: Move
  reason: string
  form: ReturnType<typeof sentForm>
  proof: Proved
}

/**
 * Makes the decision with its audit rows; returns the problem if nothing was changed. `repeated`:
 * the same form made the decision before.
 */
async function save(
  { services, request, reply, session, operatorId }: OperatorCall,
  { sql, waitUntilEngineCovers }: ReviewServices,
  { tenantId, move, reason, form, proof }: ProvedDecision,
): Promise<Problem | 'repeated' | null> {
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
  const factor = { approvedBy: operatorId, evidence: proof.evidence ?? null }
  const audited = { ...context, call: { ...context.call, factor } }
  const decision = { tenantId, move, reason: reason === '' ? null : reason }
  let token: string | null = null
  try {
    const problem = await tx(
      sql,
      async (inner): Promise<Problem | 'repeated' | null> => {
        const taken = await takeProvedForm(inner, proof, form)
        if (taken === 'repeated') return taken
        if (taken === 'used')
          return { status: 422, sentence: 'This passkey\u2019s answer was used before. Try again.' }
        const decided = await applyDecision(inner, context, decision)
        token = await renewSession(inner, session, { factor: 'passkey', now })
        await auditCall(inner, audited, decided)
        return null
      },
      request,
    )
    forgetPerson(services, session)
    if (token !== null) reply.header('Set-Cookie', sessionCookie(request, token))
    return problem
  } catch (error) {
    if (error instanceof Refusal) return { status: 422, sentence: error.message }
    throw error
  }
}
