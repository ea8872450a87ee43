// Every SQL statement about pass images. Each names the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { PassImageRole } from '../../../shared/schemas/pass-content.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed, NOTHING } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import type { PassImage as Picture } from '../wallets/images/recode.ts'
import { SCALES, type Scale } from '../wallets/model/image-roles.ts'
import type { PassImageRow } from './view.ts'

const COLUMNS = fixed`
  id, environment, role, width, height, encode(sha256, 'hex') as sha256, created_at as "createdAt",
  external_id as "externalId", metadata`

export async function findPassImage(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<PassImageRow | null> {
  const [row] = await sql<PassImageRow[]>`
    select ${COLUMNS} from pass_images
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
  return row ?? null
}

export interface PassImageFilters extends CreatedFilters {
  role?: PassImageRole
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listPassImages(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & PassImageFilters,
): Promise<PageRows<PassImageRow>> {
  const { role, external_id } = query
  return readPage<PassImageRow>(sql, query, {
    list: 'pass_images',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<PassImageRow[]>`
      select ${COLUMNS} from pass_images
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
        ${role === undefined ? NOTHING : sql`and role = ${role}`}
        ${external_id === undefined ? NOTHING : sql`and external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

/**
 * Returns an owner's number of images, and their bytes in all scales. Other uploads of the owner
 * wait until the transaction ends.
 */
export async function lockImageQuota(
  sql: TxSql,
  { tenantId, environment }: Owner,
): Promise<{ images: number; bytes: number }> {
  const name = ['pass_images', 'room', tenantId, environment].join(' ')
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  const [row] = await sql<{ images: number; bytes: number }[]>`
    select count(distinct i.id)::int as images, coalesce(sum(octet_length(s.png)), 0)::bigint as bytes
    from pass_images i join pass_image_scales s on s.image_id = i.id
    where i.tenant_id = ${tenantId} and i.environment = ${environment}`
  assert(row !== undefined, 'a sum is one row')
  return row
}

/**
 * Returns false if the owner has no such image. The lock stops templates from naming the image
 * until the transaction ends.
 */
export async function lockPassImage(sql: TxSql, owner: Owner, id: string): Promise<boolean> {
  const held = await sql`
    select 1 from pass_images
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id} for update`
  return held.count === 1
}

/** Returns whether any version of a template of the owner names the image. */
export async function isPictured(
  sql: TxSql,
  { tenantId, environment }: Owner,
  id: string,
): Promise<boolean> {
  const named = await sql`
    select 1 from pass_templates t join pass_template_versions v on v.template_id = t.id
    where t.tenant_id = ${tenantId} and t.environment = ${environment}
      and exists (select 1 from jsonb_each_text(v.content -> 'images') as place where place.value = ${id})
    limit 1`
  return named.count === 1
}

/** Removes a locked image. */
export async function removePassImage(sql: TxSql, owner: Owner, id: string): Promise<void> {
  await sql`delete from pass_image_scales where image_id = ${id}`
  await sql`
    delete from pass_images
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}`
}

export async function findPicture(
  sql: SqlTag,
  owner: Owner,
  { id, scale }: { id: string; scale: Scale },
): Promise<Buffer | null> {
  const [row] = await sql<{ png: Buffer }[]>`
    select s.png from pass_images i join pass_image_scales s on s.image_id = i.id
    where i.tenant_id = ${owner.tenantId} and i.environment = ${owner.environment} and i.id = ${id}
      and s.scale = ${scale}`
  return row?.png ?? null
}

export interface NewPassImage extends TenantFields {
  id: string
  role: PassImageRole
  picture: Picture
  now: EpochMs
}

/** Inserts an image with its three scales. */
export async function insertPassImage(
  sql: TxSql,
  owner: Owner,
  { id, role, picture, now, externalId, metadata }: NewPassImage,
): Promise<PassImageRow> {
  const { width, height } = picture.scales[3]
  const [row] = await sql<PassImageRow[]>`
    insert into pass_images
      (id, tenant_id, environment, role, width, height, sha256, created_at, external_id, metadata)
    values (${id}, ${owner.tenantId}, ${owner.environment}, ${role}, ${width}, ${height},
      ${Buffer.from(picture.sha256, 'hex')}, ${now}, ${externalId}, ${JSON.stringify(metadata)}::text::jsonb)
    returning ${COLUMNS}`
  assert(row !== undefined, 'an insert returns its row')
  for (const scale of SCALES) {
    const { width: across, height: down, png } = picture.scales[scale]
    await sql`
      insert into pass_image_scales (image_id, scale, width, height, png)
      values (${id}, ${scale}, ${across}, ${down}, ${Buffer.from(png)})`
  }
  return row
}

/**
 * Finds a picture of any owner: anyone with a picture's id may see it, because passes of many
 * holders show it.
 */
export async function findPublicPicture(
  sql: SqlTag,
  imageId: string,
  scale: number,
): Promise<Buffer | null> {
  const [row] = await sql<{ png: Buffer }[]>`
    select png from pass_image_scales where image_id = ${imageId} and scale = ${scale}`
  return row?.png ?? null
}

export interface PictureRow {
  role: PassImageRole
  scale: Scale
  png: Buffer
}

/** Returns the pictures that a template names, in every scale, the smallest of each first. */
export async function findPictures(
  sql: SqlTag,
  { tenantId, environment }: Owner,
  imageIds: readonly string[],
): Promise<PictureRow[]> {
  if (imageIds.length === 0) return []
  return sql<PictureRow[]>`
    select i.role, s.scale, s.png from pass_images i join pass_image_scales s on s.image_id = i.id
    where i.tenant_id = ${tenantId} and i.environment = ${environment} and i.id = any (${imageIds}::text[])
    order by i.role, s.scale`
}
