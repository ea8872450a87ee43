// The spans of drained journal entries: the message of the network, the call of the tenant, and the
// drain with its event. The engine's own spans come from the times that it journals, so its process
// makes none.
import type { EpochMs } from '../../shared/clock.ts'
import type { EventType } from '../../shared/event-catalog.ts'
import {
  spanOfEvent,
  spanOfMessage,
  spanOfTenantCall,
  traceOfTransaction,
} from '../../shared/trace-id.ts'
import type { SpanRecord } from '../tracing/span.ts'
import type { DrainedEntry, ExpiredEntry, MessageEntry } from './drained-entry.ts'
import { transactionEventId } from './event-id.ts'

/** Returns the spans of entries that PostgreSQL took at `committedAtMs`, in their order. */
export function entrySpans(
  entries: readonly DrainedEntry[],
  committedAtMs: EpochMs,
): readonly SpanRecord[] {
  return entries.flatMap((entry) => {
    if (entry.to === 'card_transactions') return messageSpans(entry, committedAtMs)
    return entry.to === 'expiry' ? [expirySpan(entry, committedAtMs)] : []
  })
}

/** Times are the installation's: a sandbox tenant's own clock is taken out again. */
function messageSpans(drained: MessageEntry, committedAtMs: EpochMs): SpanRecord[] {
  const { entry, id, effect, seq } = drained
  const { decision, message, clockOffsetMs } = entry
  const { timings, tenant } = decision
  const startedAtMs = entry.receivedAtMs - clockOffsetMs
  const endedAtMs = startedAtMs + timings.total / 1000
  const traceId = traceOfTransaction(id) ?? ''
  const spanId = spanOfMessage(id, effect.sequence)
  const common = {
    'svc.transaction_id': id,
    'svc.tenant_id': drained.card.tenantId,
    'svc.environment': entry.environment,
  }
  const spans: SpanRecord[] = [
    {
      service: 'svc-engine',
      name: message.kind,
      kind: 'server',
      ...{ traceId, spanId, startedAtMs, endedAtMs },
      parentId: effect.sequence === 1 ? null : spanOfMessage(id, 1),
      attributes: {
        ...common,
        'svc.network': message.network,
        'svc.journal_seq': seq,
        'svc.approved': decision.approved,
        'svc.decided_by': decision.decidedBy,
        'svc.decline_reason': decision.declineReason ?? 'none',
        'svc.response_code': decision.responseCode,
      },
      failed: false,
    },
  ]
  if (tenant !== null && tenant.attempts > 0) {
    const callEndMs = endedAtMs - timings.finalize / 1000
    spans.push({
      service: 'svc-engine',
      name: 'authorization.request',
      kind: 'client',
      traceId,
      spanId: spanOfTenantCall(entry.requestId),
      parentId: spanId,
      startedAtMs: callEndMs - timings.tenant_wait / 1000,
      endedAtMs: callEndMs,
      attributes: {
        ...common,
        'svc.request_id': entry.requestId,
        'svc.endpoint_id': tenant.endpointId ?? 'none',
        'svc.outcome': tenant.outcome,
        'svc.attempts': tenant.attempts,
        ...(tenant.httpStatus !== null && { 'http.response.status_code': tenant.httpStatus }),
      },
      failed: !tenant.outcome.startsWith('answered_'),
    })
  }
  const at = decision.decidedAtMs
  const drain = { at, parentId: spanId, startedAtMs: at - clockOffsetMs, endedAtMs: committedAtMs }
  return [...spans, drainSpan(drained, drain)]
}

/** A hold expires without a message: its drain follows the authorization, and has no length. */
function expirySpan(drained: ExpiredEntry, committedAtMs: EpochMs): SpanRecord {
  return drainSpan(drained, {
    at: drained.entry.expiredAtMs,
    parentId: spanOfMessage(drained.id, 1),
    startedAtMs: committedAtMs,
    endedAtMs: committedAtMs,
  })
}

/**
 * From the decision until PostgreSQL has the entry and its event. `at` is the moment of the event
 * by the tenant's clock.
 */
function drainSpan(
  { id, effect, seq }: MessageEntry | ExpiredEntry,
  { at, ...when }: { at: EpochMs } & Pick<SpanRecord, 'parentId' | 'startedAtMs' | 'endedAtMs'>,
): SpanRecord {
  const type = ('card.transaction.' + effect.event) as EventType
  const eventId = transactionEventId(type, { transactionId: id, sequence: effect.sequence, at })
  return {
    service: 'svc-api',
    name: 'drain',
    kind: 'internal',
    traceId: traceOfTransaction(id) ?? '',
    spanId: spanOfEvent(eventId),
    ...when,
    attributes: {
      'svc.transaction_id': id,
      'svc.event_id': eventId,
      'svc.event_type': type,
      'svc.journal_seq': seq,
    },
    failed: false,
  }
}
