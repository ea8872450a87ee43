// The writing SQL about passes: always for many passes, in as many statements as for one.
import type { EpochMs } from '../../../shared/clock.ts'
import type { CardStatus } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { PassRow } from './view.ts'

/**
 * Returns the passes with these external ids. Other calls that want one of them wait until the
 * transaction ends, as `requireFreeExternalId` does; one lock order prevents deadlocks.
 */
export async function lockExternalIds(
  sql: TxSql,
  { tenantId, environment }: Owner,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  if (externalIds.length === 0) return new Map()
  const names = externalIds.map((id) => ['passes', tenantId, environment, id].join(' '))
  await sql`
    select pg_advisory_xact_lock(name) from (
      select distinct hashtextextended(text, 0) as name from unnest(${names}::text[]) as text order by name
    ) names`
  const rows = await sql<{ externalId: string; id: string }[]>`
    select external_id as "externalId", id from passes
    where tenant_id = ${tenantId} and environment = ${environment} and external_id = any (${[...externalIds]}::text[])`
  return new Map(rows.map(({ externalId, id }) => [externalId, id]))
}

/** Returns the owner's cards among these and locks them until the transaction ends. */
export async function lockCards(
  sql: TxSql,
  owner: Owner,
  ids: readonly string[],
): Promise<Map<string, CardStatus>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<{ id: string; status: CardStatus }[]>`
    select id, status from cards
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = any (${[...new Set(ids)]}::text[])
    order by id for share`
  return new Map(rows.map(({ id, status }) => [id, status]))
}

export async function insertPasses(
  sql: TxSql,
  owner: Owner,
  rows: readonly PassRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into passes (id, tenant_id, environment, template_id, template_version, status, holder_name, field_values, card_id,
      expires_at, payload, created_at, updated_at, changed_at, external_id, metadata)
    select id, ${owner.tenantId}, ${owner.environment}, template_id, template_version, 'active', holder_name,
      field_values::jsonb, card_id, expires_at, payload, created_at, created_at, changed_at, external_id, metadata::jsonb
    from unnest(
      ${rows.map(({ id }) => id)}::text[],
      ${rows.map(({ templateId }) => templateId)}::text[],
      ${rows.map(({ templateVersion }) => templateVersion)}::integer[],
      ${rows.map(({ holderName }) => holderName)}::text[],
      ${rows.map(({ values }) => JSON.stringify(values))}::text[],
      ${rows.map(({ cardId }) => cardId)}::text[],
      ${rows.map(({ expiresAt }) => expiresAt)}::bigint[],
      ${rows.map(({ payload }) => payload)}::text[],
      ${rows.map(({ createdAt }) => createdAt)}::bigint[],
      ${rows.map(({ changedAt }) => changedAt)}::bigint[],
      ${rows.map(({ externalId }) => externalId)}::text[],
      ${rows.map(({ metadata }) => JSON.stringify(metadata))}::text[]
    ) as row (id, template_id, template_version, holder_name, field_values, card_id, expires_at, payload, created_at,
      changed_at, external_id, metadata)`
}

/** Saves locked passes: every field that can change except the template's version. */
export async function savePasses(
  sql: TxSql,
  owner: Owner,
  rows: readonly PassRow[],
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    update passes p set status = row.status, platform = row.platform, holder_name = row.holder_name,
      field_values = row.field_values::jsonb, card_id = row.card_id, expires_at = row.expires_at,
      redeemed_at = row.redeemed_at, revoke_reason = row.revoke_reason, version = row.version,
      updated_at = row.updated_at, changed_at = row.changed_at, external_id = row.external_id,
      metadata = row.metadata::jsonb
    from unnest(
      ${rows.map(({ id }) => id)}::text[],
      ${rows.map(({ status }) => status)}::text[],
      ${rows.map(({ platform }) => platform)}::text[],
      ${rows.map(({ holderName }) => holderName)}::text[],
      ${rows.map(({ values }) => JSON.stringify(values))}::text[],
      ${rows.map(({ cardId }) => cardId)}::text[],
      ${rows.map(({ expiresAt }) => expiresAt)}::bigint[],
      ${rows.map(({ redeemedAt }) => redeemedAt)}::bigint[],
      ${rows.map(({ revokeReason }) => revokeReason)}::text[],
      ${rows.map(({ version }) => version)}::integer[],
      ${rows.map(({ updatedAt }) => updatedAt)}::bigint[],
      ${rows.map(({ changedAt }) => changedAt)}::bigint[],
      ${rows.map(({ externalId }) => externalId)}::text[],
      ${rows.map(({ metadata }) => JSON.stringify(metadata))}::text[]
    ) as row (id, status, platform, holder_name, field_values, card_id, expires_at, redeemed_at, revoke_reason, version,
      updated_at, changed_at, external_id, metadata)
    where p.tenant_id = ${owner.tenantId} and p.environment = ${owner.environment} and p.id = row.id`
}

/**
 * Queues a push to every wallet with one of these passes, once for any number of changes before it;
 * `now` is installation time.
 */
export async function pushToWallets(
  sql: TxSql,
  rows: readonly Pick<PassRow, 'id' | 'version'>[],
  now: EpochMs,
): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into pass_pushes as p (pass_id, platform, version, due_at)
    select distinct i.pass_id, i.platform, row.version, ${now}::bigint
    from unnest(
      ${rows.map(({ id }) => id)}::text[], ${rows.map(({ version }) => version)}::integer[]
    ) as row (id, version)
    join pass_installations i on i.pass_id = row.id
    on conflict (pass_id, platform) do update
      set version = excluded.version, due_at = excluded.due_at, attempts = 0, last_error = null`
}
