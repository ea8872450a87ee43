// States and moves of API keys: each move is locked, checked against the table, saved and
// announced, all in the caller's transaction. A notice reaches every process, and from then on the
// new state counts.
import type { EpochMs } from '../../../shared/clock.ts'
import type { ApiKey, KeyStatus } from '../../../shared/schemas/api-key.ts'
import type { Context, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import type { Move } from '../../write/move.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import { lockKey, saveStatus } from './store.ts'
import { keyView } from './view.ts'

export const KEY_MOVES = {
  mark_pending: { from: ['active'], to: 'pending', event: null },
  revoke: { from: ['active', 'pending'], to: 'revoked', event: 'api_key.revoked' },
} as const satisfies Record<string, Move<KeyStatus>>

export type KeyMove = keyof typeof KEY_MOVES

/** States in which its name and its address ranges may be changed. */
export const CHANGEABLE_IN = ['active', 'pending'] as const satisfies readonly KeyStatus[]

/** Spec 5.1 and 8: a marked key works for another 24 hours. */
const GRACE_MS = 24 * 3_600_000

interface KeyMoveInput {
  id: string
  move: KeyMove
  /** By the tenant's clock. */
  now: EpochMs
}

/**
 * Marks or revokes a key. Chosen: a key may do this to itself, and the holder of a tenant's last
 * admin key may end it: any holder must be able to stop a leaked key. The answer is then the last
 * one it gets.
 */
export async function moveApiKey(
  context: Context,
  { id, move }: { id: string; move: KeyMove },
): Promise<ApiKey> {
  const { principal, now } = context
  return write(context, (sql) => moveKey(sql, principal, { id, move, now }), {
    safeToRepeat: true,
  })
}

/**
 * Returns the key afterwards. A key already in the target state stays as it is, without an event;
 * its grace does not begin anew.
 */
export async function moveKey(
  sql: TxSql,
  owner: Owner,
  { id, move, now }: KeyMoveInput,
): Promise<ApiKey> {
  const { from, to, event } = KEY_MOVES[move]
  const held = await lockKey(sql, owner, id)
  if (held === null) throw new Refusal('resource_missing')
  if (held.status === to) return keyView(held)

  requireState(held.status, from)
  const revokeAt = to === 'pending' ? now + GRACE_MS : null
  const revokedAt = to === 'revoked' ? now : null
  const apiKey = keyView(await saveStatus(sql, owner, { id, status: to, revokeAt, revokedAt }))
  if (event !== null) await recordKeyEvent(sql, owner, { type: event, apiKey, now })
  return apiKey
}

export interface KeyEvent {
  type: 'api_key.created' | 'api_key.revoked'
  apiKey: ApiKey
  /** By the tenant's clock. */
  now: EpochMs
}

export async function recordKeyEvent(
  sql: TxSql,
  { tenantId, environment }: Owner,
  { type, apiKey, now }: KeyEvent,
): Promise<void> {
  const resourceId = apiKey.id
  const data = { api_key: apiKey }
  await recordEvent(sql, { tenantId, environment, type, resourceId, data, now })
}
