import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { readLatestSnapshot, writeSnapshot } from '../../engine/journal/snapshot-file.ts'
import { newId } from '../../shared/id.ts'

const JOURNAL = newId('jrn', 1_700_000_000_000)
const OTHER = newId('jrn', 1_700_000_000_000)

function directoryFor(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-snapshot-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function chunksFor(seq: number): Buffer[] {
  // Each is shorter than the one it overwrites.
  const large = Buffer.alloc(1_500_000 - seq, 'state at ' + seq + ' ')
  return [Buffer.from('head ' + seq), Buffer.alloc(0), large]
}

function latest(directory: string): number | null {
  const snapshot = readLatestSnapshot(directory, JOURNAL)
  if (snapshot === null) return null
  const same = Buffer.concat([...snapshot.chunks]).equals(Buffer.concat(chunksFor(snapshot.seq)))
  return same ? snapshot.seq : -1
}

test('the newest snapshot is read, the last two are kept, other journals are left alone', (t) => {
  const directory = directoryFor(t)
  t.equal(latest(directory), null)
  writeSnapshot(directory, { seq: 9000, journalId: OTHER, chunks: chunksFor(9000) })
  for (const seq of [10, 20, 30, 40, 50]) {
    writeSnapshot(directory, { seq, journalId: JOURNAL, chunks: chunksFor(seq) })
    t.equal(latest(directory), seq)
  }
  t.same(
    readdirSync(directory).sort(),
    [
      'snapshot.spare',
      ...[40, 50, 9000].map((seq) => 'snapshot-' + String(seq).padStart(16, '0')),
    ].sort(),
  )
  t.end()
})

test('a damaged snapshot is skipped for the one before', (t) => {
  const directory = directoryFor(t)
  for (const seq of [10, 20])
    writeSnapshot(directory, { seq, journalId: JOURNAL, chunks: chunksFor(seq) })
  const path = join(directory, 'snapshot-0000000000000020')
  const whole = readFileSync(path)
  const places = [0, 9, 15, 30, 38, 41, 45, 49, 60, 80, 700_000, whole.length - 6, whole.length - 1]
  const believed = places.filter((at) => {
    const bytes = Buffer.from(whole)
    bytes[at]! ^= 1
    writeFileSync(path, bytes)
    return latest(directory) !== 10
  })
  t.same(believed, [])
  for (const bytes of [0, 20, 40, 60, 1_000_000, whole.length - 1]) {
    writeFileSync(path, whole)
    truncateSync(path, bytes)
    t.equal(latest(directory), 10, 'cut to ' + bytes)
  }
  writeFileSync(path, whole)
  t.equal(latest(directory), 20)
  t.end()
})

test('a snapshot that fails half-way leaves the ones before and nothing else', (t) => {
  const directory = directoryFor(t)
  writeSnapshot(directory, { seq: 10, journalId: JOURNAL, chunks: chunksFor(10) })
  function* broken(): Generator<Buffer> {
    yield Buffer.from('head')
    throw new Error('the state was wrong')
  }
  t.throws(
    () => writeSnapshot(directory, { seq: 20, journalId: JOURNAL, chunks: broken() }),
    /wrong/,
  )
  t.same(readdirSync(directory), ['snapshot-0000000000000010'])
  t.equal(latest(directory), 10)
  t.end()
})
