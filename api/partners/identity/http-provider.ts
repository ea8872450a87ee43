// The identity provider over HTTP: `PUT` and `GET {url}/v1/verifications/{id}`, with our id, so that a repeat asks nothing new.
// Results come as signed callbacks. The same in live and in the sandbox, where a process of our own plays the other side.

import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { Agent, type Dispatcher } from 'undici'
import { parseCidrs } from '../../../shared/address.ts'
import { openAddressBook } from '../../../shared/address-book.ts'
import type { Clock } from '../../../shared/clock.ts'
import { vettedConnector } from '../../delivery/vetted-connector.ts'
import { FINDING_STATUSES, type Finding, type IdentityProvider, type Question } from './provider.ts'

const CALL_MS_MAX = 5000
const CONNECT_MS_MAX = 3000
const ANSWER_BYTES_MAX = 16 * 1024

export interface HttpProviderOptions {
  /** Without a slash at its end. */
  url: string
  /** Sent as a bearer credential. */
  key: string
  clock: Clock
  callMsMax?: number
}

export interface HttpProvider extends IdentityProvider {
  close(): Promise<void>
}

interface Answer {
  status: number
  body: unknown
}

/** Who runs the installation chose the address, so that it may be any. */
const EVERYWHERE = parseCidrs('0.0.0.0/0,::/0')

export function createHttpProvider(options: HttpProviderOptions): HttpProvider {
  const { url, key, clock, callMsMax = CALL_MS_MAX } = options
  const opened = EVERYWHERE.ok ? EVERYWHERE.value : []
  const addresses = openAddressBook({ opened, clock, nameServers: [] })
  const agent = new Agent({
    connect: vettedConnector({ addresses, opened, timeoutMs: CONNECT_MS_MAX }),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: 4000,
    headersTimeout: callMsMax + 1000,
    bodyTimeout: callMsMax + 1000,
  })
  const call = async (method: 'GET' | 'PUT', id: string, body: string | null) => {
    const budget = new AbortController()
    const timer = clock.after(callMsMax, () => budget.abort())
    const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
    try {
      return await answerOf(
        agent.request({
          ...target(url + '/v1/verifications/' + id),
          method,
          headers,
          body,
          signal: budget.signal,
        }),
      )
    } catch {
      // Whatever happened on the way, nobody knows whether it arrived.
      return null
    } finally {
      timer.cancel()
    }
  }
  return {
    ask: async (question) =>
      asked(await call('PUT', question.verificationId, JSON.stringify(bodyOf(question)))),
    look: async (verificationId) => looked(verificationId, await call('GET', verificationId, null)),
    close() {
      addresses.close()
      return agent.destroy()
    },
  }
}

function target(text: string): { origin: string; path: string } {
  const { origin, pathname } = new URL(text)
  return { origin, path: pathname }
}

function bodyOf({ livemode, person }: Question): object {
  return { livemode, person }
}

async function answerOf(sent: Promise<Dispatcher.ResponseData>): Promise<Answer> {
  const { statusCode: status, body } = await sent
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop ends the connection.
    if (bytes > ANSWER_BYTES_MAX) return { status, body: null }
    chunks.push(chunk)
  }
  return { status, body: parsed(Buffer.concat(chunks)) }
}

/** Only what is wrong with the question itself is refused; a wrong key or address is ours to mend, and it is sent again. */
function asked(answer: Answer | null): 'accepted' | 'refused' | 'unavailable' {
  if (answer === null) return 'unavailable'
  if (answer.status >= 200 && answer.status < 300) return 'accepted'
  return answer.status === 400 || answer.status === 422 ? 'refused' : 'unavailable'
}

function looked(id: string, answer: Answer | null): Finding | 'unknown' | 'unavailable' {
  if (answer === null) return 'unavailable'
  if (answer.status === 404) return 'unknown'
  const finding = answer.status === 200 ? findingOf(answer.body) : null
  return finding === null || finding.verificationId !== id ? 'unavailable' : finding
}

const IDENTIFIER = { minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' }

/** What the provider may say; fields we do not know are ignored. */
const Told = Type.Object({
  id: Type.String(IDENTIFIER),
  verification_id: Type.String(IDENTIFIER),
  sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  status: Type.Enum([...FINDING_STATUSES]),
  reasons: Type.Array(
    Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
    { maxItems: 20 },
  ),
})

/** A result as the provider writes it, in a callback and in an answer; null where it is none. */
export function readFinding(bytes: Uint8Array): Finding | null {
  return findingOf(parsed(bytes))
}

function findingOf(told: unknown): Finding | null {
  if (!Value.Check(Told, told)) return null
  const { id: eventId, verification_id: verificationId, sequence, status, reasons } = told
  if (!reasons.every((reason) => reason.isWellFormed())) return null
  return { eventId, verificationId, sequence, status, reasons }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}
