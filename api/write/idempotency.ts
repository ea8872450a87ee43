// Answers kept under an Idempotency-Key, in the transaction of their work.
//
// The kept text is the sent one, as `route.answer` makes it from the result of write(): a repeat
// sends it again unchanged, even if a newer release would make another text from the same result.
import { assert } from '../../shared/assert.ts'
import type { EpochMs } from '../../shared/clock.ts'
import { SEAL_CONTEXTS, type Unseal } from '../../shared/keyring.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import { dueByTenant } from '../database/due.ts'
import type { SqlTag } from '../database/pool.ts'
import type { TxSql } from '../database/transaction.ts'
import { Refusal } from '../http/refusal.ts'
import type { Job } from '../jobs/job.ts'

/** Chosen: milliseconds a repeat gets the first answer, by the tenant's clock. */
const KEPT_MS = 24 * 3_600_000
/** Chosen: longest wait of a repeat for the first call. */
const CLAIM_WAIT = '2s'

/** A call that may be repeated under its key. */
export interface KeyedCall {
  /** Owner of the keys: a tenant or an operator. Keys of sandbox and live are separate. */
  owner: { tenantId: string; environment: Environment }
  key: string
  /** 64 hex digits over method, path, query and body. */
  fingerprint: string
  /** Renders the answer to the caller for a result. */
  render(result: unknown): { status: number; body: string }
  /** Set as soon as the answer is committed, by this call or by the first one. */
  answer: StoredAnswer | null
  /**
   * The refusal of a call that may only get the earlier answer: it came without the approval, or
   * without the plan, that its work would need. Null: the work may be done.
   */
  unrepeated: Refusal | null
}

export interface StoredAnswer {
  status: number
  /** JSON, as sent. */
  body: string
  /** Request id of the call that did the work. */
  requestId: string
}

interface SealedAnswer extends StoredAnswer {
  fingerprint: string
}

/** The parts of a context that keep answers. */
export interface KeyStore {
  sql: SqlTag
  requestId: string
  now: EpochMs
  seal: (context: string, plaintext: string) => string
  unseal: Unseal
}

/**
 * The first statement of a keyed write. Null: no call has done this work, and a rival waits for us.
 * Else the earlier answer. Refuses another call under the same key (422), and one whose rival does
 * not finish (409).
 */
export async function claimKey(
  sql: TxSql,
  context: KeyStore,
  call: KeyedCall,
): Promise<StoredAnswer | null> {
  const { tenantId, environment } = call.owner
  // An expired answer counts as none. The conflict locks it, so that no other session can remove it
  // before it is read. The wait for a rival has a limit of its own, for this statement alone.
  const [row] = await sql<{ claimed: number }[]>`
    with wait as materialized (
      select current_setting('lock_timeout') as usual,
        set_config('lock_timeout', ${CLAIM_WAIT}, true) as own
    ),
    claim as (
      insert into idempotency_keys as held (tenant_id, environment, key, created_at)
      select ${tenantId}, ${environment}, ${call.key}, ${context.now} from wait where own <> ''
      on conflict (tenant_id, environment, key)
        do update set sealed = null, created_at = ${context.now}
        where held.created_at <= ${context.now - KEPT_MS}
      returning key
    )
    select count(claim.key) as claimed, set_config('lock_timeout', min(usual), true)
    from wait left join claim on true`.catch(refuseWhileInUse)
  if (row?.claimed !== 1) return findAnswer(sql, context, call)
  if (call.unrepeated !== null) throw call.unrepeated
  return null
}

/** Refuses a call that waited too long for a rival. */
function refuseWhileInUse(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === '55P03') throw keyInUse()
  throw error
}

/** For a call that waited too long for the first one. */
export function keyInUse(): Refusal {
  return new Refusal('idempotency_key_in_use', { headers: { 'Retry-After': '1' } })
}

/** An answer that is ready to be stored. */
export interface ReadyAnswer {
  answer: StoredAnswer
  sealed: string
}

/** Renders the answer of a keyed write that did its work. */
export function readyAnswer(context: KeyStore, call: KeyedCall, result: unknown): ReadyAnswer {
  const answer = { ...call.render(result), requestId: context.requestId }
  const stored: SealedAnswer = { ...answer, fingerprint: call.fingerprint }
  return { answer, sealed: context.seal(SEAL_CONTEXTS.idempotencyKey, JSON.stringify(stored)) }
}

/** Stores the answer under the key that claimKey() claimed. */
export async function storeAnswer(
  sql: TxSql,
  { owner: { tenantId, environment }, key }: KeyedCall,
  { sealed }: ReadyAnswer,
): Promise<void> {
  await sql`
    update idempotency_keys set sealed = ${sealed}
    where tenant_id = ${tenantId} and environment = ${environment} and key = ${key}`
}

/**
 * Returns the answer stored under the call's key, or null. Refuses when it answers another call
 * (422).
 */
export async function findAnswer(
  sql: SqlTag,
  context: KeyStore,
  call: KeyedCall,
): Promise<StoredAnswer | null> {
  const { tenantId, environment } = call.owner
  const [row] = await sql<{ sealed: string | null }[]>`
    select sealed from idempotency_keys
    where tenant_id = ${tenantId} and environment = ${environment} and key = ${call.key}
      and created_at > ${context.now - KEPT_MS}`
  if (row === undefined) return null
  assert(row.sealed !== null, 'a claim is seen by its own transaction only')
  const opened = context.unseal(SEAL_CONTEXTS.idempotencyKey, row.sealed)
  if (!opened.ok) throw new Error('a stored answer does not open: ' + opened.error)
  const { fingerprint, ...answer } = JSON.parse(opened.value.toString('utf8')) as SealedAnswer
  if (fingerprint === call.fingerprint) return answer
  throw new Refusal('idempotency_key_reused', { extra: { resource_id: idIn(answer.body) } })
}

function idIn(body: string): string | null {
  const result: unknown = JSON.parse(body)
  const id = typeof result === 'object' && result !== null && 'id' in result ? result.id : null
  return typeof id === 'string' ? id : null
}

/** Deletes answers that no repeat can get any more. */
export const purgeIdempotencyKeys: Job = {
  name: 'purge_idempotency_keys',
  every: 10_000,
  lease: 60_000,
  batch: 1000,
  async run({ sql, now, batch }) {
    const oldest = now - KEPT_MS
    const forgotten = await sql`
      delete from idempotency_keys where id = any (array(
        select id from idempotency_keys
        where ${dueByTenant(sql, 'created_at', oldest)}
        order by created_at limit ${batch} for update skip locked
      ))`
    return forgotten.count
  },
}
