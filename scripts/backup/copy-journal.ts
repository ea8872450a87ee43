// A copy of the journal beside the engine that writes it. Segments only grow, so each round copies
// the bytes that came since; rounds during the copy of the database keep segments that the engine
// drops meanwhile. The copy is read back in the end: a segment that the engine used again while it
// was read breaks the chain and is noticed.

import { closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { writeMeta } from '../../engine/journal/meta-file.ts'
import { readSegments } from '../../engine/journal/recover.ts'
import type { Segment } from '../../engine/journal/segment.ts'
import { listSegments, syncDirectory } from '../../engine/journal/segment-files.ts'
import { listSnapshots, snapshotIntact } from '../../engine/journal/snapshot-file.ts'
import { type JournalView, readJournal } from '../journal/read-journal.ts'
import type { Manifest } from './manifest.ts'

const CHUNK_BYTES = 1024 * 1024
const SNAPSHOT_TRIES = 5

export class JournalCopy {
  readonly #source: string
  readonly #target: string
  /** Copied up to this byte, by ordinal. */
  readonly #copied = new Map<number, number>()
  #view: JournalView | null = null
  /** The segment that the engine wrote in the last round; earlier ones are copied whole. */
  #activeOrdinal = 0

  constructor(source: string, target: string) {
    this.#source = source
    this.#target = target
    mkdirSync(target, { mode: 0o700 })
  }

  /** The last entry that was seen; 0 before the first round. */
  get lastSeq(): number {
    return this.#view?.recovery.lastSeq ?? 0
  }

  /**
   * Copies the entries that came since the last round, and reads only the segments that may hold
   * them. Throws where the journal cannot be read.
   */
  async round(): Promise<void> {
    const view = await readJournal(this.#source, this.#activeOrdinal)
    if (!view.ok) throw new Error(view.error)
    if (this.#view !== null && this.#view.journalId !== view.value.journalId)
      throw new Error('The journal was replaced during the backup: begin again.')
    this.#view = view.value
    const { segments } = view.value.recovery
    for (const segment of segments) await this.#copySegment(segment)
    this.#activeOrdinal = Math.max(this.#activeOrdinal, segments.at(-1)?.ordinal ?? 0)
  }

  async #copySegment(segment: Segment): Promise<void> {
    const from = this.#copied.get(segment.ordinal) ?? 0
    if (from >= segment.endBytes) return
    const source = await open(segment.path, 'r').catch(() => null)
    // The engine dropped it since; a gap shows when the copy is read back.
    if (source === null) return
    const target = await open(
      join(this.#target, basename(segment.path)),
      from === 0 ? 'wx' : 'r+',
      0o600,
    )
    try {
      if (from === 0) await target.truncate(segment.bytesMax)
      await copyRange(source, target, { from, to: segment.endBytes })
      await target.sync()
      this.#copied.set(segment.ordinal, segment.endBytes)
    } finally {
      await source.close()
      await target.close()
    }
  }

  /**
   * Copies the last entries, a snapshot and the identity, and reads the copy back. Throws a
   * sentence where the copy is not whole or lacks entries after `drainedSeq`.
   */
  async finish(drainedSeq: number): Promise<Manifest['journal']> {
    await this.round()
    const view = this.#view
    if (view === null) throw new Error('The journal was not read.')
    const { journalId: id, epoch, attached, recovery } = view
    const copy = readSegments(listSegments(this.#target), view.journal)
    if ('refused' in copy) throw new Error('The copy of the journal is not whole: ' + copy.refused)
    const [oldest] = copy.segments
    if (copy.lastSeq < recovery.lastSeq)
      throw new Error('The engine used a segment again while it was copied: begin again.')
    const firstSeq = oldest.firstSeq
    if (drainedSeq > copy.lastSeq)
      throw new Error(
        'The database has entry ' + drainedSeq + ', the journal ends at ' + copy.lastSeq + '.',
      )
    if (firstSeq > drainedSeq + 1)
      throw new Error(
        'The engine dropped entries after ' +
          drainedSeq +
          ' while the database was copied: begin again.',
      )
    const snapshotSeq = this.#copySnapshot(id, { firstSeq, lastSeq: copy.lastSeq })
    await writeMeta(this.#target, { journalId: id, epoch, attached })
    await syncDirectory(this.#target)
    return { id, first_seq: firstSeq, last_seq: copy.lastSeq, snapshot_seq: snapshotSeq }
  }

  /** Returns the entry of the newest snapshot that meets the copied entries; 0: none is needed. */
  #copySnapshot(id: string, entries: { firstSeq: number; lastSeq: number }): number {
    for (let attempt = 0; attempt < SNAPSHOT_TRIES; attempt++) {
      for (const { seq, path } of listSnapshots(this.#source)) {
        if (seq > entries.lastSeq || seq < entries.firstSeq - 1) continue
        const target = join(this.#target, basename(path))
        if (copiedWhole(path, target) && snapshotIntact(target, id, seq)) return seq
      }
    }
    if (entries.firstSeq <= 1) return 0
    throw new Error('No intact snapshot meets the journal from entry ' + entries.firstSeq + ' on.')
  }
}

function copiedWhole(from: string, to: string): boolean {
  try {
    copyFileSync(from, to)
  } catch {
    // The engine replaced it since.
    return false
  }
  syncFile(to)
  return true
}

/** Copies the file when it is there; durable when it returns. */
export function copyIfThere(from: string, to: string): boolean {
  return existsSync(from) && copiedWhole(from, to)
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r')
  fsyncSync(fd)
  closeSync(fd)
}

async function copyRange(
  source: FileHandle,
  target: FileHandle,
  range: { from: number; to: number },
): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let at = range.from; at < range.to; ) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(CHUNK_BYTES, range.to - at), at)
    if (bytesRead === 0)
      throw new Error('A segment became shorter while it was copied: begin again.')
    await target.write(buffer, 0, bytesRead, at)
    at += bytesRead
  }
}
