// A tenant that passes a certification, and tenants that each have one defect.
import { systemClock, unixSeconds } from '../../shared/clock.ts'
import { signatureHeader, verifySignature } from '../../shared/signature.ts'
import { type Behaviour, type FakeTenant, json, startTenant, type TenantRequest } from './tenant.ts'

export const CERTIFIED_SECRET = 'whsec_Y2VydGlmaWVk'
/** A secret that belongs to no endpoint. */
export const STRANGER_SECRET = 'whsec_c3RyYW5nZXI='

const SLOW_MS = 250
const QUEUE_MS = 200

export interface Judged {
  request: TenantRequest
  /** Kind of the parsed body; null if the body is not JSON. */
  kind: string | null
  amountCents: number | null
  currency: string | null
}

/** The answer of a defective tenant where it differs; null: it answers like the good tenant. */
export type Defect = (judged: Judged, good: GoodTenant) => Behaviour | null | Promise<Behaviour>

const YES = json({ approve: true })
const NO = json({ approve: false, decline_reason: 'exceeds_limit' })
const BROKEN = json({ error: 'broken' }, 500)

export class GoodTenant {
  readonly #answers = new Map<string, Behaviour>()
  repeats = 0

  answer(judged: Judged): Behaviour {
    const { request } = judged
    if (request.method !== 'POST') return json({ error: 'post_only' }, 405)
    if (request.signatureProblem !== null) return json({ error: 'signature' }, 401)
    return this.decide(judged)
  }

  /** The good tenant's decision once the signature is right. */
  decide(judged: Judged): Behaviour {
    const id = eventId(judged.request.body)
    if (id === null || judged.amountCents === null) return json({ error: 'malformed' }, 400)
    const before = this.#answers.get(id)
    if (before !== undefined) {
      this.repeats += 1
      return before
    }
    const decided = judged.amountCents > 1_000_000 ? NO : YES
    this.#answers.set(id, decided)
    return decided
  }
}

/**
 * A tenant that accepts a signature over another text than the body, or one with only `problem`
 * wrong.
 */
function deceivedBy(is: (request: TenantRequest) => boolean): Defect {
  return (judged, good) =>
    judged.request.method === 'POST' &&
    judged.request.signatureProblem !== null &&
    is(judged.request)
      ? good.decide(judged)
      : null
}

/** True if a signature in the header is the secret's over this body, whatever its time. */
function signs(secret: string, body: string, header: string): boolean {
  const verified = { header, body: Buffer.from(body), secrets: [secret], nowS: timeOf(header) }
  return verifySignature(verified) === null
}

const headerOf = (request: TenantRequest): string => String(request.headers['svc-signature'] ?? '')
const timeOf = (header: string): number => Number(/t=(\d+)/.exec(header)?.[1] ?? 0)
const nowS = (): number => unixSeconds(systemClock.nowMs())

let queue: Promise<unknown> = Promise.resolve()

/** Defects by the name of the probe that finds them: each tenant fails this probe and no other. */
export const DEFECTS: { readonly [probe: string]: Defect } = {
  question: ({ amountCents }) => (amountCents === 1201 ? BROKEN : null),
  question_large_amount: ({ amountCents }) =>
    amountCents === 9_999_951 ? json({ approve: 'no' }) : null,
  question_without_decimals: ({ currency }) => (currency === 'JPY' ? BROKEN : null),
  question_incremental: ({ kind }) => (kind === 'incremental' ? json({}) : null),
  question_verification: ({ kind }) => (kind === 'account_verification' ? BROKEN : null),
  question_inquiry: ({ kind }) => (kind === 'balance_inquiry' ? BROKEN : null),
  question_cash: ({ kind }) =>
    kind === 'cash_withdrawal' ? { kind: 'reset', when: 'before_reply' } : null,
  unknown_fields: ({ request }) => (request.body.includes('added_later') ? BROKEN : null),
  large_body: ({ request }) => (request.body.length > 32_768 ? json({}, 413) : null),
  exact_bytes: ({ request }) => {
    // This tenant verifies the parsed body instead of the received bytes.
    const body = Buffer.from(JSON.stringify(parsed(request.body) ?? null))
    const secrets = [CERTIFIED_SECRET]
    const problem = verifySignature({ header: headerOf(request), body, secrets, nowS: nowS() })
    return request.method === 'POST' && problem !== null ? json({ error: 'signature' }, 401) : null
  },
  two_signatures: ({ request }) => {
    const signatures = headerOf(request).match(/v1=/g) ?? []
    return signatures.length > 1 ? json({ error: 'signature' }, 401) : null
  },
  unknown_scheme: ({ request }) =>
    headerOf(request).includes('v9=') ? json({ error: 'scheme' }, 400) : null,
  slow_network: ({ request }) =>
    systemClock.nowMs() - request.receivedAtMs > SLOW_MS ? json({}, 408) : null,
  repeated_request: (judged, good) => {
    const before = good.repeats
    const answer = good.answer(judged)
    return good.repeats > before ? NO : answer
  },
  parallel_calls: ({ amountCents }) => {
    if (amountCents !== 1214) return null
    // This tenant answers one request after the other.
    const turn = queue.then(
      () => new Promise((resolve) => systemClock.after(QUEUE_MS, () => resolve(0))),
    )
    queue = turn
    return turn.then(() => YES)
  },
  keep_alive: (judged, good) => {
    const answer = good.answer(judged)
    return judged.amountCents === 1215 && answer.kind === 'reply'
      ? { ...answer, headers: { ...answer.headers, connection: 'close' } }
      : answer
  },
  altered_signature: deceivedBy((request) => {
    // This tenant compares all digits but the last.
    const header = headerOf(request)
    const right = signatureHeader([CERTIFIED_SECRET], timeOf(header), request.body).slice(0, -1)
    return (
      header.includes(right.slice(right.indexOf('v1='))) &&
      !signs(CERTIFIED_SECRET, request.body, header)
    )
  }),
  wrong_secret: deceivedBy((request) => {
    const header = headerOf(request)
    return signs(STRANGER_SECRET, request.body, header)
  }),
  other_body: deceivedBy((request) => {
    const header = headerOf(request)
    const body = request.body.replace('"amount_cents":1304', '"amount_cents":1303')
    return body !== request.body && signs(CERTIFIED_SECRET, body, header)
  }),
  stale_timestamp: deceivedBy((request) => {
    const header = headerOf(request)
    const stale = timeOf(header) < nowS() - 300
    return stale && signs(CERTIFIED_SECRET, request.body, header)
  }),
  future_timestamp: deceivedBy((request) => {
    const header = headerOf(request)
    const ahead = timeOf(header) > nowS() + 300
    return ahead && signs(CERTIFIED_SECRET, request.body, header)
  }),
  changed_timestamp: deceivedBy(({ body }) => body.includes('"amount_cents":1307')),
  missing_header: deceivedBy((request) => request.headers['svc-signature'] === undefined),
  malformed_header: deceivedBy((request) => headerOf(request) === 'signed'),
  malformed_body: ({ request }) =>
    request.method === 'POST' && request.signatureProblem === null && eventId(request.body) === null
      ? YES
      : null,
  get_request: ({ request }) => (request.method === 'GET' ? json({ status: 'ok' }) : null),
  head_request: ({ request }) =>
    request.method === 'HEAD' ? { kind: 'reply', status: 200 } : null,
}

/** Starts a tenant with this defect, or the good one. */
export function startCertifiable(defect: Defect | null): Promise<FakeTenant> {
  const good = new GoodTenant()
  return startTenant({
    secrets: [CERTIFIED_SECRET],
    behave: async (request) => {
      const judged = judgedOf(request)
      return (await defect?.(judged, good)) ?? good.answer(judged)
    },
  })
}

function judgedOf(request: TenantRequest): Judged {
  const transaction = member(member(parsed(request.body), 'data'), 'transaction')
  const amount = member(transaction, 'amount_cents')
  const kind = member(member(transaction, 'authorization_request'), 'kind')
  const currency = member(transaction, 'currency')
  return {
    request,
    kind: typeof kind === 'string' ? kind : null,
    amountCents: typeof amount === 'number' ? amount : null,
    currency: typeof currency === 'string' ? currency : null,
  }
}

function eventId(body: string): string | null {
  const id = member(parsed(body), 'id')
  return typeof id === 'string' ? id : null
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}
