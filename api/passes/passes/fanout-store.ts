// Statements that bring a version of a template to its passes.
import type { TxSql } from '../../database/transaction.ts'
import type { RunningFanout } from '../templates/index.ts'
import { PASS_COLUMNS } from './store.ts'
import type { PassRow } from './view.ts'

/**
 * Returns passes behind the cursor with an earlier version, in the order of their ids, locked until
 * the transaction ends.
 */
export async function lockBehind(
  sql: TxSql,
  { templateId, version, cursorId }: RunningFanout,
  most: number,
): Promise<PassRow[]> {
  return sql<PassRow[]>`
    select ${PASS_COLUMNS} from passes
    where template_id = ${templateId} and id > ${cursorId} and template_version < ${version} and status <> 'revoked'
    order by id limit ${most} for no key update`
}

export async function saveTemplateVersion(sql: TxSql, rows: readonly PassRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update passes p set template_version = row.template_version, version = row.version, updated_at = row.updated_at,
      changed_at = row.changed_at
    from unnest(
      ${rows.map(({ id }) => id)}::text[],
      ${rows.map(({ templateVersion }) => templateVersion)}::integer[],
      ${rows.map(({ version }) => version)}::integer[],
      ${rows.map(({ updatedAt }) => updatedAt)}::bigint[],
      ${rows.map(({ changedAt }) => changedAt)}::bigint[]
    ) as row (id, template_version, version, updated_at, changed_at)
    where p.id = row.id`
}
