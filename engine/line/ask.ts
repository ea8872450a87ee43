// Step 7. Reservation → the tenant's answer or its silence. Every failure is a value; the wait ends at the deadline,
// whatever the call does; what comes later is reported as late and changes nothing.
import { assert } from '../../shared/assert.ts'
import { TENANT_CALLS_MAX } from '../../shared/limits.ts'
import { authorizationRequest } from '../../shared/schemas/event.ts'
import type { EndpointFact } from '../../shared/wire/facts.ts'
import type {
  AuthorizationRecord,
  TenantOutcome,
  TenantRecord,
} from '../../shared/wire/journal-entry.ts'
import type { TenantReply } from '../tenant/caller.ts'
import type { Gathered, Line, Pending } from './line.ts'

export interface AskEvents {
  /** Once: the tenant answered, failed or was silent until the deadline. */
  onAnswer(reply: TenantRecord): void
  /** After onAnswer said timeout: an answer came all the same. */
  onLate(reply: TenantRecord, approve: boolean): void
}

/** Why nobody can be asked, or null. */
export function unaskable(line: Line, gathered: Gathered): TenantRecord | null {
  const { endpoint } = gathered
  if (endpoint === null || endpoint.status !== 'enabled') return silence('not_configured', null)
  if (line.tenants.inFlight(endpoint.tenant_id) >= TENANT_CALLS_MAX)
    return silence('bulkhead_full', endpoint.id)
  return null
}

/** Asks the endpoint that gather found; call it only when `unaskable` is null. */
export function ask(
  line: Line,
  pending: Pending,
  endpoint: EndpointFact,
  body: string,
  events: AskEvents,
): void {
  const secrets = line.secrets.endpointSecrets(endpoint)
  // Chosen: a question that cannot be signed is not asked; a tenant must never see one to get used to.
  if (secrets.length === 0)
    return events.onAnswer({ ...silence('connection_error', endpoint.id), errorHint: 'no_secret' })
  const deadlineAtMs = pending.receivedAtMs + line.budgetMs
  const sentAtMs = line.clock.nowMs()
  let over = false
  const timer = line.clock.after(Math.max(0, deadlineAtMs - sentAtMs), () => {
    over = true
    events.onAnswer(silence('timeout_response', endpoint.id, line.clock.nowMs() - sentAtMs))
  })
  const settle = (reply: TenantReply): void => {
    const tenant = tenantRecord(reply, endpoint.id)
    if (over) {
      if (reply.answer !== null) events.onLate(tenant, reply.answer.approve)
      return
    }
    over = true
    timer.cancel()
    pending.times.sign = reply.signUs
    pending.times.connect = reply.connectUs
    events.onAnswer(tenant)
  }
  line.tenants
    .call({
      tenantId: endpoint.tenant_id,
      endpointId: endpoint.id,
      url: endpoint.url,
      secrets,
      body,
      requestId: pending.requestId,
      deadlineAtMs,
    })
    .then(settle, (error: unknown) => line.stop('a tenant call rejected: ' + String(error)))
}

/** The exact bytes of the question. Spec 2.7. */
export function questionText(line: Line, record: AuthorizationRecord, pending: Pending): string {
  const { transactionId, card } = record
  assert(transactionId !== null && card !== null, 'a question without a card')
  const apiVersion = pending.gathered?.judged.program.api_version ?? ''
  line.metrics.asked += 1
  const source = {
    record: { ...record, transactionId, card },
    decision: null,
    late: null,
    sequence: 1,
  }
  return JSON.stringify(authorizationRequest(source, apiVersion))
}

function tenantRecord(reply: TenantReply, endpointId: string): TenantRecord {
  return {
    outcome: reply.outcome,
    endpointId,
    httpStatus: reply.httpStatus,
    latencyMs: reply.latencyMs,
    attempts: reply.attempts,
    errorHint: reply.errorHint,
    reason: reply.answer?.reason ?? null,
    approvedAmountCents: reply.answer?.approvedAmountCents ?? null,
    metadata: reply.answer?.metadata ?? null,
    dropped: reply.answer?.dropped ?? NONE,
  }
}

function silence(
  outcome: TenantOutcome,
  endpointId: string | null,
  latencyMs: number | null = null,
): TenantRecord {
  return {
    outcome,
    endpointId,
    httpStatus: null,
    latencyMs,
    attempts: latencyMs === null ? 0 : 1,
    errorHint: null,
    reason: null,
    approvedAmountCents: null,
    metadata: null,
    dropped: NONE,
  }
}

const NONE: readonly string[] = []
