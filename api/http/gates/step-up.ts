// A call that needs a second factor goes on only with a person's approval, for exactly this call.
// Spec 5.1. The approval is used up inside write(), with the effect.
//
// Chosen: the approval is required before the lookup of the call's resource. A caller without an
// approval therefore learns nothing: an unknown id, another tenant's id and an own id read the
// same.
import type { FastifyRequest } from 'fastify'
import { challengeCall, findApproval } from '../../access/factors/index.ts'
import type { Principal } from '../../context.ts'
import { requireSecondOperator } from '../../platform/operator-approvals/index.ts'
import type { ApprovedCall } from '../../write/approval.ts'
import { findAnswer } from '../../write/idempotency.ts'
import type { SecondOperator } from '../../write/second-operator.ts'
import { Refusal } from '../refusal.ts'
import { pagesUrlOf } from '../relying-party.ts'
import type { AnyRoute } from '../route.ts'
import type { HttpServices } from '../services.ts'
import { fingerprintOf } from './replay.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The matching approval of the call; null when none is needed. */
    factor: ApprovedCall | null
    /** The matching approval of a second operator; null when none is needed. */
    secondOperator: SecondOperator | null
  }
}

const TOKEN = /^[\w-]{1,128}$/

export function stepUp(services: HttpServices) {
  return (request: FastifyRequest): Promise<void> | undefined => {
    const { route } = request.routeOptions.config
    const { principal } = request
    if (route === undefined) return undefined
    if (principal === null) return bySecondOperator(services, request, route)
    const isPerson = principal.credential.kind === 'person'
    const operation = route.factor ?? (isPerson ? route.personFactor : null)
    if (operation === null) return undefined
    return approve(services, request, { principal, operation })
  }
}

async function approve(
  services: HttpServices,
  request: FastifyRequest,
  { principal, operation }: { principal: Principal; operation: string },
): Promise<void> {
  const approval = await approvalOf(services, request, principal)
  const misplaced = approval === 'another_call'
  request.factor = misplaced ? null : approval
  if (request.factor !== null) return
  // A repeat changes nothing: its approval is used up, and no person is asked again.
  const refusal = new Refusal('factor_required')
  if (await isRepeat(services, request, { ...principal, refusal })) return
  const challenged = await challengeCall(services, {
    principal,
    requestId: request.id,
    operation,
    method: request.method,
    path: request.url.split('?', 1)[0] ?? '',
    fingerprint: fingerprintOf(request),
    body: request.body,
    ip: request.clientAddress ?? '',
    now: request.admittedAtMs,
    apiUrl: services.publicUrl,
    misplaced,
    sessionId: request.sessionId,
    pagesUrl: pagesUrlOf(services),
  })
  request.factorOutcome = 'asked'
  throw challenged
}

/** A call of an operator; undefined where one operator is enough. */
function bySecondOperator(
  services: HttpServices,
  request: FastifyRequest,
  { secondOperator, requireProof }: Pick<AnyRoute, 'secondOperator' | 'requireProof'>,
): Promise<void> | undefined {
  const { operatorId } = request
  if (!services.twoOperators || operatorId === null) return undefined
  const operation = secondOperator?.(request.body) ?? null
  if (operation === null) return undefined
  const isProved = request.factor !== null
  const pagesUrl = pagesUrlOf(services)
  const asked = async (): Promise<SecondOperator> => {
    // Nothing waits for a second operator that the first one could not make afterwards.
    if (!isProved) await requireProof?.(services.sql, request, pagesUrl)
    return requireSecondOperator(services.sql, {
      ...{ operatorId, operation, method: request.method, body: request.body },
      path: request.url.split('?', 1)[0] ?? '',
      ...{ fingerprint: fingerprintOf(request), requestId: request.id },
      ...{ isProved, now: request.admittedAtMs, pagesUrl },
    })
  }
  return asked().then(
    (approval) => {
      request.secondOperator = approval
    },
    async (refusal: unknown) => {
      // A repeat changes nothing: its approval is used up.
      if (!(refusal instanceof Refusal)) throw refusal
      if (!(await isRepeat(services, request, { clockOffsetMs: 0, refusal }))) throw refusal
    },
  )
}

async function approvalOf(
  services: HttpServices,
  request: FastifyRequest,
  principal: Principal,
): Promise<ApprovedCall | 'another_call' | null> {
  const token = request.headers['svc-factor']
  if (typeof token !== 'string' || !TOKEN.test(token)) return null
  const fingerprint = fingerprintOf(request)
  return findApproval(services, { principal, token, fingerprint, now: request.admittedAtMs })
}

/**
 * Returns true when the key's answer is stored. From then on write() may answer with it, and does
 * nothing else: without the answer it refuses.
 */
export async function isRepeat(
  { sql, seal, unseal }: HttpServices,
  request: FastifyRequest,
  { clockOffsetMs, refusal }: { clockOffsetMs: number; refusal: Refusal },
): Promise<boolean> {
  const { keyed } = request
  if (keyed === null) return false
  const now = request.admittedAtMs + clockOffsetMs
  const answer = await findAnswer(sql, { sql, seal, unseal, requestId: request.id, now }, keyed)
  keyed.unrepeated = answer === null ? null : refusal
  return answer !== null
}
