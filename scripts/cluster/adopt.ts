// `npm run cluster -- adopt`: all of etcd was lost or restored. The shard is founded anew from the
// longest journal that its members have, in a later epoch, so that no owner of before passes the
// fence. The engines of the shard must not run.
import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Founded, sharedUntil } from '../../engine/agreement/founding-history.ts'
import type { ShardKeys } from '../../engine/agreement/keys.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { lockDirectory } from '../../engine/journal/lock.ts'
import { readMeta } from '../../engine/journal/meta-file.ts'
import { readSegments } from '../../engine/journal/recover.ts'
import { journalBytes, listSegments } from '../../engine/journal/segment-files.ts'
import { walkEntries } from '../../engine/journal/walk-entries.ts'
import { keptOwners } from '../../engine/member/owner-epochs.ts'
import { systemClock } from '../../shared/clock.ts'
import { refuse } from '../../shared/command-line.ts'
import { newId } from '../../shared/id.ts'
import type { Result } from '../../shared/result.ts'
import { namedShard } from './config.ts'
import { type DrainedInto, drainedProblem } from './drained.ts'
import { livingMember, refoundShard, viewShard } from './shard.ts'

/** A journal of the shard that the command can read. */
interface Held {
  name: string
  journalDir: string
  journalId: string
  /** The first entry that is still kept. */
  firstSeq: number
  lastSeq: number
  /** The highest epoch and the foundings that its member saw. */
  seenEpoch: number
  history: readonly Founded[]
}

/** The journal of one member, by a name for the operator. */
export interface MemberDirectory {
  name: string
  journalDir: string
}

/**
 * Adopts the shard of the settings; `beside` are data directories of other members. With `force`
 * the database gives up what none of the journals holds.
 */
export async function adopt(
  beside: readonly string[],
  { force }: { force: boolean },
): Promise<number> {
  const shard = namedShard()
  if (!shard.ok) return refuse(shard.error)
  const { name, keys, dataDir: ownDir, databaseUrl, journalDirIn, openStore } = shard.value
  const dataDirs = new Set([ownDir, ...beside].map(realPath))
  const directories = [...dataDirs].map((dataDir) => {
    return { name: dataDir, journalDir: journalDirIn(dataDir) }
  })
  const store = openStore()
  try {
    const database = databaseUrl === null ? null : { databaseUrl, force }
    const adoption = { shard: name, directories, database }
    const adopted = await adoptShard(store, keys, adoption)
    if (!adopted.ok) return refuse(adopted.error)
    process.stdout.write(adopted.value + '\n')
    return 0
  } finally {
    await store.close()
  }
}

export interface Adoption {
  shard: string
  directories: readonly MemberDirectory[]
  /** Null: what PostgreSQL has is not compared. */
  database: DrainedInto | null
}

/** Two names of a directory are one member. */
function realPath(directory: string): string {
  return existsSync(directory) ? realpathSync(directory) : directory
}

/** Founds the shard from the longest of the journals; the text for the operator, or a refusal. */
export async function adoptShard(
  store: AgreementStore,
  keys: ShardKeys,
  { shard, directories, database }: Adoption,
): Promise<Result<string, string>> {
  const locks: { release(): Promise<void> }[] = []
  try {
    for (const { journalDir } of directories) {
      if (!existsSync(journalDir)) continue
      const lock = await lockDirectory(journalDir)
      if (lock === null)
        return { ok: false, error: 'An engine runs on ' + journalDir + ': stop it first.' }
      locks.push(lock)
    }
    const held = directories.map(heldIn)
    const unread = held.find((one) => !one.ok)
    if (unread?.ok === false) return unread
    const known = held.flatMap((one) => (one.ok && one.value !== null ? [one.value] : []))
    const [longest, ...others] = known.toSorted((one, other) => other.lastSeq - one.lastSeq)
    if (longest === undefined) return { ok: false, error: 'No directory holds a journal.' }
    const stranger = others.find(({ journalId }) => journalId !== longest.journalId)
    if (stranger !== undefined)
      return {
        ok: false,
        error: `${longest.name} holds journal ${longest.journalId}, ${stranger.name} holds ${stranger.journalId}.`,
      }
    const other = others.find((one) => !begins(longest, one))
    if (other !== undefined)
      return {
        ok: false,
        error:
          `${other.name} ends at entry ${other.lastSeq} and holds other entries than ${longest.name}: ` +
          'the shard went on without one of them before. Adopt with the journal that is right alone.',
      }
    const living = await livingMember(store, keys)
    if (living !== null)
      return { ok: false, error: `Member ${living} still reports: stop its engine first.` }
    const drained = database === null ? null : await drainedProblem(database, { ...longest, shard })
    if (drained !== null) return { ok: false, error: drained }
    const { journalId, lastSeq } = longest
    // An epoch counts also where the journal beside it is gone.
    const seen = directories.map(
      ({ journalDir }) => keptOwners(dirname(journalDir), journalId).seenEpoch,
    )
    const { owner } = await viewShard(store, keys)
    const epoch = Math.max(...seen, owner?.epoch ?? 0) + 1
    const id = newId('fnd', systemClock.nowMs())
    const { history: before } = longest
    await refoundShard(store, keys, { journalId, lastSeq, epoch, id, before })
    return { ok: true, value: reportOf(shard, { longest, others, epoch }) }
  } finally {
    for (const lock of locks) await lock.release()
  }
}

function heldIn({ name, journalDir }: MemberDirectory): Result<Held | null, string> {
  const meta = readMeta(journalDir)
  if (!meta.ok) return { ok: false, error: meta.error + '.' }
  const journal = meta.value === null ? null : journalBytes(meta.value.journalId)
  if (meta.value === null || journal === null) return { ok: true, value: null }
  const found = readSegments(listSegments(journalDir), journal)
  if ('refused' in found) return { ok: false, error: found.refused }
  const { journalId } = meta.value
  const [{ firstSeq }] = found.segments
  const { lastSeq } = found
  const owners = keptOwners(dirname(journalDir), journalId)
  return { ok: true, value: { name, journalDir, journalId, firstSeq, lastSeq, ...owners } }
}

/**
 * True where the longest journal begins with the entries of the other, as far as both are kept, and
 * no adoption before left one of them out.
 */
function begins(longest: Held, other: Held): boolean {
  const until = sharedUntil(other, longest.history)
  if (until !== null && other.lastSeq > until) return false
  const range = { fromSeq: Math.max(longest.firstSeq, other.firstSeq), untilSeq: other.lastSeq }
  return digest(longest, range) === digest(other, range)
}

function digest(
  { journalDir: directory, journalId }: Held,
  range: { fromSeq: number; untilSeq: number },
): string {
  const hash = createHash('sha256')
  const journal = journalBytes(journalId) ?? Buffer.alloc(0)
  const length = Buffer.alloc(4)
  const visit = (_seq: number, bytes: Buffer): void => {
    length.writeUInt32LE(bytes.length)
    hash.update(length).update(bytes)
  }
  walkEntries({ directory, journal, ...range, visit })
  return hash.digest('hex')
}

function reportOf(
  shard: string,
  { longest, others, epoch }: { longest: Held; others: readonly Held[]; epoch: number },
): string {
  const lacking = others.filter(({ lastSeq }) => lastSeq < longest.lastSeq)
  return [
    `Shard ${shard} goes on with the journal of ${longest.name} up to entry ${longest.lastSeq}, after epoch ${epoch}.`,
    ...lacking.map(
      ({ name, lastSeq }) =>
        `${name} ends at entry ${lastSeq} and gets the other ${longest.lastSeq - lastSeq} from it.`,
    ),
    'A decision of the last moments before the loss may be in none of these journals; a member whose',
    'journal was not read here and is longer refuses to start: adopt again with it.',
    'Changes that the API confirmed at that time bind no owner now: compare suspensions of that time.',
  ].join('\n')
}
