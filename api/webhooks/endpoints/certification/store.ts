// Every SQL statement about certifications. Each names the owner, or a certification that began for
// one.
import { assert } from '../../../../shared/assert.ts'
import type { EpochMs } from '../../../../shared/clock.ts'
import type { CertificationProbe } from '../../../../shared/schemas/certification.ts'
import type { Owner } from '../../../context.ts'
import { type PageQuery, type PageRows, readPage } from '../../../database/page.ts'
import type { SqlTag } from '../../../database/pool.ts'
import type { TxSql } from '../../../database/transaction.ts'
import type { CertificationRow } from './view.ts'

/** Chosen: number of certifications kept per endpoint. */
const KEPT_MAX = 100

function columns(sql: SqlTag) {
  return sql`
    id, endpoint_id as "endpointId", url, status, certified, probes, created_at as "createdAt",
    finished_at as "finishedAt"`
}

/**
 * Returns null if a run is active. Runs begun before `before` that never ended, and old
 * certifications, are deleted.
 */
export async function beginCertification(
  sql: TxSql,
  owner: Owner,
  begun: { id: string; endpointId: string; url: string; now: EpochMs; before: EpochMs },
): Promise<CertificationRow | null> {
  const { id, endpointId, url, now } = begun
  await sql`
    delete from certifications
    where endpoint_id = ${endpointId} and (
      (status = 'running' and created_at < ${begun.before})
      or id in (
        select id from certifications where endpoint_id = ${endpointId}
        order by id desc offset ${KEPT_MAX - 1}
      )
    )`
  const [row] = await sql<CertificationRow[]>`
    insert into certifications (id, endpoint_id, tenant_id, environment, url, status, created_at)
    values (${id}, ${endpointId}, ${owner.tenantId}, ${owner.environment}, ${url}, 'running', ${now})
    on conflict do nothing
    returning ${columns(sql)}`
  return row ?? null
}

export async function finishCertification(
  sql: SqlTag,
  finished: { id: string; probes: readonly CertificationProbe[]; at: EpochMs },
): Promise<CertificationRow> {
  const { id, probes, at } = finished
  const certified = probes.every(({ passed }) => passed)
  const [row] = await sql<CertificationRow[]>`
    update certifications set status = 'finished', certified = ${certified},
      probes = ${JSON.stringify(probes)}::text::jsonb, finished_at = ${at}
    where id = ${id}
    returning ${columns(sql)}`
  assert(row !== undefined, 'a running certification does not vanish')
  return row
}

/** Deletes a run that ended without a result. */
export async function discardCertification(sql: SqlTag, id: string): Promise<void> {
  await sql`delete from certifications where id = ${id} and status = 'running'`
}

export async function findCertification(
  sql: SqlTag,
  owner: Owner,
  which: { endpointId: string; id: string },
): Promise<CertificationRow | null> {
  const [row] = await sql<CertificationRow[]>`
    select ${columns(sql)} from certifications
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and endpoint_id = ${which.endpointId} and id = ${which.id}`
  return row ?? null
}

/** Lists by id, which is the order of creation. */
export async function listCertifications(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & { endpointId: string },
): Promise<PageRows<CertificationRow>> {
  return readPage<CertificationRow>(sql, query, {
    list: 'certifications',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<CertificationRow[]>`
      select ${columns(sql)} from certifications
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        and endpoint_id = ${query.endpointId}
        and ${range}
      ${ordered}`,
  })
}
