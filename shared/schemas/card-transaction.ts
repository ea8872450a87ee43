// A card transaction as the outside sees it: the tenant while it is asked, GET, every list and every event.
// AUTHORIZATION.md 1 and 3. There is no second place where this shape is made.
import { isoInstant, unixSeconds } from '../clock.ts'
import { DECLINE_REASONS } from '../decline-reason.ts'
import { currencyExponent } from '../money.ts'
import { RULE_CATALOG, type TraceRow, traceSteps } from '../rule-catalog.ts'
import type {
  AuthorizationRecord,
  CardRecord,
  Decision,
  TenantRecord,
  Timings,
} from '../wire/journal-entry.ts'

/** What became of a late reply, as its journal entry said. */
export interface LateReply {
  outcome: 'late_approve' | 'late_decline'
  latencyMs: number
  disagrees: boolean
}

export interface TransactionSource {
  record: AuthorizationRecord & { transactionId: string; card: CardRecord }
  /** Null while the tenant is being asked. */
  decision: Decision | null
  late: LateReply | null
  /** Counts what happened to this transaction, from 1. */
  sequence: number
}

export type CardTransaction = ReturnType<typeof cardTransaction>

/** The public shape. Amounts are integers of the currency's minor unit; `created` is Unix seconds of the receipt. */
export function cardTransaction(source: TransactionSource) {
  const { record, decision } = source
  const { message, card } = record
  const amount = {
    amount: message.amountCents,
    currency: message.currency,
    exponent: currencyExponent(message.currency),
  }
  const held = decision === null ? message.amountCents : decision.approvedAmountCents
  return {
    id: record.transactionId,
    object: 'card_transaction' as const,
    created: unixSeconds(record.receivedAtMs),
    sequence: source.sequence,
    livemode: record.environment === 'live',
    status:
      decision === null
        ? ('pending' as const)
        : decision.approved
          ? ('authorized' as const)
          : ('declined' as const),
    amount_cents: message.amountCents,
    approved_amount_cents: decision?.approvedAmountCents ?? null,
    currency: message.currency,
    decline_reason: decision?.declineReason ?? null,
    authorization_request: {
      id: record.requestId,
      kind: 'initial' as const,
      attempt: 1,
      deadline_at: isoInstant(record.receivedAtMs + record.budgetMs),
      budget_ms: record.budgetMs,
    },
    message: {
      id: message.id,
      mti: '0100',
      is_repeat: false,
      is_advice: false,
      network: message.network,
      network_transaction_id: message.networkTransactionId,
      transmitted_at: isoInstant(message.transmittedAtMs),
    },
    amounts: {
      merchant: amount,
      cardholder: amount,
      requested_delta: amount,
      cumulative: amount,
      hold: { ...amount, amount: held },
    },
    partial_approval_capable: message.partialApprovalCapable,
    merchant: {
      id: message.merchantId,
      name: message.merchantName,
      mcc: message.mcc,
      city: message.city,
      country: message.country,
    },
    entry: { method: message.entryMethod, card_present: CARD_PRESENT.has(message.entryMethod) },
    verification: { cvc: record.cvc, expiry: record.expiry },
    program: { id: card.programId, state_version: card.programVersion },
    cardholder: {
      id: card.cardholderId,
      status: card.cardholderStatus,
      state_version: card.cardholderVersion,
    },
    card: {
      id: card.cardId,
      last4: card.last4,
      type: card.cardType,
      status: card.cardStatus,
      state_version: card.cardVersion,
    },
    controls_snapshot: { limits: limitHeadroom(record.trace) },
    decision: decision === null ? null : decisionBody(source, decision),
    metadata: decision?.tenant?.metadata ?? {},
  }
}

const CARD_PRESENT: ReadonlySet<string> = new Set(['chip', 'contactless', 'swipe'])

function decisionBody(source: TransactionSource, decision: Decision) {
  const { record, late } = source
  const { card } = record
  const reason = decision.declineReason
  return {
    approved: decision.approved,
    approved_amount_cents: decision.approvedAmountCents,
    response_code: decision.responseCode,
    authorization_code: decision.authorizationCode,
    decline_reason: reason,
    decline_detail: decision.declineDetail,
    decided_by: decision.decidedBy,
    decided_at: isoInstant(decision.decidedAtMs),
    stand_in: decision.standIn,
    stand_in_detail: decision.standIn ? { cause: decision.tenant?.outcome ?? null } : null,
    retry_advice: reason === null ? null : DECLINE_REASONS[reason].retry,
    webhook: decision.tenant === null ? null : webhookBody(decision.tenant, late),
    config: {
      controls_version: {
        program: card.controlVersions[0],
        cardholder: card.controlVersions[1],
        card: card.controlVersions[2],
      },
      card_state_version: card.cardVersion,
      cardholder_state_version: card.cardholderVersion,
      program_version: card.programVersion,
      engine_build: record.build,
    },
    trace: traceSteps(record.trace),
    timings_us: { ...decision.timings } satisfies Timings,
  }
}

function webhookBody(tenant: TenantRecord, late: LateReply | null) {
  return {
    outcome: tenant.outcome,
    endpoint_id: tenant.endpointId,
    http_status: tenant.httpStatus,
    latency_ms: tenant.latencyMs,
    attempts: tenant.attempts,
    error_hint: tenant.errorHint,
    decline_reason: tenant.reason,
    approved_amount_cents: tenant.approvedAmountCents,
    dropped_fields: [...tenant.dropped],
    late_answer:
      late === null
        ? null
        : { outcome: late.outcome, late_answer_ms: late.latencyMs, disagrees: late.disagrees },
  }
}

/** Headroom of every limit that was judged, so that a tenant can decide without a database of its own. */
function limitHeadroom(trace: readonly TraceRow[]) {
  return traceSteps(trace.filter((row) => row[0] === RULE_CATALOG.within_limit.number)).map(
    ({ inputs }) => {
      const amount = Number(inputs['limit'])
      const used = Number(inputs['used_before'])
      const reserved = Number(inputs['reserved_before'])
      const end = inputs['window_end']
      return {
        id: inputs['limit_id'] ?? null,
        scope: inputs['scope'] ?? null,
        interval: inputs['interval'] ?? null,
        amount_cents: amount,
        used_cents: used,
        reserved_cents: reserved,
        remaining_cents: Math.max(0, amount - used - reserved),
        resets_at: typeof end === 'number' ? isoInstant(end) : null,
        time_zone: inputs['time_zone'] ?? null,
      }
    },
  )
}
