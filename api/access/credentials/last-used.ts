// Records the use of keys: when and from which address a key was last used, which web pages held a
// secret key, and which addresses outside a key's ranges tried it. Traces are written beside the
// requests, in batches, at most once a minute each: a request neither waits for them nor fails by
// them.
import type { Clock, EpochMs, Timer } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { type Logger, withoutPans } from '../../../shared/log.ts'
import { addressHolder } from '../../../shared/peer-address.ts'
import type { Owner, Principal } from '../../context.ts'
import type { Sql } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { appendAudit } from '../../write/audit.ts'

const MINUTE_MS = 60_000
const COLLECT_MS = 250
/** Most remembered entries; beyond it the memory starts afresh, which costs a write. */
const REMEMBERED_MAX = 100_000
/** Chosen: pages kept per key; one is enough to know. */
const ORIGINS_MAX = 20
const ORIGIN_CHARACTERS_MAX = 255
/**
 * Chosen: addresses a minute recorded per key; a key with many learns nothing new from the next
 * one.
 */
const STRANGERS_MAX = 10

interface Use {
  keyId: string
  at: EpochMs
  address: string | null
}

/** A call that the audit log records although it changed nothing. */
export interface NotedCall {
  requestId: string
  address: string | null
  /** By the tenant's clock. */
  at: EpochMs
}

interface KeyCall extends Owner, NotedCall {
  keyId: string
}

interface Sighting extends KeyCall {
  origin: string
  count: number
}

export class LastUsed {
  readonly #parts: { sql: Sql; clock: Clock; log: Logger }
  readonly #usedAt = new Map<string, EpochMs>()
  readonly #seen = new Map<string, { writtenAt: EpochMs; unwritten: number }>()
  /** Addresses outside a key's ranges that tried the key, and since when. */
  readonly #strangers = new Map<string, { since: EpochMs; addresses: Set<string> }>()
  #uses: Use[] = []
  #sightings: Sighting[] = []
  #refusals: KeyCall[] = []
  #timer: Timer | null = null

  constructor(parts: { sql: Sql; clock: Clock; log: Logger }) {
    this.#parts = parts
  }

  /** `at` is the tenant's time. */
  noteUse({ credential: { id: keyId } }: Principal, at: EpochMs, address: string | null): void {
    const last = this.#usedAt.get(keyId)
    if (last !== undefined && at < last + MINUTE_MS) return
    if (this.#usedAt.size >= REMEMBERED_MAX) this.#usedAt.clear()
    this.#usedAt.set(keyId, at)
    this.#uses.push({ keyId, at, address })
    this.#soon()
  }

  /**
   * A secret key came with an Origin: the key is in a page where everybody can read it. Spec 5.1.
   */
  noteBrowserUse(principal: Principal, text: string, call: NotedCall): void {
    const { id: keyId } = principal.credential
    const { at } = call
    const origin = withoutPans(text.slice(0, ORIGIN_CHARACTERS_MAX))
    const name = keyId + ' ' + origin
    const seen = this.#seen.get(name) ?? { writtenAt: -MINUTE_MS, unwritten: 0 }
    seen.unwritten += 1
    if (this.#seen.size >= REMEMBERED_MAX) this.#seen.clear()
    this.#seen.set(name, seen)
    if (at < seen.writtenAt + MINUTE_MS) return
    this.#sightings.push({ ...keyCall(principal, call), origin, count: seen.unwritten })
    seen.writtenAt = at
    seen.unwritten = 0
    this.#soon()
  }

  /** A key was refused because of its source address. Spec 5.1. */
  noteStranger(principal: Principal, call: NotedCall): void {
    const { id: keyId } = principal.credential
    const known = this.#strangers.get(keyId)
    const minute =
      known !== undefined && call.at < known.since + MINUTE_MS
        ? known
        : { since: call.at, addresses: new Set<string>() }
    if (this.#strangers.size >= REMEMBERED_MAX) this.#strangers.clear()
    this.#strangers.set(keyId, minute)
    const holder = addressHolder(call.address)
    if (minute.addresses.has(holder) || minute.addresses.size >= STRANGERS_MAX) return
    minute.addresses.add(holder)
    this.#refusals.push(keyCall(principal, call))
    this.#soon()
  }

  /** Writes the pending traces. */
  async close(): Promise<void> {
    this.#timer?.cancel()
    await this.#write()
  }

  #soon(): void {
    this.#timer ??= this.#parts.clock.after(COLLECT_MS, () => void this.#write())
  }

  async #write(): Promise<void> {
    this.#timer = null
    const { sql, clock } = this.#parts
    const [uses, sightings, refusals] = [this.#uses, this.#sightings, this.#refusals]
    this.#uses = []
    this.#sightings = []
    this.#refusals = []
    if (uses.length > 0) await this.#try(writeUses(sql, uses))
    for (const sighting of sightings) await this.#try(writeSighting(sql, sighting, clock))
    for (const call of refusals) await this.#try(writeRefusal(sql, call, clock))
  }

  /** A failed write does not keep the others from being written. */
  async #try(written: Promise<void>): Promise<void> {
    try {
      await written
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'traces of keys were not written')
    }
  }
}

/**
 * Rows are written in the order of their ids, so that two processes with the same keys do not
 * deadlock.
 */
async function writeUses(sql: Sql, uses: readonly Use[]): Promise<void> {
  const sorted = uses.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))
  const [ids, moments] = [sorted.map(({ keyId }) => keyId), sorted.map(({ at }) => at)]
  const addresses = sorted.map(({ address }) => address ?? '')
  await sql`
    update api_keys k set last_used_at = u.at, last_used_ip = nullif(u.address, '')
    from unnest(${ids}::text[], ${moments}::bigint[], ${addresses}::text[]) u (id, at, address)
    where k.id = u.id and (k.last_used_at is null or k.last_used_at <= u.at - ${MINUTE_MS}::bigint)`
}

/** The first sighting of a page goes to the audit log, in the same transaction. */
async function writeSighting(sql: Sql, sighting: Sighting, clock: Clock): Promise<void> {
  await tx(sql, async (inner) => {
    if (await saveSighting(inner, sighting))
      await audit(inner, sighting, { clock, action: 'secret_key_in_browser' })
  })
}

async function writeRefusal(sql: Sql, call: KeyCall, clock: Clock): Promise<void> {
  await tx(sql, (inner) => audit(inner, call, { clock, action: 'ip_not_allowed' }))
}

/** Returns true when the page is new. */
async function saveSighting(sql: TxSql, sighting: Sighting): Promise<boolean> {
  const { tenantId, environment, keyId, origin, at, count } = sighting
  const [saved] = await sql<{ first: boolean }[]>`
    insert into secret_key_sightings as s
      (tenant_id, environment, key_id, origin, first_at, last_at, count)
    select ${tenantId}, ${environment}, ${keyId}, ${origin}, ${at}::bigint, ${at}::bigint, ${count}::bigint
    where exists (select 1 from secret_key_sightings where key_id = ${keyId} and origin = ${origin})
      or (select count(*) from secret_key_sightings where key_id = ${keyId}) < ${ORIGINS_MAX}
    on conflict (key_id, origin) do update
      set last_at = greatest(s.last_at, excluded.last_at), count = s.count + excluded.count
    returning xmax = 0 as first`
  return saved?.first === true
}

async function audit(
  sql: TxSql,
  { tenantId, environment, keyId, requestId, address, at }: KeyCall,
  { clock, action }: { clock: Clock; action: string },
): Promise<void> {
  await appendAudit(sql, {
    id: newId('aud', clock.nowMs()),
    tenantId,
    environment,
    createdAt: at,
    actorType: 'api_key',
    actorId: keyId,
    action,
    resourceId: keyId,
    requestId,
    address,
  })
}

function keyCall(
  { tenantId, environment, credential: { id: keyId } }: Principal,
  { requestId, address, at }: NotedCall,
): KeyCall {
  return { tenantId, environment, keyId, requestId, address, at }
}
