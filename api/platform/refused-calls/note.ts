// Remembers calls that were refused, and writes them beside the requests in batches: a refusal
// waits for no statement and makes none of its own.
import type { Clock, Timer } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { type Logger, withoutPans } from '../../../shared/log.ts'
import type { Sql } from '../../database/pool.ts'
import { KEPT_MAX, type RefusedCallRow, saveRefusedCalls } from './store.ts'

const COLLECT_MS = 250
const PARAM_CHARACTERS_MAX = 128
/** Owners with unwritten calls; those of further ones are dropped until the next write. */
const OWNERS_MAX = 200

export class RefusedCalls {
  readonly #parts: { sql: Sql; clock: Clock; log: Logger }
  #unwritten = new Map<string, RefusedCallRow[]>()
  #timer: Timer | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: { sql: Sql; clock: Clock; log: Logger }) {
    this.#parts = parts
  }

  /**
   * The latest KEPT_MAX calls of an owner wait; an owner who floods the API loses the older ones.
   */
  note(call: Omit<RefusedCallRow, 'id'>): void {
    const name = call.tenantId + call.environment
    const rows = this.#unwritten.get(name) ?? []
    if (rows.length === 0 && this.#unwritten.size >= OWNERS_MAX) return
    this.#unwritten.set(name, rows)
    const id = newId('rcl', this.#parts.clock.nowMs())
    rows.push({ ...call, id, param: call.param === null ? null : printable(call.param) })
    if (rows.length > KEPT_MAX) rows.shift()
    this.#timer ??= this.#parts.clock.after(COLLECT_MS, () => void this.#write())
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    this.#timer?.cancel()
    await this.#write()
  }

  /** One write at a time: while the database is away, the next batch waits in memory. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      this.#timer = null
      const rows = [...this.#unwritten.values()].flat()
      this.#unwritten = new Map()
      if (rows.length === 0) return
      try {
        await saveRefusedCalls(this.#parts.sql, rows)
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'refused calls were not written')
      }
    })
    return this.#writing
  }
}

/** The name of a field may be the caller's own text. */
function printable(text: string): string {
  return withoutPans(text.replaceAll(/[^\x20-\x7e]/g, '?')).slice(0, PARAM_CHARACTERS_MAX)
}
