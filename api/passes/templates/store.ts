// Every SQL statement about pass templates and their versions. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { PassContent, PassTemplate } from '../../../shared/schemas/pass-template.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed, NOTHING } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import type { TemplateRow } from './view.ts'

const COLUMNS = fixed`
  t.id, t.environment, t.status, t.name, t.version, t.created_at as "createdAt", t.updated_at as "updatedAt",
  t.external_id as "externalId", t.metadata, v.content, f.state as "fanoutState", f.total as "fanoutTotal",
  f.done as "fanoutDone"`
const SOURCES = fixed`
  pass_templates t
  join pass_template_versions v on v.template_id = t.id and v.version = t.version
  left join pass_fanouts f on f.template_id = t.id and f.version = t.version`

export async function findTemplate(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<TemplateRow | null> {
  const [row] = await sql<TemplateRow[]>`
    select ${COLUMNS} from ${SOURCES}
    where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment} and t.id = ${id}`
  return row ?? null
}

/** Locks the template until the transaction ends: no pass is issued from it meanwhile. */
export async function lockTemplate(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<TemplateRow | null> {
  const held = await sql`
    select 1 from pass_templates
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  return held.count === 0 ? null : findTemplate(sql, owner, id)
}

export interface TemplateFilters extends CreatedFilters {
  status?: PassTemplate['status']
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listTemplates(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & TemplateFilters,
): Promise<PageRows<TemplateRow>> {
  const { status, external_id } = query
  return readPage<TemplateRow>(sql, query, {
    list: 'pass_templates',
    column: 't.id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<TemplateRow[]>`
      select ${COLUMNS} from ${SOURCES}
      where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment}
        ${createdWithin(sql, query)}
        ${status === undefined ? NOTHING : sql`and t.status = ${status}`}
        ${external_id === undefined ? NOTHING : sql`and t.external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

export async function insertTemplate(
  sql: TxSql,
  owner: Owner,
  template: { id: string; name: string; content: PassContent; now: EpochMs } & TenantFields,
): Promise<void> {
  const { id, name, content, now, externalId, metadata } = template
  await sql`
    with made as (
      insert into pass_templates (id, tenant_id, environment, status, name, created_at, updated_at, external_id, metadata)
      values (${id}, ${owner.tenantId}, ${owner.environment}, 'active', ${name}, ${now}, ${now}, ${externalId},
        ${JSON.stringify(metadata)}::text::jsonb)
      returning id
    )
    insert into pass_template_versions (template_id, version, content, written_at)
    select id, 1, ${JSON.stringify(content)}::text::jsonb, ${now} from made`
}

/** Saves a locked template. An existing version stays as it is. */
export async function saveTemplate(
  sql: TxSql,
  owner: Owner,
  template: Pick<TemplateRow, 'id' | 'name' | 'version' | 'content' | 'status'> & {
    now: EpochMs
  } & TenantFields,
): Promise<void> {
  const { id, name, version, content, status, now, externalId, metadata } = template
  await sql`
    insert into pass_template_versions (template_id, version, content, written_at)
    values (${id}, ${version}, ${JSON.stringify(content)}::text::jsonb, ${now})
    on conflict do nothing`
  const saved = await sql`
    update pass_templates set name = ${name}, version = ${version}, status = ${status}, updated_at = ${now},
      archived_at = case when ${status} = 'archived' then coalesce(archived_at, ${now}::bigint) end,
      external_id = ${externalId}, metadata = ${JSON.stringify(metadata)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  assert(saved.count === 1, 'a locked pass template does not vanish')
}

/**
 * Returns the requested image ids that the owner has in these roles. The lock keeps the images
 * until the transaction ends.
 */
export async function lockImages(
  sql: TxSql,
  owner: Owner,
  wanted: readonly { id: string; role: string }[],
): Promise<{ id: string; role: string }[]> {
  return sql<{ id: string; role: string }[]>`
    select i.id, i.role from pass_images i
    join unnest(${wanted.map(({ id }) => id)}::text[], ${wanted.map(({ role }) => role)}::text[]) as w (id, role)
      on w.id = i.id and w.role = i.role
    where i.tenant_id = ${owner.tenantId} and i.environment = ${owner.environment}
    order by i.id for key share of i`
}

/** The part of a template that issuing passes needs. */
export interface IssuableTemplate {
  id: string
  status: PassTemplate['status']
  version: number
  content: PassContent
}

/**
 * Returns the latest versions of these templates; the lock stops new versions and archiving until
 * the transaction ends. One lock order prevents deadlocks between two calls.
 */
export async function lockIssuable(
  sql: TxSql,
  owner: Owner,
  ids: readonly string[],
): Promise<Map<string, IssuableTemplate>> {
  const wanted = [...new Set(ids)]
  await sql`
    select 1 from pass_templates
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = any (${wanted}::text[])
    order by id for share`
  // A separate statement: a statement that waits for a row still reads all others as of its start.
  const rows = await sql<IssuableTemplate[]>`
    select t.id, t.status, t.version, v.content from pass_templates t
    join pass_template_versions v on v.template_id = t.id and v.version = t.version
    where t.tenant_id = ${owner.tenantId} and t.environment = ${owner.environment} and t.id = any (${wanted}::text[])`
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Returns contents of versions by `template version`. Versions never change: anyone with a
 * version's name may read it.
 */
export async function findContents(
  sql: SqlTag,
  named: readonly { templateId: string; version: number }[],
): Promise<Map<string, PassContent>> {
  const rows = await sql<{ templateId: string; version: number; content: PassContent }[]>`
    select template_id as "templateId", version, content from pass_template_versions
    where (template_id, version) in (
      select * from unnest(
        ${named.map(({ templateId }) => templateId)}::text[], ${named.map(({ version }) => version)}::integer[]
      )
    )`
  return new Map(rows.map((row) => [row.templateId + ' ' + row.version, row.content]))
}
