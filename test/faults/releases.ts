// The data directory of each release, unpacked for a test: segments, snapshots and config records,
// with the state that the release recorded (test/fixtures/write-journal.ts). A folder of
// test/fixtures never changes: a new format gets its own folder.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { Teardown } from '../harness/postgres.ts'
import type { KeptState } from './kept-state.ts'

const FIXTURES = new URL('../fixtures/', import.meta.url).pathname

/** A message as it was sent, and the answer's bytes. */
export interface KeptResponse {
  message: NetworkMessage
  answer: string
}

/** Rows of PostgreSQL as a query gave them. */
export type KeptRows = readonly { readonly [column: string]: unknown }[]

export interface Release {
  /** A data directory with the release's journal and config records in it, removed at teardown. */
  directory: string
  state: KeptState
  answers: KeptResponse[]
  /** The rows the journal drains into, by table. */
  drained: { readonly [table: string]: KeptRows }
}

/** The folders of test/fixtures that hold a journal, one per format. */
export function releaseNames(): string[] {
  return readdirSync(FIXTURES)
    .filter((name) => name.startsWith('journal-'))
    .sort()
}

export function unpackRelease(t: Teardown, name: string): Release {
  const kept = join(FIXTURES, name)
  const directory = mkdtempSync(join(tmpdir(), 'svc-release-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const files = readdirSync(kept, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((path) => /^(journal|facts)\/.*\.gz$/.test(path))) {
    const path = join(directory, file.replace(/\.gz$/, ''))
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, gunzipSync(readFileSync(join(kept, file))))
  }
  const unzipped = (file: string) =>
    JSON.parse(gunzipSync(readFileSync(join(kept, file))).toString())
  return {
    directory,
    state: JSON.parse(readFileSync(join(kept, 'state.json'), 'utf8')),
    answers: unzipped('answers.json.gz'),
    drained: unzipped('drained.json.gz'),
  }
}
