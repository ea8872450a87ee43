// The sandbox's payment processor beside a test, with a clock that the test moves.
import { type StripePeer, startStripePeer } from '../../scripts/stripe-peer/peer.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import type { Teardown } from './postgres.ts'

export const PEER_KEY = 'sk_test_peer0123456789'
export const PEER_SECRET = 'whsec_peer0123456789'

export interface PeerChange {
  statePath?: string | null
  callbackUrl?: string | null | (() => string)
  secrets?: readonly string[]
  clock?: Clock
  port?: number
  pace?: number
}

/** Listens until the test ends. */
export async function startTestPeer(t: Teardown, change: PeerChange = {}): Promise<StripePeer> {
  const peer = await startStripePeer({
    ...{ port: 0, key: PEER_KEY, secrets: [PEER_SECRET], callbackUrl: null, statePath: null },
    ...{ clock: systemClock, log: createLog({ name: 'peer', level: 'silent' }), pace: 0.01 },
    ...change,
  })
  t.teardown(() => peer.close())
  return peer
}

/** A call of the peer's own controls: `clock`, `faults` or `charges`. */
export async function control(
  { url }: { url: string },
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
): Promise<any> {
  const response = await fetch(url + '/peer/' + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: 'Bearer ' + PEER_KEY, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return response.json()
}
