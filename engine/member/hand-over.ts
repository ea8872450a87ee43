// A planned hand-over: nothing new is taken, entries under way are committed and answered, then one
// transaction names the next owner. Messages that wait for a tenant are not answered: the doors
// send them to the next owner, which asks again under the same request id.
import { type Clock, sleep } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import { ownerValue, PROTOCOL } from '../agreement/protocol.ts'
import type { Transacted, Unknown } from '../agreement/store.ts'
import type { Member, Members } from '../ownership/members.ts'
import type { Ownership } from '../ownership/ownership.ts'
import type { Joined } from './join.ts'

const LOOK_MS = 1
/** Entries that are not committed by then make the hand-over fail; the owner goes on. */
const SETTLE_MS_MAX = 1000
const AGAIN_MS = 10

export interface HandOverOptions extends Pick<Joined, 'journal' | 'store' | 'keys' | 'memberId'> {
  clock: Clock
  log: Logger
  members: Members
  ownership: Ownership
}

/** Hands the shard over; the member must take nothing new already. */
export async function handOver(
  options: HandOverOptions,
  to: string | null,
): Promise<Result<null, string>> {
  const { journal, store, keys, clock, log, ownership } = options
  const { owner } = journal
  if (!ownership.owns || owner === null) return refused('This member does not own the shard.')
  const next = nextOwner(options, to)
  if (!next.ok) return next
  const sinceNs = clock.monotonicNs()
  while (journal.waiting > 0) {
    if ((clock.monotonicNs() - sinceNs) / 1e6 > SETTLE_MS_MAX)
      return refused('The entries under way were not committed in time.')
    await sleep(LOOK_MS)
  }
  const named = { epoch: owner.epoch + 1, memberId: next.value.id }
  log.info({ to: named.memberId, epoch: named.epoch }, 'handing the shard over')
  for (;;) {
    const transaction = PROTOCOL.handOver(keys, owner, named)
    const outcome = await new Promise<Transacted | Unknown>((done) =>
      store.transact(transaction, done),
    )
    if (outcome.outcome === 'succeeded') return { ok: true, value: null }
    if (outcome.outcome === 'failed') {
      const held = outcome.reads[0]?.[0]?.value
      // An earlier try was applied, and its answer was lost.
      if (held?.equals(ownerValue(named))) return { ok: true, value: null }
      return refused('Another member owns the shard.')
    }
    await sleep(AGAIN_MS)
  }
}

function nextOwner(
  { members, memberId }: HandOverOptions,
  to: string | null,
): Result<Member, string> {
  const others = members.all.filter(({ id, alive }) => alive && id !== memberId)
  const able = others
    .filter(({ report }) => report.ineligible === null)
    .sort((one, other) => other.report.applied - one.report.applied)
  const next = to === null ? able[0] : able.find(({ id }) => id === to)
  if (next !== undefined) return { ok: true, value: next }
  const named = others.find(({ id }) => id === to)
  if (named !== undefined)
    return refused('Member ' + named.id + ' cannot own the shard: ' + named.report.ineligible + '.')
  return refused(to === null ? 'No other member can own the shard.' : 'No member ' + to + ' lives.')
}

function refused(error: string): { ok: false; error: string } {
  return { ok: false, error }
}
