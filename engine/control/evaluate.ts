// A dry run: the decision that an authorization would get now. It uses the same gather, rules and
// state as the authorization line; it reserves nothing, writes no entry and asks no tenant.
import { authorizationKind } from '../../shared/authorization-kind.ts'
import { type DeclineReason, responseCodeOf } from '../../shared/decline-reason.ts'
import { AMOUNT_MAX } from '../../shared/money.ts'
import { isNotification } from '../../shared/schemas/network-message.ts'
import type { EvaluateAnswer, EvaluateRequest } from '../../shared/wire/control.ts'
import { approvalCode } from '../line/answer-text.ts'
import { convert } from '../line/convert.ts'
import { CreditsWaiting, withCredit } from '../line/credit.ts'
import { decodeWire } from '../line/decode.ts'
import { gather } from '../line/gather.ts'
import { judge } from '../line/judge.ts'
import type { Arrival, Gathered, Line } from '../line/line.ts'
import { preconditionFailure } from '../line/match-transaction.ts'
import { misplacement } from '../line/misplaced.ts'
import { projectApproval } from '../line/project-approval.ts'
import { judgeDrafts } from '../line/shadow.ts'
import { controlVersions } from '../rules/control-versions.ts'
import { declineDetail } from '../rules/decline-detail.ts'
import { maxApprovable } from '../rules/max-approvable.ts'
import type { Judged, Trace } from '../rules/rule.ts'
import { maxCredit } from '../rules/within-credit-limit.ts'

/** The reason for a missing answer, with the status of the refusal. */
export interface Unevaluated {
  status: 400 | 404 | 503
  error: string
}

/** Returns the line's decision now, before any tenant is asked. */
export function evaluate(line: Line, request: EvaluateRequest): EvaluateAnswer | Unevaluated {
  const unready = line.unready()
  if (unready !== null) return { status: 503, error: unready }
  const message = decodeWire(line, nobody(line, request), request.message)
  if ('refused' in message)
    return { status: 400, error: message.detail ?? message.param ?? message.refused }
  if (isNotification(message.record.kind))
    return { status: 400, error: 'a notification of a network is not decided' }
  const gathered = gather(line, message, line.clock.nowMs())
  if (gathered === 'incomplete') return { status: 503, error: 'the config cache is incomplete' }
  if (gathered === null || gathered.judged.card.id !== request.card_id)
    return { status: 404, error: 'the config cache has no such card' }
  const elsewhere = misplacement(line, gathered.judged.program)
  if (elsewhere !== null) return { status: 503, error: elsewhere.detail ?? elsewhere.refused }
  return answerOf(line, gathered)
}

/** The sender of a dry-run request. */
function nobody(line: Line, { environment }: EvaluateRequest): Arrival {
  return {
    receivedAtMs: line.clock.nowMs(),
    receivedNs: line.clock.monotonicNs(),
    networkKey: { id: '', network: '', environment, secret: '' },
    reply: { send() {} },
  }
}

function answerOf(line: Line, gathered: Gathered): EvaluateAnswer {
  const { program, cardholder, card, message } = gathered.judged
  const judged = asAsked(line, gathered.judged)
  const trace: Trace = []
  const reason = reasonOf(judged, trace)
  const approvedCents = reason === null ? message.amountCents : 0
  return {
    approved: reason === null,
    approved_amount_cents: approvedCents,
    response_code:
      reason === null
        ? approvalCode(message.kind, approvedCents, message.amountCents)
        : responseCodeOf(reason),
    decline_reason: reason,
    decline_detail: declineDetail(trace.at(-1)),
    trace,
    max_approvable_amount_cents: mostIn(line, judged),
    would_ask: reason === null && asks(gathered),
    shadow: judgeDrafts(judged).verdicts,
    config: {
      program_version: program.version,
      cardholder_version: cardholder.version,
      card_version: card.version,
      controls_versions: controlVersions(judged),
      engine_build: line.build,
    },
  }
}

function reasonOf(judged: Judged, trace: Trace): DeclineReason | null {
  return preconditionFailure(judged.message, null, judged.cardAmountCents) ?? judge(judged, trace)
}

function asks({ judged, endpoint }: Gathered): boolean {
  const { realtime, realtime_entitled: entitled } = judged.program
  if (authorizationKind(judged.message) === 'balance_inquiry') return false
  return realtime && entitled && endpoint?.status === 'enabled'
}

/**
 * The largest amount in the message's currency that would be approved, 0 if none is. The rules
 * decide: headroom does not help a blocked merchant.
 */
function mostIn(line: Line, judged: Judged): number {
  const cardCents = judged.credit === null ? maxApprovable(judged) : maxCredit(judged)
  const most = largestWithin(line, judged, cardCents)
  const asked = asking(line, judged, most)
  if (asked === null) return 0
  return reasonOf(asAsked(line, asked), []) === null ? most : 0
}

/** Returns the gathered data of a message that no network sent, as the rules see it. */
function asAsked(line: Line, gathered: Judged): Judged {
  const now = { state: line.state, nowMs: line.clock.nowMs() }
  const judged = withCredit(now, gathered, null, NONE_WAITS)
  return projectApproval(judged, null, judged.cardAmountCents, 0)
}

const NONE_WAITS = new CreditsWaiting()

/** The largest amount whose conversion is at most this much of the card's currency. */
function largestWithin(line: Line, judged: Judged, cardCents: number): number {
  if (judged.message.currency === judged.card.currency) return cardCents
  let most = 0
  let tooMuch = AMOUNT_MAX + 1
  while (tooMuch - most > 1) {
    const middle = most + Math.floor((tooMuch - most) / 2)
    const asked = asking(line, judged, middle)
    if (asked !== null && asked.cardAmountCents <= cardCents) most = middle
    else tooMuch = middle
  }
  return most
}

/**
 * Returns the same request with another amount, or null if that amount cannot be converted. Chosen:
 * a network's billing amount is no rate for another amount, so our own rate counts.
 */
function asking(line: Line, judged: Judged, amountCents: number): Judged | null {
  const { program, card } = judged
  const billing = { billingAmountCents: null, billingCurrency: null, billingRate: null }
  const message = { ...judged.message, ...billing, amountCents }
  const converted = convert(line.configCache, message, program, card.currency)
  return converted === null ? null : { ...judged, message, ...converted }
}
