// The line of passes of which wallets have to hear. Every change puts its pass there, in its own transaction; a sender claims some,
// tells the wallets, and strikes out those of which it told the latest.
import type { EpochMs } from '../../../shared/clock.ts'
import type { PassPlatform } from '../../../shared/schemas/pass.ts'
import type { SqlTag } from '../../database/pool.ts'

export interface ClaimedPush {
  passId: string
  /** The pass's version of which the wallet is told. */
  version: number
  /** This one included. */
  attempt: number
}

/**
 * Those that are due, the longest waiting first. Until `leaseUntil` nobody else is given them; what was neither told nor failed by
 * then is given out again. Moments are the installation's.
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

/** The wallets were told, or there is nobody to tell. What changed meanwhile stays in line. */
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

/** It is told again at `dueAt`, unless it changed meanwhile: then at once. */
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
