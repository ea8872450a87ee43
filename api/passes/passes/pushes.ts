// The queue of passes whose wallets need a push. Every change adds its pass in its own transaction;
// a sender claims some, pushes to the wallets, and deletes entries whose latest version it pushed.
import type { EpochMs } from '../../../shared/clock.ts'
import type { PassPlatform } from '../../../shared/schemas/pass.ts'
import type { SqlTag } from '../../database/pool.ts'

export interface ClaimedPush {
  passId: string
  /** Version of the pass that the push announces. */
  version: number
  /** Number of attempts, including this one. */
  attempt: number
}

/**
 * Claims due entries, the longest waiting first. No other sender gets them until `leaseUntil`;
 * entries neither done nor failed by then are claimed again. Moments are installation time.
 */
export async function claimPushes(
  sql: SqlTag,
  {
    platform,
    now,
    leaseUntil,
    most,
  }: {
    platform: PassPlatform
    now: EpochMs
    leaseUntil: EpochMs
    most: number
  },
): Promise<ClaimedPush[]> {
  return sql<ClaimedPush[]>`
    update pass_pushes set due_at = ${leaseUntil}, attempts = attempts + 1
    where platform = ${platform} and pass_id = any (array(
        select pass_id from pass_pushes
        where platform = ${platform} and due_at <= ${now}
        order by due_at limit ${most} for update skip locked
      ))
    returning pass_id as "passId", version, attempts as attempt`
}

/**
 * Deletes pushes that reached the wallets or have no wallet. Passes changed meanwhile stay queued.
 */
export async function strikePushes(
  sql: SqlTag,
  platform: PassPlatform,
  told: readonly ClaimedPush[],
): Promise<void> {
  if (told.length === 0) return
  await sql`
    delete from pass_pushes p using unnest(
      ${told.map(({ passId }) => passId)}::text[], ${told.map(({ version }) => version)}::integer[]
    ) as told (pass_id, version)
    where p.pass_id = told.pass_id and p.platform = ${platform} and p.version = told.version`
}

/** Retries the push at `dueAt`, or at once if the pass changed meanwhile. */
export async function postponePush(
  sql: SqlTag,
  platform: PassPlatform,
  { passId, version }: ClaimedPush,
  { dueAt, error }: { dueAt: EpochMs; error: string },
): Promise<void> {
  await sql`
    update pass_pushes set due_at = ${dueAt}, last_error = ${error}
    where pass_id = ${passId} and platform = ${platform} and version = ${version}`
}
