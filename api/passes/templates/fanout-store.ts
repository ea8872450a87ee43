// Statements about versions on their way to the passes of their template. The passes module has the
// statements about passes.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'

/**
 * Begins the fanout of a locked template. Chosen: a later version supersedes a running earlier one.
 * Passes without the earlier version go directly to the later one, with one pass.updated; `now` is
 * installation time.
 */
export async function beginFanout(
  sql: TxSql,
  { templateId, version, now }: { templateId: string; version: number; now: EpochMs },
): Promise<void> {
  await sql`
    update pass_fanouts set state = 'superseded', finished_at = ${now}
    where template_id = ${templateId} and state = 'running'`
  await sql`
    insert into pass_fanouts (template_id, version, state, total, due_at, begun_at, finished_at)
    select ${templateId}, ${version}, case when total = 0 then 'completed' else 'running' end, total, ${now}::bigint,
      ${now}::bigint, case when total = 0 then ${now}::bigint end
    from (
      select coalesce(sum(count), 0) as total from pass_counts
      where template_id = ${templateId} and status <> 'revoked'
    ) passes`
}

/** A running fanout, locked until the transaction ends. */
export interface RunningFanout extends Owner {
  templateId: string
  version: number
  cursorId: string
  dueAt: EpochMs
  /** Offset of the tenant's clock, ahead of installation time. */
  clockOffsetMs: number
  /** True if other fanouts are due too, including those that another worker has locked. */
  othersDue: boolean
}

/** Returns the due and unlocked fanout with the longest wait; null if none exists. */
export async function lockDueFanout(sql: TxSql, now: EpochMs): Promise<RunningFanout | null> {
  const [row] = await sql<RunningFanout[]>`
    select f.template_id as "templateId", f.version, f.cursor_id as "cursorId", f.due_at as "dueAt",
      t.tenant_id as "tenantId", t.environment, clock_offset(t.tenant_id, t.environment) as "clockOffsetMs",
      exists (
        select from pass_fanouts o where o.state = 'running' and o.due_at <= ${now} and o.template_id <> f.template_id
      ) as "othersDue"
    from pass_fanouts f
    join pass_templates t on t.id = f.template_id
    where f.state = 'running' and f.due_at <= ${now}
    order by f.due_at limit 1 for update of f skip locked`
  return row ?? null
}

export interface FanoutProgress {
  /** Number of changed passes. */
  done: number
  cursorId: string
  /** Time of the next step; null: the fanout is completed. */
  dueAt: EpochMs | null
  now: EpochMs
}

/**
 * Saves a locked fanout. Passes revoked before their turn do not count: a fanout is completed as a
 * whole.
 */
export async function saveFanout(
  sql: TxSql,
  { templateId, version }: RunningFanout,
  { done, cursorId, dueAt, now }: FanoutProgress,
): Promise<void> {
  await sql`
    update pass_fanouts set done = done + ${done}, cursor_id = ${cursorId},
      total = case when ${dueAt === null} then done + ${done} else total end, due_at = ${dueAt ?? now}, state = ${dueAt === null ? 'completed' : 'running'},
      finished_at = ${dueAt === null ? now : null}::bigint
    where template_id = ${templateId} and version = ${version}`
}
