// A full copy of the configuration in progress: written to a generation of its own beside the
// current one, invisible until it is whole on disk and the pointer names it.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { ConfigPush } from '../../shared/wire/control.ts'
import { rowsOf } from './apply.ts'
import { type Generation, openGeneration } from './generation.ts'
import { META_KEY } from './keys.ts'
import { nextName, writePointer } from './pointer.ts'
import { type Meta, RECORDS_FORMAT } from './stored.ts'

/** A generation that holds everything up to its cursor. */
export interface Whole {
  generation: Generation
  meta: Meta
}

interface Building {
  name: string
  databaseId: string
  generation: Generation
}

export class Resync {
  readonly #directory: string
  readonly #clock: Clock
  readonly #log: Logger
  #building: Building | null = null

  constructor(options: { directory: string; clock: Clock; log: Logger }) {
    this.#directory = options.directory
    this.#clock = options.clock
    this.#log = options.log
  }

  /** Throws if no new generation can be opened. A resync under way is given up. */
  async begin(push: ConfigPush & { base: string }, currentName: string | null): Promise<void> {
    await this.giveUp()
    const name = nextName(this.#directory, currentName)
    const generation = openGeneration(join(this.#directory, name), name, this.#clock)
    this.#building = { name: push.base, databaseId: push.database_id, generation }
  }

  /** False if the step belongs to another resync. */
  fits(push: ConfigPush): boolean {
    return (
      this.#building !== null &&
      this.#building.name === push.base &&
      this.#building.databaseId === push.database_id
    )
  }

  /**
   * Adds rows; with a cursor it also ends the resync, and the caller must use the returned
   * generation from then on.
   */
  async add(push: ConfigPush, cursor: string | null): Promise<Whole | null> {
    const building = this.#building
    if (building === null) return null
    const { generation, databaseId } = building
    const rows = rowsOf(push.changes, generation.get)
    if (cursor === null) {
      await generation.write(rows)
      return null
    }
    const meta: Meta = { type: 'meta', format: RECORDS_FORMAT, cursor, databaseId }
    await generation.write(rows.set(META_KEY, meta))
    await writePointer(this.#directory, generation.name)
    this.#building = null
    return { generation: await this.#reopened(generation), meta }
  }

  /**
   * LMDB keeps the memory of every written page until the environment is closed: after a million
   * cards that was 450 MB (lmdb 3.5.6, Node 22, 2026-11-20) without further use.
   */
  async #reopened(generation: Generation): Promise<Generation> {
    const { name } = generation
    await generation.close()
    return openGeneration(join(this.#directory, name), name, this.#clock)
  }

  async giveUp(): Promise<void> {
    const building = this.#building
    this.#building = null
    if (building !== null) await this.discard(building.generation)
  }

  /** Closes and deletes a generation without readers. The next start sweeps the rest. */
  async discard(generation: Generation): Promise<void> {
    try {
      await generation.close()
      await rm(join(this.#directory, generation.name), { recursive: true, force: true })
    } catch (cause) {
      this.#log.warn(
        { err: cause, generation: generation.name },
        'an old generation of the config cache stays on disk',
      )
    }
  }
}
