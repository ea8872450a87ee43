// Judges the answer to a message of the load. Pure: the load sends, this judges.
import type { NetworkAnswer } from '../../shared/schemas/network-message.ts'
import type { IsoMessage } from '../../shared/wire/iso8583/codec.ts'
import type { Exchange } from './connection-pool.ts'
import type { IsoAnswer } from './iso-link.ts'
import { answerIn, networkTransactionId } from './message.ts'
import { outcomeOf } from './outcome.ts'

export interface SentMessage {
  /** Place in the stream, from 0. */
  index: number
  id: string
  amountCents: number
  /** Whether the card's program asks its tenant. */
  realtime: boolean
}

export interface Judged {
  outcome: string
  /** One sentence where the answer is not right, else null. */
  problem: string | null
}

/**
 * An answer of the load: an approval of the whole amount, or a decline because the load used a
 * limit up.
 */
export function judgeLoadAnswer(sent: SentMessage, exchange: Exchange | IsoAnswer): Judged {
  if (exchange.kind === 'iso') return judgeIsoAnswer(sent, exchange.message)
  if (exchange.kind === 'broken')
    return { outcome: 'no answer: ' + exchange.problem, problem: 'no answer: ' + exchange.problem }
  if (exchange.status !== 200) {
    const refused = 'refused: HTTP ' + exchange.status + ' ' + errorCodeIn(exchange.body)
    return { outcome: refused, problem: refused }
  }
  const answer = answerIn(exchange.body)
  if (answer === null)
    return { outcome: 'malformed answer', problem: 'the body is not an answer with every key' }
  return { outcome: outcomeOf(answer), problem: answerProblem(sent, answer) }
}

/** Field 39 of a limit that is used up. */
const LIMIT_REACHED = '61'
/** And of a refusal without a decision, which is HTTP's 503. */
const NOBODY_TO_DECIDE = '91'

function judgeIsoAnswer(sent: SentMessage, { mti, fields }: IsoMessage): Judged {
  const code = fields[39] ?? 'none'
  const judged = (outcome: string, problem: string | null): Judged => ({ outcome, problem })
  if (mti !== '0110') return judged('answered ' + mti, 'answered with a ' + mti)
  if (fields[63] !== networkTransactionId(sent.id))
    return judged('another answer', 'the answer is for network transaction ' + fields[63])
  if (code === LIMIT_REACHED) return judged('declined: 61', null)
  if (code === NOBODY_TO_DECIDE) return judged('refused: 91', 'refused: response code 91')
  if (code !== '00') return judged('declined: ' + code, 'declined: response code ' + code)
  if (!/^[0-9A-Z]{6}$/.test(fields[38] ?? ''))
    return judged('approved', 'approved without an authorization code of six characters')
  return Number(fields[4]) === sent.amountCents
    ? judged('approved', null)
    : judged('approved', 'approved ' + fields[4] + ' of ' + sent.amountCents)
}

function answerProblem(sent: SentMessage, answer: NetworkAnswer): string | null {
  if (answer.message_id !== sent.id) return 'the answer is for message ' + answer.message_id
  if (answer.stand_in && !sent.realtime) return 'stand-in although nobody is asked for this card'
  if (!sent.realtime && answer.decided_by === 'tenant')
    return 'decided by a tenant that is not asked for this card'
  return answer.approved ? approvalProblem(sent, answer) : declineProblem(answer)
}

function approvalProblem(sent: SentMessage, answer: NetworkAnswer): string | null {
  if (answer.response_code !== '00') return 'approved with response code ' + answer.response_code
  if (answer.decline_reason !== null) return 'approved with a decline reason'
  if (answer.transaction_id === null) return 'approved without a transaction'
  if (!/^[0-9A-Z]{6}$/.test(answer.authorization_code ?? ''))
    return 'approved without an authorization code of six characters'
  return answer.approved_amount_cents === sent.amountCents
    ? null
    : 'approved ' + answer.approved_amount_cents + ' of ' + sent.amountCents
}

function declineProblem(answer: NetworkAnswer): string | null {
  const reason = answer.decline_reason ?? 'no reason'
  if (!reason.startsWith('limit_')) return 'declined: ' + reason
  if (answer.response_code !== '61') return reason + ' with response code ' + answer.response_code
  return answer.approved_amount_cents === 0 && answer.authorization_code === null
    ? null
    : 'declined and yet an amount or an authorization code'
}

/** The stable code of an error body, for people. */
function errorCodeIn(body: Buffer): string {
  return /"code":\s*"([a-z_]{1,64})"/.exec(body.toString('latin1'))?.[1] ?? 'without a code'
}
