// The first half of a member's start: etcd, the shard's journal and the replicated log around it.
// The second half begins once the state is recovered; `member.ts` holds it.
import type { Clock } from '../../shared/clock.ts'
import type { MasterKeys } from '../../shared/keyring.ts'
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import { openEtcdStore } from '../agreement/etcd-store.ts'
import { type ShardKeys, shardKeys } from '../agreement/keys.ts'
import type { AgreementStore } from '../agreement/store.ts'
import { Tail } from '../agreement/tail.ts'
import type { DecisionLogEvents, EngineLog } from '../journal/decision-log.ts'
import { ReplicatedLog, type ReplicatedLogEvents } from '../journal/replicated-log.ts'
import type { Line } from '../line/line.ts'
import type { MemberConfig } from './config.ts'
import { LineAtTakeOver, TakeOverClock } from './line-at-take-over.ts'
import { memberAuthorization } from './member-token.ts'
import { openMemberJournal } from './open-journal.ts'
import type { OwnerEpochs } from './owner-epochs.ts'
import { Peers } from './peer.ts'
import { Practice } from './practice.ts'

/** A member whose journal is open and which follows nothing yet. */
export interface Joined {
  config: MemberConfig
  memberId: string
  keys: ShardKeys
  store: AgreementStore
  tail: Tail
  peers: Peers
  journal: ReplicatedLog
  masterKeys: MasterKeys
  epochs: OwnerEpochs
  practice: Practice
  /** The clock and the line of a member, which begin at its take-over. */
  newClock(before: Clock): TakeOverClock
  newLine(line: Line, clock: TakeOverClock): LineAtTakeOver
}

export interface JoinOptions {
  member: MemberConfig
  clock: Clock
  log: Logger
  journalDir: string
  segmentBytes: number
  masterKeys: MasterKeys
  events: ReplicatedLogEvents
  openLocal(
    events: DecisionLogEvents,
    journalId: string,
  ): Promise<{ log: EngineLog } | { refused: string }>
}

/** Opens everything that a member has before its state; or why it cannot be a member. */
export async function joinShard(options: JoinOptions): Promise<Result<Joined, string>> {
  const { member, masterKeys, clock, log, events } = options
  const store = openEtcdStore({
    endpoints: member.etcd,
    tls: member.etcdTls,
    onFailed: events.onFailed,
  })
  const keys = shardKeys(member.cell, member.shard)
  const authorization = memberAuthorization(masterKeys)
  const peers = new Peers({ clock, tls: member.memberTls, authorization })
  let replicated: ReplicatedLog | null = null
  const localEvents: DecisionLogEvents = {
    onSynced: (seq) => replicated?.localSynced(seq),
    onFailed: events.onFailed,
  }
  const opened = await openMemberJournal({
    store,
    keys,
    peers,
    clock,
    log,
    journalDir: options.journalDir,
    segmentBytes: options.segmentBytes,
    open: (journalId) => options.openLocal(localEvents, journalId),
  })
  if (!opened.ok) {
    await store.close()
    return opened
  }
  const { local, memberId, epochs } = opened.value
  const tail = new Tail(member.shards)
  const journal = new ReplicatedLog({ local, store, keys, clock, tail, events })
  replicated = journal
  const own = { config: member, memberId, keys, store, tail, peers, journal, masterKeys, epochs }
  const newClock = (before: Clock): TakeOverClock => new TakeOverClock(before)
  const practice = new Practice(clock)
  const newLine = (line: Line, at: TakeOverClock): LineAtTakeOver =>
    new LineAtTakeOver(line, at, practice)
  return { ok: true, value: { ...own, practice, newClock, newLine } }
}
