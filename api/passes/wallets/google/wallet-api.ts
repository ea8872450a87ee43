// Google's wallet API: inserts and updates classes and objects of generic passes. Every failure is
// a value.
import type { Clock } from '../../../../shared/clock.ts'
import type { Result } from '../../../../shared/result.ts'
import {
  type OutsideAnswer,
  type OutsideCall,
  openOutsideCaller,
} from '../../../http/outside-caller.ts'
import { later, type PushOutcome } from '../pushes.ts'
import { openAccessTokens } from './access-token.ts'
import type { GoogleIssuer } from './account.ts'
import { outcomeOf } from './outcome.ts'

const CALL_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 256 * 1024
const BASE = '/walletobjects/v1/'

export type GoogleKind = 'genericClass' | 'genericObject'

export interface WalletApi {
  /**
   * Inserts the resource, or replaces it whole. `known`: it probably exists, which saves a call.
   * Never rejects.
   */
  put(kind: GoogleKind, content: { id: string }, known: boolean): Promise<PushOutcome>
  /** Returns whether any wallet has the object; false for a missing object. Never rejects. */
  hasUsers(objectId: string): Promise<Result<boolean, PushOutcome>>
  close(): Promise<void>
}

type Call = Pick<OutsideCall, 'method' | 'body'> & { path: string }

export function openWalletApi(issuer: GoogleIssuer, clock: Clock): WalletApi {
  const outside = openOutsideCaller({
    clock,
    callMsMax: CALL_MS_MAX,
    answerBytesMax: ANSWER_BYTES_MAX,
  })
  const tokens = openAccessTokens(issuer, { outside, clock })
  const once = async ({ method, path, body }: Call): Promise<Answered> => {
    const granted = await tokens.token()
    if (!granted.ok) return { status: 0, answer: null, outcome: granted.error }
    const sent = await outside.call({
      method,
      url: issuer.apiUrl + BASE + path,
      headers: {
        authorization: 'Bearer ' + granted.value,
        ...(body !== null && { 'content-type': 'application/json' }),
      },
      body,
    })
    if (!sent.ok) return { status: 0, answer: null, outcome: later(sent.error) }
    if (sent.value.status === 401) tokens.forget(granted.value)
    return { status: sent.value.status, answer: sent.value, outcome: outcomeOf(sent.value) }
  }
  const call = async (wanted: Call): Promise<Answered> => {
    const first = await once(wanted)
    // Google may revoke a token before it expires.
    return first.status === 401 ? once(wanted) : first
  }
  return {
    async put(kind, content, known) {
      const body = JSON.stringify(content)
      const insert: Call = { method: 'POST', path: kind, body }
      const update: Call = { method: 'PUT', path: kind + '/' + content.id, body }
      let outcome: PushOutcome = later('conflict')
      // The other call handles a simultaneous insert, or a wrong `known`.
      for (const wanted of known ? [update, insert, update] : [insert, update, insert]) {
        const { status, outcome: told } = await call(wanted)
        outcome = told
        if (status !== (wanted === insert ? 409 : 404)) break
      }
      return outcome
    },
    async hasUsers(objectId) {
      const path = 'genericObject/' + objectId
      const { status, answer, outcome } = await call({ method: 'GET', path, body: null })
      if (status === 404) return { ok: true, value: false }
      if (outcome.kind !== 'taken' || answer === null) return { ok: false, error: outcome }
      return { ok: true, value: (answer.body as { hasUsers?: unknown } | null)?.hasUsers === true }
    },
    close: outside.close,
  }
}

interface Answered {
  /** 0 without a status. */
  status: number
  answer: OutsideAnswer | null
  outcome: PushOutcome
}
