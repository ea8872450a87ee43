// Planted bugs that prove the checks of the simulated shard: one row is one bug in every member.
// Bugs of the floor's own transactions show in so few worlds that test/unit/floor.test.ts plays
// them.
import { decodeFrame, encodeFrame } from '../../engine/agreement/frame.ts'
import { PROTOCOL, type Protocol } from '../../engine/agreement/protocol.ts'
import type {
  AgreementStore,
  Compare,
  Transaction,
  WatchEvent,
} from '../../engine/agreement/store.ts'
import { emptyState } from '../../engine/state/decision-state.ts'
import type { ClusterPlanted, SimulatedMember } from './cluster-member.ts'

/** The landed protocol with one part replaced. */
function protocol(part: { readonly [Name in keyof Protocol]?: Protocol[Name] }): Protocol {
  return { ...PROTOCOL, ...part }
}

function without(transaction: Transaction, lost: (compare: Compare) => boolean): Transaction {
  return { ...transaction, compares: transaction.compares.filter((compare) => !lost(compare)) }
}

export const CLUSTER_PLANTED = {
  owner_not_compared: {
    protocol: protocol({
      append: (keys, order) =>
        without(PROTOCOL.append(keys, order), ({ key }) => key === keys.owner),
    }),
  },
  sequence_not_compared: {
    protocol: protocol({
      append: (keys, order) => without(PROTOCOL.append(keys, order), ({ is }) => is === 'absent'),
    }),
  },
  last_batch_not_compared: {
    protocol: protocol({
      append: (keys, order) => without(PROTOCOL.append(keys, order), ({ is }) => is === 'present'),
    }),
  },
  compares_nothing: {
    store: (store) => ({
      ...store,
      transact: (transaction, done) => store.transact({ ...transaction, compares: [] }, done),
    }),
  },
  unknown_taken_for_failed: { store: otherBytes },
  unknown_taken_for_lost: {
    protocol: protocol({
      judgeAppend(outcome, order) {
        if (outcome.outcome === 'unknown') return { verdict: 'lost', owner: null }
        return PROTOCOL.judgeAppend(outcome, order)
      },
    }),
  },
  unknown_taken_for_committed: {
    protocol: protocol({
      judgeAppend(outcome, order) {
        if (outcome.outcome === 'unknown') return { verdict: 'committed' }
        return PROTOCOL.judgeAppend(outcome, order)
      },
    }),
  },
  own_batch_taken_for_another: {
    protocol: protocol({
      judgeAppend(outcome, order) {
        if (outcome.outcome !== 'failed') return PROTOCOL.judgeAppend(outcome, order)
        return PROTOCOL.judgeAppend({ ...outcome, reads: [outcome.reads[0] ?? [], []] }, order)
      },
    }),
  },
  answered_before_the_commit: {
    member(member) {
      const append = member.log.append.bind(member.log)
      member.log.append = (bytes) => {
        const seq = append(bytes)
        member.world.clock.after(0, () => member.line?.synced(seq))
        return seq
      }
    },
  },
  answered_before_the_local_sync: {
    member(member) {
      const append = member.local.append.bind(member.local)
      member.local.append = (bytes) => {
        const seq = append(bytes)
        if (member.owns) member.world.clock.after(0, () => member.line?.synced(seq))
        return seq
      }
    },
  },
  own_journal_before_the_commit: { member: journalFirst },
  take_over_without_reading_the_end: {
    protocol: protocol({
      takeOver: (keys, order) =>
        without(PROTOCOL.takeOver(keys, order), ({ is }) => is === 'absent'),
    }),
    member(member) {
      const { follower } = member
      follower.readEnd = (done) => {
        const { owner } = member.ownership
        if (owner !== null) done({ read: 'end', owner, floor: member.floor.cursor })
      }
    },
  },
  owner_not_compared_at_take_over: {
    protocol: protocol({
      takeOver: (keys, order) =>
        without(PROTOCOL.takeOver(keys, order), ({ key }) => key === keys.owner),
    }),
  },
  restart_in_the_old_epoch: { resumesOldEpoch: true },
  wiped_under_its_old_id: { keepsIdWhenWiped: true },
  repeat_decided_between_commit_and_sync: { forgetsBetweenCommitAndSync: true },
  poison_sent_a_third_time: { countsNoDeaths: true },
  repeat_decided_again_after_take_over: {
    member(member) {
      member.state = { ...member.state, recall: emptyState().recall }
    },
  },
  one_copy_is_enough: {
    member(member) {
      const { members } = member
      members.heldBy = () => member.log.syncedSeq
    },
  },
  last_batch_trimmed: {
    protocol: protocol({
      trim: (keys, owner) => PROTOCOL.trim(keys, owner, keys.logEnd),
    }),
  },
  trim_not_fenced: {
    protocol: protocol({
      trim: (keys, owner, untilKey) => ({ ...PROTOCOL.trim(keys, owner, untilKey), compares: [] }),
    }),
    member(member) {
      const { members } = member
      members.heldBy = () => member.log.lastSeq
    },
  },
  gap_after_a_cancelled_watch: { store: blindToGaps },
  floor_not_awaited: { confirmsEarly: true },
  floor_ignored_by_a_new_owner: {
    member(member) {
      member.floor.heard = () => {}
    },
  },
} as const satisfies { readonly [name: string]: ClusterPlanted }

/** Bugs that only two shards show: their messages, cards and tenants. */
export const SHARDS_PLANTED = {
  a_shard_decides_for_the_cards_of_another: { decidesForEveryShard: true },
  a_tenant_moves_at_once: { moves: 'without_leaving' },
  a_tenant_moves_before_the_owners_confirm: { moves: 'unconfirmed' },
  a_tenant_moves_while_it_is_asked: { moves: 'while_tenants_are_asked' },
  a_tenant_moves_before_its_decisions_are_on_disk: { moves: 'unsettled' },
  a_tenant_moves_although_it_has_decided: { moves: 'although_decided' },
} as const satisfies { readonly [name: string]: ClusterPlanted }

/**
 * After an unknown outcome the batch goes again without its last entry, as a new decision would.
 */
function otherBytes(store: AgreementStore): AgreementStore {
  let unknown = false
  return {
    ...store,
    transact(transaction, done) {
      const writes = transaction.writes.map((write) => {
        if (write.write !== 'frame' || !unknown) return write
        const entries = Buffer.from(write.frame.entries)
        const last = entries.length - 1
        entries.writeUInt8(entries.readUInt8(last) ^ 1, last)
        return { ...write, frame: { ...write.frame, entries } }
      })
      store.transact({ ...transaction, writes }, (outcome) => {
        if (transaction.writes.some(({ write }) => write === 'frame'))
          unknown = outcome.outcome === 'unknown'
        done(outcome)
      })
    },
  }
}

/** The owner's journal takes entries at once; those that are committed later are already there. */
function journalFirst(member: SimulatedMember): void {
  const { log, local } = member
  const append = log.append.bind(log)
  const journal = local.append.bind(local)
  let early = 0
  log.append = (bytes) => {
    if (member.owns) {
      journal(bytes)
      early += 1
      local.writeNow()
    }
    return append(bytes)
  }
  let given = 0
  local.append = (bytes) => {
    if (!member.owns) return journal(bytes)
    given += 1
    return local.lastSeq - early + given
  }
}

/** A follower that takes the next batch it hears for the next one there is. */
function blindToGaps(store: AgreementStore, member: SimulatedMember): AgreementStore {
  const renumbered = (value: Buffer): Buffer => {
    const frame = decodeFrame(value)
    const next = member.follower.lastSeq + 1
    if (!frame.ok || frame.value.first <= next) return value
    return encodeFrame({ ...frame.value, first: next })
  }
  return {
    ...store,
    range: (reads, done) =>
      store.range(reads, (outcome) => {
        if (outcome.outcome === 'unknown' || !member.follower.current) return done(outcome)
        // The read that follows a cancelled watch looks at the newest batch only.
        const reads = outcome.reads.map((list) => {
          const newest = list.findLast((row) => !isNoBatch(row))
          if (newest === undefined) return list
          return [{ ...newest, value: renumbered(newest.value) }]
        })
        done({ ...outcome, reads })
      }),
    watch: (range, handlers) =>
      store.watch(range, {
        ...handlers,
        onEvents: (events) =>
          handlers.onEvents(
            events.map((event): WatchEvent => {
              const isBatch = event.type === 'put' && !isNoBatch(event)
              return isBatch ? { ...event, value: renumbered(event.value) } : event
            }),
          ),
      }),
  }
}

function isNoBatch({ key }: { key: string }): boolean {
  return !key.includes('/log/')
}
