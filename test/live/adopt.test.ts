// A shard that is founded anew from journals on disk, and members whose journals were not among
// them. The store is the simulated one; the journals are real files.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { shardKeys } from '../../engine/agreement/keys.ts'
import { foundTransaction, readFounding, readOwner } from '../../engine/agreement/protocol.ts'
import { SimulatedStore } from '../../engine/agreement/simulated-store.ts'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { openMemberJournal } from '../../engine/member/open-journal.ts'
import { keptOwners, OwnerEpochs } from '../../engine/member/owner-epochs.ts'
import { Peers } from '../../engine/member/peer.ts'
import { adoptShard } from '../../scripts/cluster/adopt.ts'
import type { DrainedInto } from '../../scripts/cluster/drained.ts'
import { systemClock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const [JOURNAL, OTHER] = ['jrn_' + '0'.repeat(26), 'jrn_' + '1'.repeat(26)]
const SEGMENT_BYTES = 256 * 1024
const KEYS = shardKeys('test', 'one')

class Stage {
  readonly simulated = new SimulatedStore({
    clock: systemClock,
    delayMs: () => 0,
    lateMs: () => 0,
    fate: () => 'answered',
  })
  readonly store = this.simulated.client('test')
  readonly root = mkdtempSync(join(tmpdir(), 'svc-adopt-'))

  constructor(t: Test) {
    t.teardown(() => rmSync(this.root, { recursive: true, force: true }))
  }

  directory(name: string): string {
    return join(this.root, name)
  }

  journalDir(name: string): string {
    return join(this.directory(name), 'journal')
  }

  /** Appends entries to the journal of a member. */
  async write(name: string, entries: readonly string[], journalId = JOURNAL): Promise<void> {
    const opened = await this.#open(name, journalId)
    if ('refused' in opened) throw new Error(opened.refused)
    const { log } = opened
    for (const entry of entries) log.append(Buffer.from(entry))
    log.writeNow()
    await until(() => log.syncedSeq === log.lastSeq)
    await log.close()
  }

  adopt(...names: string[]) {
    return this.adoptWith(null, ...names)
  }

  adoptWith(database: DrainedInto | null, ...names: string[]) {
    const directories = names.map((name) => ({ name, journalDir: this.journalDir(name) }))
    return adoptShard(this.store, KEYS, { shard: 's1', directories, database })
  }

  found(lastSeq: number, epoch: number): void {
    this.simulated.rows.clear()
    this.simulated.apply(foundTransaction(KEYS, { journalId: JOURNAL, lastSeq, epoch }))
  }

  /** Why a member cannot join; null where it can. */
  async join(name: string): Promise<string | null> {
    const opened = await openMemberJournal({
      store: this.store,
      keys: KEYS,
      peers: new Peers({ clock: systemClock, tls: null, authorization: '' }),
      clock: systemClock,
      log: createLog({ name: 'test', level: 'silent' }),
      journalDir: this.journalDir(name),
      segmentBytes: SEGMENT_BYTES,
      open: (journalId) => this.#open(name, journalId),
    })
    if (!opened.ok) return opened.error
    await opened.value.local.close()
    return null
  }

  #open(name: string, journalId: string) {
    return openSegmentLog({
      directory: this.journalDir(name),
      segmentBytes: SEGMENT_BYTES,
      clock: systemClock,
      journalId,
      events: {
        onSynced: () => {},
        onFailed: (reason) => {
          throw new Error(reason)
        },
      },
    })
  }
}

function entries(from: number, until: number, of = 'shared'): string[] {
  return Array.from({ length: until - from + 1 }, (_, at) => of + ' entry ' + (from + at))
}

test('a member that is longer than the journals read joins no shard', async (t) => {
  const stage = new Stage(t)
  stage.found(0, 0)
  for (const name of ['a', 'b']) t.equal(await stage.join(name), null)
  await stage.write('a', entries(1, 15))
  await stage.write('b', entries(1, 10))
  const adopted = await stage.adopt('b')
  t.ok(adopted.ok, JSON.stringify(adopted))
  const founding = readFounding(stage.simulated.rows.get(KEYS.journal)?.value ?? Buffer.alloc(0))
  t.match(founding, { journalId: JOURNAL, lastSeq: 10, epoch: 1 })
  t.equal(await stage.join('b'), null)
  // The shard goes on beyond the end of the member that was not read.
  await stage.write('b', entries(11, 20, 'decided anew'))
  t.match(await stage.join('a'), 'ends at entry 15, and the shard was founded anew after entry 10')
  t.equal(await stage.join('b'), null, 'its own entries came after the founding')
  t.match(await stage.adopt('a', 'b'), {
    ok: false,
    error: /^a ends at entry 15 and holds other entries than b/,
  })
})

test('a member that an adoption left out stays out after the next one', async (t) => {
  const stage = new Stage(t)
  stage.found(0, 0)
  for (const name of ['a', 'b', 'c']) t.equal(await stage.join(name), null)
  await stage.write('a', entries(1, 15))
  for (const name of ['b', 'c']) await stage.write(name, entries(1, 10))
  t.match(await stage.adopt('b', 'c'), { ok: true })
  for (const name of ['b', 'c']) t.equal(await stage.join(name), null)
  for (const name of ['b', 'c']) await stage.write(name, entries(11, 20, 'decided anew'))
  t.match(await stage.adopt('b', 'c'), { ok: true })
  const founding = readFounding(stage.simulated.rows.get(KEYS.journal)?.value ?? Buffer.alloc(0))
  t.match(founding, { lastSeq: 20, before: [{ lastSeq: 0 }, { lastSeq: 10 }] })
  t.match(await stage.join('a'), 'ends at entry 15, and the shard was founded anew after entry 10')
  for (const name of ['b', 'c']) t.equal(await stage.join(name), null, name + ' was never left out')
  // The one that was left out is the longest one that is left: those of the other branch stay out.
  await stage.write('a', entries(16, 40))
  t.match(await stage.adopt('a', 'b'), { ok: false, error: /holds other entries than a/ })
  t.match(await stage.adopt('a'), { ok: true })
  t.equal(await stage.join('a'), null)
  t.match(await stage.join('b'), 'ends at entry 20, and the shard was founded anew after entry 10')
})

test('two adoptions after the same entry are told apart', async (t) => {
  const stage = new Stage(t)
  stage.found(0, 0)
  for (const name of ['b', 'c']) {
    t.equal(await stage.join(name), null)
    await stage.write(name, entries(1, 10))
  }
  // Etcd is lost again before the second one, so nothing tells it of the first one's epoch.
  stage.simulated.rows.clear()
  t.match(await stage.adopt('b'), { ok: true })
  t.equal(await stage.join('b'), null)
  await stage.write('b', entries(11, 12, 'decided by b'))
  stage.simulated.rows.clear()
  t.match(await stage.adopt('c'), { ok: true })
  t.match(await stage.join('b'), 'ends at entry 12, and the shard was founded anew after entry 10')
  t.equal(await stage.join('c'), null)
})

test('a member of a release before is known by the epochs that it saw', async (t) => {
  const stage = new Stage(t)
  for (const name of ['a', 'b']) await stage.write(name, entries(1, 15))
  stage.found(10, 4)
  const owner = (name: string, epoch: number): void =>
    writeFileSync(join(stage.directory(name), 'owner.json'), JSON.stringify({ format: 1, epoch }))
  owner('a', 5)
  owner('b', 4)
  t.equal(await stage.join('a'), null, 'it followed an owner after the founding')
  t.match(await stage.join('b'), 'without it')
})

test('an epoch counts without its journal, and beside another journal it does not', async (t) => {
  const stage = new Stage(t)
  await stage.write('a', entries(1, 3))
  for (const [name, journalId, epoch] of [
    ['lost', JOURNAL, 7],
    ['other', OTHER, 9],
  ] as const) {
    mkdirSync(stage.directory(name))
    const epochs = new OwnerEpochs(stage.directory(name), journalId)
    t.equal(epochs.refuse(epoch), null)
    await epochs.settled()
  }
  t.equal(keptOwners(stage.directory('other'), OTHER).seenEpoch, 9)
  t.equal(keptOwners(stage.directory('other'), JOURNAL).seenEpoch, 0)
  t.match(await stage.adopt('a', 'lost', 'other'), { ok: true })
  const value = stage.simulated.rows.get(KEYS.owner)?.value
  t.equal(readOwner(value ?? Buffer.alloc(0))?.epoch, 8)
})

test('a shard whose member still reports is not removed', async (t) => {
  const stage = new Stage(t)
  stage.found(0, 0)
  await stage.write('a', entries(1, 3))
  const put = { write: 'put' as const, key: KEYS.member('mem_b'), value: Buffer.from('{}') }
  const report = (): void =>
    void stage.simulated.apply({ compares: [], writes: [put], otherwise: [] })
  report()
  let reports = true
  const again = (): void => {
    if (reports) report()
    if (reports) systemClock.after(200, again)
  }
  again()
  t.match(await stage.adopt('a'), {
    ok: false,
    error: 'Member mem_b still reports: stop its engine first.',
  })
  t.ok(stage.simulated.rows.has(KEYS.member('mem_b')), 'nothing was removed')
  reports = false
  t.match(await stage.adopt('a'), { ok: true }, 'a report of before does not count')
  t.notOk(stage.simulated.rows.has(KEYS.member('mem_b')))
})

test('a journal that ends before what PostgreSQL has is adopted by name only', async (t) => {
  const stage = new Stage(t)
  await stage.write('a', entries(1, 3))
  const { url, sql } = await openTestDatabase(t)
  const seq = async (): Promise<unknown> => {
    const [row] = await sql`select seq from journal_cursor where journal_id = ${JOURNAL}`
    return row?.['seq']
  }
  await sql`insert into journal_cursor (one, shard, journal_id, seq) values (true, 's1', ${JOURNAL}, 5)`
  t.match(await stage.adoptWith({ databaseUrl: url, force: false }, 'a'), {
    ok: false,
    error: /has journal jrn_0+ up to entry 5, and the longest journal here ends at 3/,
  })
  t.equal(stage.simulated.rows.size, 0, 'nothing was founded')
  t.match(await stage.adoptWith({ databaseUrl: url, force: true }, 'a'), { ok: true })
  t.equal(await seq(), 3, 'the database follows the journal from its end on')
})
