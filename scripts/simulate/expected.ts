// The expectation of a scenario for an authorization: the answer on the network, and the
// transaction that the API shows afterwards. Every scenario spells out its response codes and never
// takes them from the service's own table: this is the second opinion.
import type { EventType } from '../../shared/event-catalog.ts'
import type { Document } from './api.ts'
import { isDocument } from './api.ts'
import { Expectation, matching, someText } from './differences.ts'

export interface Expected {
  /** Part of the network's answer. */
  answer: Document
  /**
   * Part of the transaction the API shows, and the event that announces it; null where none may be
   * recorded.
   */
  recorded: { transaction: Document; event: EventType } | null
}

interface ApprovedBy {
  decidedBy?: 'static_controls' | 'tenant'
  amountCents?: number
  /** `10` for a part of the amount. */
  code?: string
}

/** Approved, by the controls unless the tenant was asked. */
export function approved(by: ApprovedBy = {}): Expected {
  const decidedBy = by.decidedBy ?? 'static_controls'
  return approval({
    code: by.code ?? '00',
    decidedBy,
    standIn: false,
    webhook: decidedBy === 'tenant' ? { outcome: 'answered_approve', http_status: 200 } : null,
    ...(by.amountCents === undefined ? {} : { amountCents: by.amountCents }),
  })
}

/** The tenant was silent in this way, and the controls stood in for it. */
export function stoodIn(outcome: string | Expectation): Expected {
  return approval({ code: '00', decidedBy: 'stand_in', standIn: true, webhook: { outcome } })
}

interface Approval {
  code: string
  decidedBy: string
  standIn: boolean
  webhook: Document | null
  amountCents?: number
}

function approval({ code, decidedBy, standIn, webhook, amountCents }: Approval): Expected {
  const amount = amountCents === undefined ? {} : { approved_amount_cents: amountCents }
  const decision = {
    approved: true,
    ...amount,
    response_code: code,
    decline_reason: null,
    decided_by: decidedBy,
    stand_in: standIn,
  }
  return {
    answer: {
      ...decision,
      transaction_id: someText,
      authorization_code: matching(/^[0-9A-Z]{6}$/),
    },
    recorded: {
      event: 'card.transaction.authorized',
      transaction: {
        status: 'authorized',
        decline_reason: null,
        decision: { ...decision, retry_advice: null, webhook, trace: everyRulePasses },
      },
    },
  }
}

interface DeclinedFor {
  reason: string
  /** ISO 8583 field 39. */
  code: string
  /** The decline reason in the answer to the network, if the true reason must not be revealed. */
  outward?: string
  /** The rule that declined; none where the tenant did. */
  rule?: string
  decidedBy?: 'static_controls' | 'tenant' | 'stand_in'
  /** Part of the record of the tenant's answer. */
  webhook?: Document | null
}

export function declined(why: DeclinedFor): Expected {
  const decidedBy = why.decidedBy ?? 'static_controls'
  const decision = {
    approved: false,
    approved_amount_cents: 0,
    response_code: why.code,
    authorization_code: null,
    decided_by: decidedBy,
    stand_in: decidedBy === 'stand_in',
  }
  return {
    answer: {
      ...decision,
      transaction_id: someText,
      decline_reason: why.outward ?? why.reason,
    },
    recorded: {
      event: 'card.transaction.declined',
      transaction: {
        status: 'declined',
        decline_reason: why.reason,
        decision: {
          ...decision,
          decline_reason: why.reason,
          webhook: why.webhook ?? null,
          trace: why.rule === undefined ? everyRulePasses : lastRuleFails(why.rule),
        },
      },
    },
  }
}

/** The tenant was asked and declined. */
export function tenantDeclined(why: { reason: string; code: string; outward?: string }): Expected {
  return declined({
    ...why,
    decidedBy: 'tenant',
    webhook: { outcome: 'answered_decline', http_status: 200 },
  })
}

const everyRulePasses = new Expectation(
  'a trace in which every rule passes',
  (trace) =>
    Array.isArray(trace) && trace.length > 0 && trace.every((step) => verdictOf(step) === 'pass'),
)

function lastRuleFails(rule: string): Expectation {
  return new Expectation('a trace that ends where ' + rule + ' fails', (trace) => {
    if (!Array.isArray(trace)) return false
    const last: unknown = trace.at(-1)
    return (
      isDocument(last) &&
      last['rule_id'] === rule &&
      trace.every((step) => (verdictOf(step) === 'fail') === (step === last))
    )
  })
}

function verdictOf(step: unknown): unknown {
  return isDocument(step) ? step['verdict'] : undefined
}
