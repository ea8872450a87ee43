// Keeps segments ready before the journal needs them: the maker writes new ones in small chunks or
// reuses drained ones. The maker works on one segment at a time, oldest first, and makes each
// durable before the next, so no power cut leaves a gap between segments.
import { type FileHandle, rename, rm } from 'node:fs/promises'
import type { Clock, Timer } from '../../shared/clock.ts'
import type { Segment } from './segment.ts'
import {
  isNoRoom,
  type JournalFiles,
  noRoom,
  openForBatches,
  prewriteSegment,
  type SegmentFile,
  segmentPath,
  syncDirectory,
} from './segment-files.ts'

/** Spare segments made in advance. */
const SPARES_READY = 2
/** Most drained segments kept as spares; the maker removes the rest. */
const SPARES_MAX = 8
/**
 * Milliseconds until the next attempt after "no space left"; a drained segment ends the wait early.
 */
const NO_ROOM_RETRY_MS = 500
/**
 * After each chunk the maker pauses this many times as long as the chunk took, because batches have
 * priority.
 */
const PAUSE_FACTOR = 2
const PAUSE_MS_MAX = 50

export interface Spare {
  file: SegmentFile
  handle: FileHandle
}

export interface SpareOptions {
  directory: string
  segmentBytes: number
  journal: Buffer
  files: JournalFiles
  clock: Clock
  /** Number of the next new segment. */
  ordinalNext: number
  /**
   * Bytes that stay free: the journal can release no entry without a snapshot, and a snapshot needs
   * space too.
   */
  reserveBytes(): number
  onReady(): void
  /** An error of the device that is not "no space left". */
  onFailed(reason: string): void
}

export class SpareSegments {
  readonly #options: SpareOptions
  readonly #ready: Spare[] = []
  readonly #drained: Segment[] = []
  #ordinalNext: number
  #running: Promise<void> | null = null
  #stopped = false
  #retry: Timer | null = null

  constructor(options: SpareOptions) {
    this.#options = options
    this.#ordinalNext = options.ordinalNext
  }

  get count(): number {
    return this.#ready.length
  }

  /** Opens a file found at start as a spare. Call it oldest first, before `ensure`. */
  async adopt(file: SegmentFile): Promise<void> {
    this.#ready.push({ file, handle: await openForBatches(file.path) })
  }

  /** Returns the oldest spare, or undefined; the maker then starts another one. */
  take(): Spare | undefined {
    const spare = this.#ready.shift()
    this.ensure()
    return spare
  }

  /** Takes a drained segment. Call it oldest first. */
  recycle(segment: Segment): void {
    this.#drained.push(segment)
    this.#retry?.cancel()
    this.#retry = null
    this.ensure()
  }

  /** Starts making the missing spares in the background. */
  ensure(): void {
    if (this.#stopped || this.#running !== null || this.#retry !== null) return
    this.#running = this.#work().then(
      () => {
        this.#running = null
        // A segment may have arrived since the last check.
        if (this.#lacking) this.ensure()
      },
      (error: unknown) => {
        this.#running = null
        this.#endured(error)
      },
    )
  }

  /** Waits for the current step and closes the files. */
  async close(): Promise<void> {
    this.#stopped = true
    this.#retry?.cancel()
    this.#retry = null
    await this.#running
    for (const spare of this.#ready.splice(0)) await spare.handle.close()
  }

  get #lacking(): boolean {
    return this.#ready.length < SPARES_READY || this.#drained[0]?.readers === 0
  }

  async #work(): Promise<void> {
    while (!this.#stopped && this.#lacking) {
      const drained = this.#drained[0]
      if (drained === undefined || drained.readers > 0) {
        await this.#make()
      } else {
        await this.#reuse(drained)
        this.#drained.shift()
      }
    }
  }

  async #reuse(segment: Segment): Promise<void> {
    const { directory, segmentBytes } = this.#options
    const kept = this.#ready.length < SPARES_MAX && segment.bytesMax === segmentBytes
    if (!kept) {
      await rm(segment.path)
      await syncDirectory(directory)
      return
    }
    const ordinal = this.#ordinalNext
    const file = { ordinal, path: segmentPath(directory, ordinal), bytes: segmentBytes }
    await rename(segment.path, file.path)
    this.#ordinalNext += 1
    await syncDirectory(directory)
    await this.#becameReady(file)
  }

  async #make(): Promise<void> {
    const { directory, segmentBytes, journal, files, reserveBytes } = this.#options
    if ((await files.roomOn(directory)) < segmentBytes + reserveBytes()) throw noRoom()
    const ordinal = this.#ordinalNext
    const pace = this.#pacer()
    const draft = { directory, ordinal, bytes: segmentBytes, journal, files, pace }
    const file = await prewriteSegment(draft)
    if (file === null) return
    this.#ordinalNext += 1
    await this.#becameReady(file)
  }

  async #becameReady(file: SegmentFile): Promise<void> {
    await this.adopt(file)
    this.#options.onReady()
  }

  /** Pauses in proportion to the time a chunk took, except while no spare is left. */
  #pacer(): () => Promise<boolean> {
    const { clock } = this.#options
    let beganNs = clock.monotonicNs()
    return async () => {
      if (this.#ready.length > 0) {
        const tookMs = (clock.monotonicNs() - beganNs) / 1e6
        await paused(clock, Math.min(PAUSE_MS_MAX, Math.ceil(tookMs * PAUSE_FACTOR)))
      }
      beganNs = clock.monotonicNs()
      return !this.#stopped
    }
  }

  #endured(error: unknown): void {
    if (this.#stopped) return
    if (!isNoRoom(error)) {
      this.#options.onFailed('a journal segment could not be prepared: ' + String(error))
      return
    }
    this.#retry = this.#options.clock.after(NO_ROOM_RETRY_MS, () => {
      this.#retry = null
      this.ensure()
    })
  }
}

function paused(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve)
  })
}
