// The traces that keys leave: when and where they were last used, and in which web pages secret ones were seen. Written
// beside the requests, together, at most once a minute each: a request neither waits for them nor fails by them.
import type { Clock, EpochMs, Timer } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import type { Owner, Principal } from '../context.ts'
import type { Sql } from '../database/pool.ts'

const MINUTE_MS = 60_000
const COLLECT_MS = 250
/** Remembered at most; beyond it the memory starts afresh, which costs a write. */
const REMEMBERED_MAX = 100_000
/** Chosen: pages kept per key; it takes one to know. */
const ORIGINS_MAX = 20
const ORIGIN_CHARACTERS_MAX = 255

interface Use {
  keyId: string
  at: EpochMs
  address: string | null
}

interface Sighting extends Owner {
  keyId: string
  origin: string
  at: EpochMs
  count: number
}

export class Traces {
  readonly #parts: { sql: Sql; clock: Clock; log: Logger }
  readonly #usedAt = new Map<string, EpochMs>()
  readonly #seen = new Map<string, { writtenAt: EpochMs; unwritten: number }>()
  #uses: Use[] = []
  #sightings: Sighting[] = []
  #timer: Timer | null = null

  constructor(parts: { sql: Sql; clock: Clock; log: Logger }) {
    this.#parts = parts
  }

  /** `at` is the tenant's time. */
  noteUse({ keyId }: Principal, at: EpochMs, address: string | null): void {
    const last = this.#usedAt.get(keyId)
    if (last !== undefined && at < last + MINUTE_MS) return
    if (this.#usedAt.size >= REMEMBERED_MAX) this.#usedAt.clear()
    this.#usedAt.set(keyId, at)
    this.#uses.push({ keyId, at, address })
    this.#soon()
  }

  /** A secret key came with an Origin: it is in a page where everybody can read it. Spec 5.1. */
  noteBrowserUse({ keyId, tenantId, environment }: Principal, text: string, at: EpochMs): void {
    const origin = text.slice(0, ORIGIN_CHARACTERS_MAX)
    const name = keyId + ' ' + origin
    const seen = this.#seen.get(name) ?? { writtenAt: -MINUTE_MS, unwritten: 0 }
    seen.unwritten += 1
    if (this.#seen.size >= REMEMBERED_MAX) this.#seen.clear()
    this.#seen.set(name, seen)
    if (at < seen.writtenAt + MINUTE_MS) return
    this.#sightings.push({ tenantId, environment, keyId, origin, at, count: seen.unwritten })
    seen.writtenAt = at
    seen.unwritten = 0
    this.#soon()
  }

  /** Writes what is still to be written. */
  async close(): Promise<void> {
    this.#timer?.cancel()
    await this.#write()
  }

  #soon(): void {
    this.#timer ??= this.#parts.clock.after(COLLECT_MS, () => void this.#write())
  }

  async #write(): Promise<void> {
    this.#timer = null
    const [uses, sightings] = [this.#uses, this.#sightings]
    this.#uses = []
    this.#sightings = []
    try {
      if (uses.length > 0) await writeUses(this.#parts.sql, uses)
      for (const sighting of sightings) await writeSighting(this.#parts.sql, sighting)
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'the last uses of keys were not written')
    }
  }
}

/** In the order of the ids: two processes that write the same keys do not wait for each other in a circle. */
async function writeUses(sql: Sql, uses: readonly Use[]): Promise<void> {
  const sorted = uses.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))
  const [ids, moments] = [sorted.map(({ keyId }) => keyId), sorted.map(({ at }) => at)]
  const addresses = sorted.map(({ address }) => address ?? '')
  await sql`
    update api_keys k set last_used_at = u.at, last_used_ip = nullif(u.address, '')
    from unnest(${ids}::text[], ${moments}::bigint[], ${addresses}::text[]) u (id, at, address)
    where k.id = u.id and (k.last_used_at is null or k.last_used_at <= u.at - ${MINUTE_MS}::bigint)`
}

async function writeSighting(sql: Sql, sighting: Sighting): Promise<void> {
  const { tenantId, environment, keyId, origin, at, count } = sighting
  await sql`
    insert into secret_key_sightings as s
      (tenant_id, environment, key_id, origin, first_at, last_at, count)
    select ${tenantId}, ${environment}, ${keyId}, ${origin}, ${at}::bigint, ${at}::bigint, ${count}::bigint
    where exists (select 1 from secret_key_sightings where key_id = ${keyId} and origin = ${origin})
      or (select count(*) from secret_key_sightings where key_id = ${keyId}) < ${ORIGINS_MAX}
    on conflict (key_id, origin) do update
      set last_at = greatest(s.last_at, excluded.last_at), count = s.count + excluded.count`
}
