// The promises of a decision log, one suite for every implementation.
import type { Test } from 'tap'
import type { EngineLog } from '../../engine/journal/decision-log.ts'

export interface OpenedLog {
  log: EngineLog
  /** Sequences that were reported as durable, in order. */
  synced: number[]
  /** Resolves when every appended entry is durable. */
  settled(): Promise<void>
}

/** Opens the log on the same storage, again and again; one at a time. */
export type OpenLog = () => Promise<OpenedLog>

function entry(seq: number): Buffer {
  return Buffer.alloc(40 + (seq % 50), 'entry ' + seq + ' ')
}

function append(log: EngineLog, count: number): void {
  for (let index = 0; index < count; index++) log.append(entry(log.lastSeq + 1))
}

async function entriesFrom(log: EngineLog, fromSeq: number): Promise<Buffer[]> {
  const found: Buffer[] = []
  while (fromSeq + found.length <= log.syncedSeq) {
    const page = await log.read(fromSeq + found.length, 500)
    if (page.count === 0) throw new Error('an empty page before the end')
    for (let at = 0; at < page.frames.length; ) {
      const end = at + 4 + page.frames.readUInt32LE(at)
      found.push(Buffer.from(page.frames.subarray(at + 4, end)))
      at = end
    }
  }
  return found
}

/** Holds a log to its interface. */
export async function holdToContract(t: Test, open: OpenLog): Promise<void> {
  const first = await open()
  const { log } = first
  t.same([log.lastSeq, log.syncedSeq, log.oldestSeq, log.waiting], [0, 0, 0, 0])
  t.equal(log.waitingMs, 0)
  t.equal(log.writable, true)
  t.equal(log.attached, false)

  const reused = Buffer.from('the caller uses its buffer again')
  t.equal(log.append(reused), 1, 'sequences begin with 1')
  reused.fill(0)
  t.same(
    [log.lastSeq, log.syncedSeq, log.waiting],
    [1, 0, 1],
    'an entry waits before it is durable',
  )
  t.same(first.synced, [], 'the append itself reports nothing')
  append(log, 99)
  log.writeNow()
  await first.settled()
  t.same([log.lastSeq, log.syncedSeq, log.waiting, log.waitingMs], [100, 100, 0, 0])
  t.equal(first.synced.at(-1), 100)
  t.same(
    first.synced,
    first.synced.toSorted((one, other) => one - other),
    'reports go forward',
  )

  const all = await entriesFrom(log, 1)
  t.equal(all[0]?.toString(), 'the caller uses its buffer again', 'the log keeps a copy')
  t.same(
    all.slice(1),
    Array.from({ length: 99 }, (_, index) => entry(index + 2)),
  )
  t.same(await entriesFrom(log, 90), all.slice(89), 'a page begins where it is asked to')
  t.equal((await log.read(101, 500)).count, 0, 'behind the end there is nothing')
  const replayed: number[] = []
  t.notMatch(
    log.replay(60, (seq) => replayed.push(seq)),
    { refused: String },
  )
  t.same(
    replayed,
    Array.from({ length: 41 }, (_, index) => index + 60),
  )

  await log.markAttached()
  append(log, 3)
  const { epoch, journalId } = log
  await log.close()
  t.equal(log.writable, false, 'a closed log takes nothing more')

  const second = await open()
  t.equal(second.log.lastSeq, 103, 'a log that closes writes the entries that wait')
  t.equal(second.log.journalId, journalId)
  t.ok(second.log.epoch > epoch, 'the epoch grows')
  t.equal(second.log.attached, true)
  append(second.log, 900)
  await second.settled()
  second.log.trim(1003)
  t.ok(second.log.oldestSeq <= 1003, 'a trim keeps the newest entry')
  t.same((await entriesFrom(second.log, 1003))[0], entry(1003))
  second.log.trim(5000)
  t.same((await entriesFrom(second.log, 1003))[0], entry(1003))
  await second.log.close()
  t.equal((await open()).log.lastSeq, 1003, 'the sequence survives a trim')
}
