// The journal as each release wrote it, unpacked for a test: segments, snapshots, and what they amount to, written down when
// they were made. A folder of test/fixtures is never changed: a new format gets a folder of its own.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { Teardown } from '../harness/postgres.ts'

const FIXTURES = new URL('../fixtures/', import.meta.url).pathname

/** A spend window: subject, zone, currency, local day, and what is used of day, week, month, year and all time. */
export type KeptWindow = [
  subject: string,
  zone: string,
  currency: string,
  day: number,
  ...used: number[],
]

export interface KeptState {
  entries: number
  decisions: number
  late_replies: number
  /** Decisions without a card. */
  unmatched: number
  /** The entry after which the latest snapshot was taken. */
  snapshot_seq: number
  latest_ms: number
  windows: KeptWindow[]
}

/** A message as it was sent, without what a test derives from the PAN, and the answer's bytes. */
export type KeptAnswer = Omit<NetworkMessage, 'card' | 'kind'> & { pan: string; answer: string }

export interface Release {
  /** A data directory with the release's journal in it, removed at teardown. */
  directory: string
  state: KeptState
  answers: KeptAnswer[]
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
  mkdirSync(join(directory, 'journal'), { mode: 0o700 })
  for (const file of readdirSync(join(kept, 'journal')))
    writeFileSync(
      join(directory, 'journal', file.replace(/\.gz$/, '')),
      gunzipSync(readFileSync(join(kept, 'journal', file))),
    )
  return {
    directory,
    state: JSON.parse(readFileSync(join(kept, 'state.json'), 'utf8')),
    answers: JSON.parse(gunzipSync(readFileSync(join(kept, 'answers.json.gz'))).toString()),
  }
}
