// The identity provider of the sandbox: takes verification requests over HTTP and sends the results
// in signed callbacks. It is an outside party and knows nothing of the service but the address of
// its callbacks. Verifications live in memory; a request that is repeated after a restart gets its
// results again.

import { timingSafeEqual } from 'node:crypto'
import { type Clock, unixSeconds } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { signatureHeader } from '../../shared/signature.ts'
import { tellUntilHeard } from '../peer-callback.ts'
import {
  type PeerAnswer,
  type PeerRequest,
  type PeerServer,
  startPeerServer,
} from '../peer-http.ts'
import { type Story, storyOf } from './stories.ts'

const KNOWN_MAX = 10_000

export interface PeerOptions {
  /** 0: any free one. */
  port: number
  /** The bearer credential of callers. */
  key: string
  /** With which results are signed. */
  secret: string
  callbackUrl: string
  clock: Clock
  log: Logger
  /** The factor by which every delay is multiplied, 1 by default; less in tests. */
  pace?: number
}

interface Known {
  id: string
  story: Story
  /** Results that came out by now. */
  found: number
}

/** Between two results. */
const STEP_MS = 200
const PATH = /^\/v1\/verifications\/([A-Za-z0-9_-]{1,64})$/

/** Listens on loopback; rejects where the port is taken. */
export async function startIdentityPeer(options: PeerOptions): Promise<PeerServer> {
  const known = new Map<string, Known>()
  return startPeerServer(options.port, (request) => answerTo(options, known, request))
}

function answerTo(
  options: PeerOptions,
  known: Map<string, Known>,
  { method, url, headers, body }: PeerRequest,
): PeerAnswer {
  if (!sameText(headers.authorization ?? '', 'Bearer ' + options.key))
    return { status: 401, body: { error: 'unknown_key' } }
  const id = PATH.exec(url)?.[1]
  if (id === undefined) return { status: 404, body: { error: 'no_such_path' } }
  if (method === 'GET') return shown(known.get(id))
  if (method !== 'PUT') return { status: 405, body: { error: 'put_or_get' } }
  const lastName = body === null ? null : lastNameIn(body)
  if (lastName === null) return { status: 422, body: { error: 'no_person' } }
  if (!known.has(id)) {
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value ?? '')
    known.set(id, { id, story: storyOf(lastName), found: 0 })
  }
  const verification = known.get(id) as Known
  unfold(options, verification)
  return { status: 202, body: { id, accepted: true } }
}

function shown(verification: Known | undefined): PeerAnswer {
  return verification === undefined || verification.found === 0
    ? { status: 404, body: { error: 'nothing_known' } }
    : { status: 200, body: resultOf(verification, verification.found) }
}

/** The same id for every callback of one result. */
function resultOf({ id, story }: Known, sequence: number): object {
  const told = story.results[sequence - 1]
  return { id: 'res_' + id + '_' + sequence, verification_id: id, sequence, ...told }
}

/** Sends all results of a verification again, for every request. */
function unfold(options: PeerOptions, verification: Known): void {
  const { clock, pace = 1 } = options
  const { results, tells, afterMs } = verification.story
  clock.after(afterMs * pace, () => {
    verification.found = results.length
    for (const [at, sequence] of tells.entries())
      clock.after(at * STEP_MS * pace, () => void tell(options, resultOf(verification, sequence)))
  })
}

/** Signed at the moment it is sent: a signature does not last. */
function tell({ callbackUrl: url, secret, clock, log, pace = 1 }: PeerOptions, result: object) {
  const body = JSON.stringify(result)
  const headers = () => ({
    'identity-signature': signatureHeader([secret], unixSeconds(clock.nowMs()), body),
  })
  return tellUntilHeard({ url, body, headers }, { clock, log, pace })
}

function lastNameIn(body: Buffer): string | null {
  try {
    const request: unknown = JSON.parse(body.toString('utf8'))
    const name = member(member(request, 'person'), 'last_name')
    return typeof name === 'string' ? name : null
  } catch {
    return null
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

function sameText(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
