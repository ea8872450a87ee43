// The sandbox's holder, an outside party: a telephone that answers hosted pages with passkeys of
// its own, and the bank of the token, which mints and blocks. Live has no such party.
import type { Clock } from '../../../shared/clock.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { type OutsideCaller, openOutsideCaller } from '../../http/outside-caller.ts'
import { Refusal } from '../../http/refusal.ts'

/** Milliseconds that a simulate call waits: minting waits for a block of the chain. */
const CALL_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 64 * 1024
const HEADERS = { 'content-type': 'application/json' }

/** The calls that the party takes, each a POST of JSON. */
export interface HolderCalls {
  /** Creates a passkey on an enrolment page. */
  enrolments: { url: string }
  /** Remembers the next answer of a passkey; 404: it is on another device. */
  answers: { credential_id: string; answer: 'approve' | 'deny' }
  /** Hands over the link of a payment or withdrawal, as a shop sends it. */
  messages: { url: string }
  tokens: { address: string; cents: number }
  blocks: { address: string; blocked: boolean }
}

/** The port of routes that reach the holder. */
export interface HolderPort {
  holder: SimulatedHolder
}

export interface SimulatedHolder {
  /**
   * Refuses with 503 where the party is unknown or away, or with 409 where it cannot do that. An
   * answer counts for links that are handed over after it, so it waits for those before.
   */
  ask<Name extends keyof HolderCalls>(name: Name, body: HolderCalls[Name]): Promise<void>
  /** Hands over a link of the sandbox that waits for its holder. */
  tellHolder(environment: Environment, url: string): void
  close(): Promise<void>
}

/** `url`: the party's base URL; null where the sandbox has none. */
export function openSimulatedHolder(url: string | null, clock: Clock): SimulatedHolder {
  const bounds = { callMsMax: CALL_MS_MAX, answerBytesMax: ANSWER_BYTES_MAX }
  const caller = url === null ? null : openOutsideCaller({ clock, ...bounds })
  const post = (name: keyof HolderCalls, body: object) => called(caller, url + '/' + name, body)
  /** Links on their way to the telephone. */
  const told = new Set<Promise<unknown>>()
  return {
    async ask(name, body) {
      if (name === 'answers') await Promise.all(told)
      const status = await post(name, body)
      if (status === 204) return
      if (status === 404)
        throw new Refusal('invalid_state', {
          message: 'The passkey of this account is not on the telephone of the sandbox.',
        })
      throw new Refusal('dependency_unavailable', {
        message:
          url === null
            ? 'This sandbox has no simulated holder: it settles on a chain of your own.'
            : 'The simulated holder did not do that. Repeat the call.',
      })
    },
    tellHolder(environment, link) {
      // A telephone that is off misses the message: the payment waits for its holder all the same.
      if (environment !== 'sandbox' || caller === null) return
      const handed = post('messages', { url: link }).finally(() => told.delete(handed))
      told.add(handed)
    },
    close: async () => caller?.close(),
  }
}

/** The status of the answer; null where none came. */
async function called(
  caller: OutsideCaller | null,
  url: string,
  body: object,
): Promise<number | null> {
  const call = { method: 'POST', url, headers: HEADERS, body: JSON.stringify(body) } as const
  const answer = await caller?.call(call)
  return answer?.ok === true ? answer.value.status : null
}
