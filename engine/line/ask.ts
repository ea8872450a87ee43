// Step 7. Reservation → the tenant's answer or a timeout. Every failure is a value; the wait always
// ends at the deadline; a later answer is reported as late and changes nothing.
import { assert } from '../../shared/assert.ts'
import { TENANT_CALLS_MAX } from '../../shared/limits.ts'
import type { TransactionLife, TransactionSource } from '../../shared/schemas/card-transaction.ts'
import { authorizationRequest } from '../../shared/schemas/event.ts'
import type { EndpointConfig } from '../../shared/wire/config-records.ts'
import type {
  AuthorizationRecord,
  TenantOutcome,
  TenantRecord,
} from '../../shared/wire/journal-entry.ts'
import type { TransactionState } from '../state/transactions.ts'
import { isFailure } from '../tenant/breaker.ts'
import type { SpentTimes, TenantReply } from '../tenant/caller.ts'
import type { Gathered, Line, Pending } from './line.ts'
import { matchRequest } from './match-transaction.ts'
import { standInVerdict } from './stand-in.ts'

export interface AskEvents {
  /** Called once: the tenant answered, failed or was silent until the deadline. */
  onAnswer(reply: TenantRecord): void
  /** Called when an answer arrives after onAnswer reported a timeout. */
  onLate(reply: TenantRecord, approve: boolean): void
}

/**
 * Returns why the tenant cannot be asked, or null: then the endpoint's breaker needs the result of
 * `ask`.
 */
export function unaskable(line: Line, pending: Pending, gathered: Gathered): TenantRecord | null {
  const { endpoint, judged } = gathered
  // Chosen: a tenant without the entitlement has opted in to nothing.
  if (!judged.program.realtime_entitled) return silence('not_configured', null)
  if (endpoint === null || endpoint.status !== 'enabled') return silence('not_configured', null)
  const nowMs = breakerMs(line)
  if (line.tenants.inFlight(endpoint.tenant_id) >= TENANT_CALLS_MAX) {
    pending.breaker = line.breakers.peek(endpoint)
    return silence('bulkhead_full', endpoint.id)
  }
  pending.breaker = line.breakers.admit(endpoint, nowMs)
  return pending.breaker.state === 'open' ? silence('breaker_open', endpoint.id) : null
}

/**
 * Milliseconds for the breakers: the authorization line's date may stand still for a while, this
 * clock never does.
 */
function breakerMs(line: Line): number {
  return line.clock.monotonicNs() / 1e6
}

/** Asks the endpoint that gather found; call it only when `unaskable` is null. */
export function ask(
  line: Line,
  pending: Pending,
  endpoint: EndpointConfig,
  body: string,
  events: AskEvents,
): void {
  const heard = (tenant: TenantRecord): void => {
    const { breaker } = pending
    if (breaker !== null) line.breakers.report(breaker, isFailure(tenant.outcome), breakerMs(line))
    events.onAnswer(tenant)
  }
  const secrets = line.secrets.endpointSecrets(endpoint)
  // Chosen: an unsigned request is never sent; a tenant must not get used to unsigned requests.
  if (secrets.length === 0)
    return heard({ ...silence('connection_error', endpoint.id), errorHint: 'no_secret' })
  const deadlineAtMs = pending.receivedAtMs + line.budgetMs
  const sentAtMs = line.clock.nowMs()
  let over = false
  const call = line.tenants.call({
    tenantId: endpoint.tenant_id,
    endpointId: endpoint.id,
    url: endpoint.url,
    secrets,
    body,
    requestId: pending.requestId,
    deadlineAtMs,
  })
  const end = (spent: SpentTimes, tenant: TenantRecord): void => {
    over = true
    pending.times.sign = spent.signUs
    pending.times.connect = spent.connectUs
    heard(tenant)
  }
  const timer = line.clock.after(Math.max(0, deadlineAtMs - sentAtMs), () =>
    end(call.spent(), silence('timeout_response', endpoint.id, line.clock.nowMs() - sentAtMs)),
  )
  const settle = (reply: TenantReply): void => {
    const tenant = tenantRecord(reply, endpoint.id)
    if (over) {
      if (reply.answer !== null) events.onLate(tenant, reply.answer.approve)
      return
    }
    timer.cancel()
    end(reply, tenant)
  }
  call.reply.then(settle, (error: unknown) => line.stop('a tenant call rejected: ' + String(error)))
}

/** Returns the exact bytes of the authorization request. Spec 2.7. */
export function requestText(line: Line, record: AuthorizationRecord, pending: Pending): string {
  const { transactionId, card } = record
  assert(transactionId !== null && card !== null, 'a question without a card')
  const apiVersion = pending.gathered?.judged.program.api_version ?? ''
  line.metrics.asked += 1
  const transaction = matchRequest(line.state, pending)?.transaction ?? null
  const judged = pending.gathered?.judged ?? null
  const source: TransactionSource = {
    record: { ...record, transactionId, card },
    decision: null,
    late: null,
    sequence: (transaction?.sequence ?? 0) + 1,
    standInWould:
      judged === null ? null : standInVerdict(judged, line.state.standIn, line.clock.nowMs()),
    ...(transaction !== null && { life: lifeOf(transaction, pending) }),
  }
  return JSON.stringify(authorizationRequest(source, apiVersion))
}

/**
 * The transaction of an authorization request as far as the engine remembers it: its sums, not its
 * messages.
 */
function lifeOf(transaction: TransactionState, pending: Pending): TransactionLife {
  const { transactionId, receivedAtMs, clockOffsetMs } = pending
  return {
    // An id begins with the millisecond of its creation.
    createdAtMs: (transactionId?.bytes.readUIntBE(0, 6) ?? receivedAtMs) + clockOffsetMs,
    sums: transaction.sums,
    flags: transaction.flags,
    holdExpiresAtMs: transaction.holdExpiresAtMs,
    moments: [],
    originalTransactionId: null,
  }
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
