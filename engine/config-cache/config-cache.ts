// The engine's copy of the configuration: a cache in LMDB that may be deleted at any time. Without
// a complete copy and its cursor the engine decides nothing. A disk error stops the process, and
// the next start begins empty.
import { join } from 'node:path'
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import type {
  ConfigChange,
  NetworkKeyConfig,
  RootConfig,
} from '../../shared/wire/config-records.ts'
import { type ConfigPush, snapshotCovers, snapshotFollows } from '../../shared/wire/control.ts'
import { rowsOf } from './apply.ts'
import { DATA_FILE, type Generation, openGeneration } from './generation.ts'
import { hasWholeHead } from './head.ts'
import { configKey, META_KEY, type RowKind } from './keys.ts'
import { Lookups } from './lookups.ts'
import { dropPointer, readPointer, sweep } from './pointer.ts'
import type { ConfigReader } from './reader.ts'
import { Resync } from './resync.ts'
import { type Meta, RECORDS_FORMAT, type Stored } from './stored.ts'

export interface ConfigCache extends ConfigReader {
  /** Milliseconds since the last push, including one without changes; null before the first one. */
  lagMs(): number | null
  /** True if the config cache holds everything that transaction changed. */
  covers(xid: bigint): boolean
  /**
   * Applies one step of a push; the steps run one after the other. After it resolves, readers see
   * the changes and they are on disk. The sentence of a refusal names the pusher's next step: a
   * refused `change` needs a full resync.
   */
  apply(push: ConfigPush): Promise<Result<null, string>>
  close(): Promise<void>
}

export interface ConfigCacheOptions {
  /** Holds one directory per generation and the pointer file; created if missing. */
  directory: string
  clock: Clock
  log: Logger
  /** The cache failed: answer no more and exit. The pointer is already dropped. */
  onFailed(reason: string): void
}

/**
 * Opens the current generation. If it is missing, foreign or broken, the directory is emptied and
 * the config cache begins empty.
 */
export function openConfigCache(options: ConfigCacheOptions): ConfigCache {
  return new LmdbConfigCache(options)
}

class LmdbConfigCache extends Lookups implements ConfigCache {
  readonly #options: ConfigCacheOptions
  readonly #resync: Resync
  #current: Generation | null = null
  #meta: Meta | null = null
  #networkKeys: readonly NetworkKeyConfig[] = []
  #root: RootConfig | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #pushedAtNs: number | null = null
  #failed = false
  #changes = 0

  constructor(options: ConfigCacheOptions) {
    super()
    this.#options = options
    this.#resync = new Resync(options)
    const name = readPointer(options.directory)
    sweep(options.directory, name)
    if (name !== null && !this.#reopen(name)) sweep(options.directory, null)
  }

  get cursor(): string | null {
    return this.#meta?.cursor ?? null
  }

  get databaseId(): string | null {
    return this.#meta?.databaseId ?? null
  }

  get changes(): number {
    return this.#changes
  }

  networkKeys(): readonly NetworkKeyConfig[] {
    return this.#networkKeys
  }

  root(): RootConfig | null {
    return this.#root
  }

  lagMs(): number | null {
    if (this.#pushedAtNs === null) return null
    return (this.#options.clock.monotonicNs() - this.#pushedAtNs) / 1e6
  }

  covers(xid: bigint): boolean {
    return this.#meta !== null && snapshotCovers(this.#meta.cursor, xid)
  }

  apply(push: ConfigPush): Promise<Result<null, string>> {
    const turn = this.#turn.then(() => this.#step(push))
    this.#turn = turn.catch(() => null)
    return turn
  }

  async close(): Promise<void> {
    await this.#turn
    await this.#resync.giveUp()
    const current = this.#current
    this.#current = null
    this.#meta = null
    this.#becomeNew()
    await current?.close()
  }

  /** Throws only if LMDB itself fails: an empty result would then be wrong. */
  protected row(kind: RowKind, id: string): Stored | undefined {
    if (this.#current === null) return undefined
    try {
      return this.#current.row(kind, id)
    } catch (cause) {
      dropPointer(this.#options.directory)
      this.#fail('reading the config cache failed', cause)
      throw cause
    }
  }

  async #step(push: ConfigPush): Promise<Result<null, string>> {
    if (this.#failed) return refused('the config cache has failed')
    this.#pushedAtNs = this.#options.clock.monotonicNs()
    return push.step === 'change' ? this.#change(push) : this.#resyncStep(push)
  }

  async #change(push: ConfigPush): Promise<Result<null, string>> {
    const { database_id: databaseId, base, cursor } = push
    if (
      this.#current === null ||
      this.#meta?.databaseId !== databaseId ||
      this.#meta.cursor !== base
    )
      return refused(
        'the config cache does not continue from this cursor: push the config records in full',
      )
    if (cursor === null) return refused('a change needs a cursor')
    const meta: Meta = { type: 'meta', format: RECORDS_FORMAT, cursor, databaseId }
    const rows = rowsOf(push.changes, this.#current.get)
    // A cursor that moves without rows stays in memory: the older one on disk only repeats known
    // changes.
    if (rows.size > 0) {
      try {
        // Readers see the rows as soon as their write has begun.
        this.#becomeNew()
        await this.#current.write(rows.set(META_KEY, meta))
      } catch (cause) {
        // The last commit left a whole cache, so the pointer stays.
        this.#fail('committing a change of the config cache failed', cause)
        return refused('committing the change failed')
      }
      this.#remember(push.changes)
    }
    this.#meta = meta
    return DONE
  }

  /** A failure leaves the current generation serving; the pusher begins again. */
  async #resyncStep(push: ConfigPush): Promise<Result<null, string>> {
    const { step, base, cursor } = push
    if (base === null) return refused('a resync needs a name')
    if (step === 'commit' && cursor === null) return refused('a commit needs a cursor')
    try {
      if (step === 'begin') {
        await this.#resync.begin({ ...push, base }, this.#current?.name ?? null)
        return DONE
      }
      if (!this.#resync.fits(push)) return refused('this resync is not under way: begin it again')
      if (cursor !== null && this.#isOutdated(push.database_id, cursor))
        return refused('the config cache is already further than this resync')
      const whole = await this.#resync.add(push, step === 'commit' ? cursor : null)
      if (whole === null) return DONE
      const old = this.#current
      this.#adopt(whole.generation, whole.meta)
      if (old !== null) await this.#resync.discard(old)
      return DONE
    } catch (cause) {
      this.#options.log.error(
        { err: cause },
        'a full copy of the config records could not be written',
      )
      // Not awaited: a hanging commit would hang its closing too.
      void this.#resync.giveUp()
      return refused('writing the new config records failed')
    }
  }

  /** A pusher that was replaced long ago may still finish its work. */
  #isOutdated(databaseId: string, cursor: string): boolean {
    if (this.#meta === null || this.#meta.databaseId !== databaseId) return false
    return !snapshotFollows(cursor, this.#meta.cursor)
  }

  #reopen(name: string): boolean {
    const { directory, clock, log } = this.#options
    try {
      if (!hasWholeHead(join(directory, name, DATA_FILE)))
        throw new Error('the data file is broken')
      const generation = openGeneration(join(directory, name), name, clock)
      const meta = generation.get(META_KEY)
      if (meta?.type === 'meta' && meta.format === RECORDS_FORMAT) {
        this.#adopt(generation, meta)
        return true
      }
      void generation.close()
      log.warn(
        { generation: name },
        'the config cache is incomplete or of another format: starting empty',
      )
    } catch (cause) {
      log.warn({ err: cause, generation: name }, 'the config cache cannot be read: starting empty')
    }
    return false
  }

  #adopt(generation: Generation, meta: Meta): void {
    const networkKeys = generation
      .withPrefix(configKey('network_key', ''))
      .filter((stored) => stored.type === 'network_key')
    const root = generation.get(configKey('root', 'root'))
    this.#becomeNew()
    this.#current = generation
    this.#networkKeys = networkKeys
    this.#root = root?.type === 'root' ? root : null
    this.#meta = meta
  }

  /** Readers may see other rows from now on. */
  #becomeNew(): void {
    this.#changes += 1
    this.purgeLatest()
  }

  /** Records that every message needs stay outside LMDB. */
  #remember(changes: readonly ConfigChange[]): void {
    if (this.#current === null || this.#meta === null) return
    if (changes.some(({ type }) => type === 'network_key' || type === 'root'))
      this.#adopt(this.#current, this.#meta)
  }

  #fail(reason: string, cause: unknown): void {
    if (this.#failed) return
    this.#failed = true
    this.#options.log.fatal({ err: cause }, reason)
    this.#options.onFailed(reason)
  }
}

const DONE: Result<null, string> = { ok: true, value: null }

function refused(error: string): Result<null, string> {
  return { ok: false, error }
}
