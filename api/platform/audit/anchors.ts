// Anchors: the heads of the audit logs, written regularly to a place outside of the database. A
// whole log that somebody wrote anew in PostgreSQL contradicts an anchor of before.
import { type FileHandle, open } from 'node:fs/promises'
import { type Clock, type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import { signatureHeader } from '../../../shared/signature.ts'
import { openOutsideCaller } from '../../http/outside-caller.ts'
import type { Job, OpenJob } from '../../jobs/job.ts'
import { type Anchor, anchorLine } from './anchor-line.ts'
import { listHeads } from './store.ts'

/** Chosen: a change of history can stay unseen only for so long after the row was written. */
const EVERY_MS = 300_000
const LEASE_MS = 60_000
/** Heads in one line. */
const HEADS_MAX = 1000
const CALL_MS_MAX = 10_000
const ANSWER_BYTES_MAX = 4096
const FILE_MODE = 0o600

/** Where anchors go. `secret` signs what is posted. */
export type AnchorTarget = { path: string } | { url: string; secret: string }

interface Place {
  /** Resolves when the line is durable there; rejects with the reason where it is not known. */
  write(line: string, now: EpochMs): Promise<void>
  close(): Promise<void> | void
}

/**
 * The job that writes the heads that moved since its last run; the first run of a process writes
 * all. Several processes may write to one place: a line more contradicts nothing.
 */
export function anchorJob(target: AnchorTarget, clock: Clock): OpenJob {
  const place = placeOf(target, clock)
  /** The hash of the last head that was written, by log: a log that was put back has another. */
  const written = new Map<string, string>()
  const job: Job = {
    ...{ name: 'audit_anchors', every: EVERY_MS, pace: EVERY_MS, lease: LEASE_MS },
    batch: HEADS_MAX,
    async run({ sql, now, batch, signal }) {
      let work = 0
      let after: Anchor | null = null
      do {
        const heads: Anchor[] = await listHeads(sql, { after, limit: batch })
        const moved = heads.filter((head) => written.get(logOf(head)) !== hexOf(head))
        if (moved.length > 0) await place.write(anchorLine(now, moved), now)
        for (const head of moved) written.set(logOf(head), hexOf(head))
        work += moved.length
        after = heads.length < batch ? null : (heads.at(-1) ?? null)
      } while (after !== null && !signal.aborted)
      return work
    },
  }
  return { job, close: () => place.close() }
}

function hexOf({ hash }: Anchor): string {
  return hash.toString('hex')
}

function logOf({ tenantId, environment }: Anchor): string {
  return tenantId + ' ' + environment
}

function placeOf(target: AnchorTarget, clock: Clock): Place {
  return 'path' in target ? filePlace(target.path) : postedPlace(target, clock)
}

/**
 * Opened for each line: the operator may rename it at any time, and a new one begins. A line that
 * was cut, as by a loss of power, is ended first, and spoils no other. A file that may not be read
 * gets an end before each line.
 */
export function filePlace(path: string, openFile: OpenFile = open): Place {
  return {
    async write(line) {
      const { file, isReadable } = await openToAppend(path, openFile)
      try {
        const isCut = isReadable ? await endsWithin(file) : true
        await file.writeFile((isCut ? '\n' : '') + line + '\n')
        await file.sync()
      } finally {
        await file.close()
      }
    },
    close: () => undefined,
  }
}

type OpenFile = (path: string, flags: string, mode: number) => Promise<FileHandle>

async function openToAppend(
  path: string,
  openFile: OpenFile,
): Promise<{ file: FileHandle; isReadable: boolean }> {
  try {
    return { file: await openFile(path, 'a+', FILE_MODE), isReadable: true }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error
    return { file: await openFile(path, 'a', FILE_MODE), isReadable: false }
  }
}

/** True where the last line of a file has no end. */
async function endsWithin(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString('latin1') !== '\n'
}

function postedPlace({ url, secret }: { url: string; secret: string }, clock: Clock): Place {
  const bounds = { callMsMax: CALL_MS_MAX, answerBytesMax: ANSWER_BYTES_MAX }
  const outside = openOutsideCaller({ clock, ...bounds })
  return {
    async write(line, now) {
      const headers = {
        'content-type': 'application/json',
        'svc-signature': signatureHeader([secret], unixSeconds(now), line),
      }
      const answer = await outside.call({ method: 'POST', url, headers, body: line })
      const problem = answer.ok ? answer.value.status : answer.error
      if (typeof problem === 'number' && problem >= 200 && problem < 300) return
      throw new Error('the place of the audit anchors answered ' + problem)
    },
    close: () => outside.close(),
  }
}
