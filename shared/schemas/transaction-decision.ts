// The decision in a card transaction as the outside sees it: its author, its reason, its inputs and
// its timing. Authorization 3.
import { isoInstant } from '../clock.ts'
import { DECLINE_REASONS } from '../decline-reason.ts'
import { traceSteps } from '../rule-catalog.ts'
import type { StandInCap } from '../transaction-reference.ts'
import type { FraudRuleName } from '../wire/config-records.ts'
import type {
  AuthorizationRecord,
  CardRecord,
  Decision,
  Effect,
  TenantRecord,
  Timings,
} from '../wire/journal-entry.ts'
import { approvedCents } from './transaction-parts.ts'

/** The outcome of a late reply, from its journal entry. */
export interface LateReply {
  outcome: 'late_approve' | 'late_decline'
  latencyMs: number
  disagrees: boolean
}

export interface DecisionSource {
  record: AuthorizationRecord & { card: CardRecord }
  /** The effect of the authorization request. */
  effect?: Effect | null
  late: LateReply | null
}

/** Amounts are minor units of the card's currency. */
export function decisionBody({ record, effect, late }: DecisionSource, decision: Decision) {
  const { card } = record
  const reason = decision.declineReason
  return {
    approved: decision.approved,
    approved_amount_cents: approvedCents(record.fx, decision, effect ?? null),
    response_code: decision.responseCode,
    authorization_code: decision.authorizationCode,
    decline_reason: reason,
    decline_detail: decision.declineDetail,
    decided_by: decision.decidedBy,
    decided_at: isoInstant(decision.decidedAtMs),
    stand_in: decision.standIn,
    stand_in_detail: decision.standIn
      ? {
          cause: decision.tenant?.outcome ?? null,
          cap_id: decision.standInCap as StandInCap | null,
        }
      : null,
    /**
     * The answer that stand-in would have given, whether or not the tenant answered; null if nobody
     * was to be asked.
     */
    stand_in_would: standInWouldBody(decision.standInWould),
    /** The fraud rule that declined. */
    fraud_rule: decision.standIn ? null : (decision.standInCap as FraudRuleName | null),
    /** Fraud rules in draft that would have stopped the card. */
    fraud_rules_in_draft: [...decision.wouldStop],
    breaker: decision.breaker,
    /** The verdicts of drafts. */
    shadow: decision.shadow.map(({ controlId, version, reason: wouldDecline }) => ({
      control_id: controlId,
      version,
      approve: wouldDecline === null,
      decline_reason: wouldDecline,
    })),
    /** Only of a balance inquiry. */
    available_amount_cents: decision.availableCents,
    retry_advice: reason === null ? null : DECLINE_REASONS[reason].retry,
    webhook: decision.tenant === null ? null : webhookBody(decision.tenant, late),
    config: {
      controls_version: controlsVersion(card),
      card_state_version: card.cardVersion,
      cardholder_state_version: card.cardholderVersion,
      program_version: card.programVersion,
      fx_version: record.fx?.version ?? null,
      engine_build: record.build,
    },
    trace: traceSteps(record.trace),
    timings_us: { ...decision.timings } satisfies Timings,
  }
}

/**
 * The versions of the controls that bound the program, the cardholder and the card; 0 without
 * controls.
 */
export function controlsVersion({ controlVersions: [program, cardholder, card] }: CardRecord) {
  return { program, cardholder, card }
}

/** The verdict of stand-in in public words. */
export function standInWouldBody(would: Decision['standInWould']) {
  return would === null ? null : { approve: would.approve, decline_reason: would.reason }
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
