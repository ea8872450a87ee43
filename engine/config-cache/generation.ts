// One generation of the config cache: an LMDB environment in its own directory. The asynchronous
// puts of one turn of the event loop form one transaction; no row is ever removed, and no read
// spans an await.
import { mkdirSync } from 'node:fs'
import { open } from 'lmdb'
import type { Clock } from '../../shared/clock.ts'
import { DecodedRows } from './decoded-rows.ts'
import { partsOf, type RowKind, rowKey } from './keys.ts'
import { decodeStored, encodeStored, type Stored } from './stored.ts'

/** The file LMDB keeps in a generation's directory, beside its lock. */
export const DATA_FILE = 'data.mdb'
const READERS_MAX = 1024
const COMMIT_WATCHDOG_MS = 2000

export interface Generation {
  readonly name: string
  get(key: string): Stored | undefined
  /** The same by the parts of the key, kept decoded: for the authorization line. */
  row(kind: RowKind, id: string): Stored | undefined
  /** Every row whose key begins with the prefix; only for kinds with few rows. */
  withPrefix(prefix: string): Stored[]
  /**
   * Readers see the rows from this call on; it resolves when they are on disk. Rejects if the
   * commit failed or did not settle within two seconds: the outcome is then unknown.
   */
  write(rows: ReadonlyMap<string, Stored>): Promise<void>
  close(): Promise<void>
}

/** Throws if the files are not a healthy LMDB environment. */
export function openGeneration(directory: string, name: string, clock: Clock): Generation {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const options = {
    path: directory,
    noSubdir: false,
    encoder: { encode: encodeStored, decode: decodeStored },
    // One sync after the other: not slower here, and no commit can fall behind a later one at a
    // power cut.
    overlappingSync: false,
    maxReaders: READERS_MAX,
    permissionsMode: 0o600,
  }
  const database = open<Stored, string>(options)
  const decoded = new DecodedRows()
  /** Rows that readers see and the map does not yet: the map is read only after the commit. */
  const committing = new Map<string, Stored>()
  const get = (key: string): Stored | undefined => committing.get(key) ?? database.get(key)
  return {
    name,
    get,
    row(kind, id) {
      const known = decoded.get(kind, id)
      if (known !== undefined) return known ?? undefined
      const row = get(rowKey(kind, id))
      decoded.set(kind, id, row ?? null)
      return row
    },
    withPrefix(prefix) {
      const end =
        prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
      return Array.from(database.getRange({ start: prefix, end }), (entry) => entry.value)
    },
    async write(rows) {
      const commits: Promise<boolean>[] = []
      for (const [key, value] of rows) {
        committing.set(key, value)
        const parts = partsOf(key)
        if (parts !== null) decoded.forget(...parts)
        commits.push(database.put(key, value))
      }
      await settledWithin(Promise.all(commits), clock)
      database.resetReadTxn()
      for (const [key, value] of rows) if (committing.get(key) === value) committing.delete(key)
    },
    close: () => database.close(),
  }
}

function settledWithin(commit: Promise<unknown>, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const watchdog = clock.after(COMMIT_WATCHDOG_MS, () => {
      reject(
        new Error(
          'a commit of the config cache did not settle within ' + COMMIT_WATCHDOG_MS + ' ms',
        ),
      )
    })
    commit.then(
      () => {
        watchdog.cancel()
        resolve()
      },
      (cause: unknown) => {
        watchdog.cancel()
        reject(new Error('a commit of the config cache failed', { cause }))
      },
    )
  })
}
