// Requests of the control socket that only the owner can answer: a follower passes them on.
import { type Answer, refusal } from '../control/answers.ts'
import { MEMBER_PATHS } from './link-paths.ts'
import type { PeerCall, Peers } from './peer.ts'

/** Longer than the owner waits for a config record. */
const OWNER_MS_MAX = 3000

/** The owner's answer, or 503 where it gives none in time. */
export async function forwardToOwner(
  peers: Peers,
  address: string | null,
  { method, path, body }: PeerCall,
): Promise<Answer> {
  if (address === null) return refusal(503, 'no member owns the shard')
  const below = MEMBER_PATHS.control + path
  const call = { method, path: below, deadlineMs: OWNER_MS_MAX }
  const reply = await peers.call(address, body === undefined ? call : { ...call, body })
  if (reply === null) return refusal(503, 'the owner of the shard does not answer')
  return { status: reply.status, body: reply.body }
}
