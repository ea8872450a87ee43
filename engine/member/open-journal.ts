// Opens the journal of a member at its start: the shard's journal and no other. Entries that
// neither the agreement store nor another member's journal holds any more come with a snapshot.
import { dirname } from 'node:path'
import { type Clock, sleep } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import type { ShardKeys } from '../agreement/keys.ts'
import { type Founding, readFounding } from '../agreement/protocol.ts'
import type { AgreementStore, KeyValue, Read } from '../agreement/store.ts'
import type { EngineLog } from '../journal/decision-log.ts'
import { readMeta } from '../journal/meta-file.ts'
import { parseReport } from '../ownership/members.ts'
import type { LinkStatus } from './link-paths.ts'
import { memberIdOf } from './member-id.ts'
import { OwnerEpochs } from './owner-epochs.ts'
import type { Peers } from './peer.ts'
import { finishSeed, seedJournal } from './seed-journal.ts'

const AGAIN_MS = 200

export interface MemberJournalOptions {
  store: AgreementStore
  keys: ShardKeys
  peers: Peers
  clock: Clock
  log: Logger
  journalDir: string
  segmentBytes: number
  /** Opens the directory, made with this id where it is empty. */
  open(journalId: string): Promise<{ log: EngineLog } | { refused: string }>
}

export interface MemberJournal {
  local: EngineLog
  memberId: string
  epochs: OwnerEpochs
}

/** Waits for etcd without end: nothing can be decided without it. */
export async function openMemberJournal(
  options: MemberJournalOptions,
): Promise<Result<MemberJournal, string>> {
  const { journalDir, keys, clock } = options
  await finishSeed(journalDir)
  const [founding = []] = await readUntilKnown(options, [{ from: keys.journal, until: null }])
  const founded = founding[0] === undefined ? null : readFounding(founding[0].value)
  if (founded === null) {
    const why = founding.length === 0 ? 'is not founded' : 'was founded by a newer version'
    return { ok: false, error: 'The shard at ' + keys.prefix + ' ' + why + FOUND }
  }
  const { journalId } = founded
  const meta = readMeta(journalDir)
  if (!meta.ok) return { ok: false, error: meta.error + '.' }
  if (meta.value !== null && meta.value.journalId !== journalId) {
    const held = journalDir + ' holds journal ' + meta.value.journalId
    return { ok: false, error: held + ', but the shard has journal ' + journalId + '.' }
  }
  const memberId = await memberIdOf(journalDir, clock.nowMs())
  if (!memberId.ok) return memberId
  const epochs = new OwnerEpochs(dirname(journalDir), journalId)
  return openWhole(options, { founded, memberId: memberId.value, epochs })
}

const FOUND =
  ': `npm run cluster -- init` founds a shard, also from the journal of an installation on one machine.'

async function openWhole(
  options: MemberJournalOptions,
  { founded, memberId, epochs }: { founded: Founding; memberId: string; epochs: OwnerEpochs },
): Promise<Result<MemberJournal, string>> {
  const { journalId } = founded
  const { log, journalDir, segmentBytes, peers } = options
  for (;;) {
    const opened = await options.open(journalId)
    if ('refused' in opened) return { ok: false, error: opened.refused }
    const local = opened.log
    const stranger = await epochs.join(founded, local.lastSeq)
    if (stranger !== null) {
      await local.close()
      return { ok: false, error: stranger }
    }
    const source = await snapshotSource(options, { journalId, memberId }, local.lastSeq)
    if (source === null) return { ok: true, value: { local, memberId, epochs } }
    await local.close()
    const from = source.address
    log.info({ from, snapshot_seq: source.status.snapshot_seq }, 'fetching a snapshot of a member')
    const seed = { journalDir, journalId, memberId, segmentBytes, peers, from }
    const seeded = await seedJournal(seed)
    if (!seeded.ok) {
      log.warn({ reason: seeded.error }, 'the snapshot of a member could not be taken')
      await sleep(AGAIN_MS)
    }
  }
}

interface Source {
  address: string
  status: LinkStatus
}

/** The member whose snapshot is needed; null where every entry can be had without one. */
async function snapshotSource(
  options: MemberJournalOptions,
  { journalId, memberId }: { journalId: string; memberId: string },
  lastSeq: number,
): Promise<Source | null> {
  const { keys, log } = options
  let said = false
  for (;;) {
    const [held = [], members = []] = await readUntilKnown(options, [
      { from: keys.logBegin, until: keys.log(lastSeq + 1) + '\0' },
      { from: keys.membersBegin, until: keys.membersEnd },
    ])
    // The store's batches follow each other, so from such a batch on it has every entry.
    if (held.length > 0) return null
    const found = await sourcesOf(options, memberId, members)
    const sources = found.filter(({ status }) => status.journal_id === journalId)
    if (sources.some(({ status }) => status.first_seq <= lastSeq + 1)) return null
    const newest = sources
      .filter(({ status }) => status.snapshot_seq > lastSeq)
      .sort((one, other) => other.status.snapshot_seq - one.status.snapshot_seq)[0]
    if (newest !== undefined) return newest
    if (!said) log.warn({ seq: lastSeq + 1 }, 'no member that answers has the next entry; waiting')
    said = true
    await sleep(AGAIN_MS)
  }
}

async function sourcesOf(
  { keys, peers }: MemberJournalOptions,
  memberId: string,
  members: readonly KeyValue[],
): Promise<Source[]> {
  const others = members.filter(({ key }) => key !== keys.member(memberId))
  const asked = others.map(async ({ value }): Promise<Source | null> => {
    const address = parseReport(value)?.address ?? null
    const status = address === null ? null : await peers.status(address)
    return address === null || status === null ? null : { address, status }
  })
  return (await Promise.all(asked)).filter((source) => source !== null)
}

async function readUntilKnown(
  { store, log }: MemberJournalOptions,
  reads: readonly Read[],
): Promise<readonly (readonly KeyValue[])[]> {
  let said = false
  for (;;) {
    const outcome = await new Promise<Parameters<Parameters<typeof store.range>[1]>[0]>((done) =>
      store.range(reads, done),
    )
    if (outcome.outcome === 'read') return outcome.reads
    if (!said) log.warn({ reason: outcome.reason }, 'etcd does not answer; waiting')
    said = true
    await sleep(AGAIN_MS)
  }
}
