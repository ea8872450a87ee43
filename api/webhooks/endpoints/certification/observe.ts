// Judges a reply in one short text: never the reply itself, which may hold data that must not be
// stored.
import type { ProbeReply } from './call.ts'

export interface Observation {
  got: string
  passed: boolean
  latencyMs: number
}

/** Returns the answer in a reply as the engine would accept it, or null. */
export function answerIn(reply: ProbeReply): { approve: boolean; text: string } | null {
  const { status, body } = reply
  if (status === null || status < 200 || status > 299) return null
  const answer = parsed(body)
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return null
  const { approve, decline_reason: reason, approved_amount_cents: amount } = answer as Answer
  if (typeof approve !== 'boolean') return null
  return { approve, text: JSON.stringify([approve, reason ?? null, amount ?? null]) }
}

interface Answer {
  approve?: unknown
  decline_reason?: unknown
  approved_amount_cents?: unknown
}

/** Passes if the reply is an answer. */
export function answered(reply: ProbeReply): Observation {
  const answer = answerIn(reply)
  return { got: shown(reply), passed: answer !== null, latencyMs: reply.latencyMs }
}

/** Passes if the tenant refused the request as the sender's fault. */
export function refused(reply: ProbeReply): Observation {
  const { status, problem, latencyMs } = reply
  const passed = problem === null && status !== null && status >= 400 && status <= 499
  return { got: shown(reply), passed, latencyMs }
}

/** Describes a reply in a few words. */
export function shown(reply: ProbeReply): string {
  const { status, problem, latencyMs } = reply
  const head = status === null ? 'no reply' : 'HTTP ' + status
  if (problem === 'timeout') return head + ', not complete after ' + latencyMs + ' ms'
  if (problem !== null) return head + ', ' + problem
  const answer = answerIn(reply)
  if (answer !== null) return head + ', approve: ' + answer.approve
  const good = status !== null && status >= 200 && status <= 299
  return good ? head + ', no boolean approve' : head
}

/** Returns undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
