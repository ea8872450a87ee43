// Every SQL statement about refused calls.
import type { EpochMs } from '../../../shared/clock.ts'
import type { Credential, Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { tx } from '../../database/transaction.ts'

/** Rows kept of each owner. */
export const KEPT_MAX = 1000

export interface RefusedCallRow extends Owner {
  id: string
  createdAt: EpochMs
  requestId: string
  method: string
  path: string
  status: number
  code: string
  param: string | null
  credentialKind: Credential['kind']
  credentialId: string
  address: string | null
}

/** One insert and one delete, however many calls and owners. */
export async function saveRefusedCalls(sql: Sql, rows: readonly RefusedCallRow[]): Promise<void> {
  const of = <Name extends keyof RefusedCallRow>(name: Name) => rows.map((row) => row[name])
  const owners = [...new Map(rows.map((row) => [row.tenantId + row.environment, row])).values()]
  await tx(
    sql,
    async (inner) => {
      await inner`
        insert into refused_calls (id, tenant_id, environment, created_at, request_id, method, path,
          status, code, param, credential_kind, credential_id, address)
        select * from unnest(
          ${of('id')}::text[], ${of('tenantId')}::text[], ${of('environment')}::text[],
          ${of('createdAt')}::bigint[], ${of('requestId')}::text[], ${of('method')}::text[],
          ${of('path')}::text[], ${of('status')}::smallint[], ${of('code')}::text[],
          ${of('param')}::text[], ${of('credentialKind')}::text[], ${of('credentialId')}::text[],
          ${of('address')}::text[]
        )
        on conflict do nothing`
      await inner`
        delete from refused_calls c
        using unnest(
          ${owners.map(({ tenantId }) => tenantId)}::text[],
          ${owners.map(({ environment }) => environment)}::text[]
        ) as owner (tenant_id, environment)
        where c.tenant_id = owner.tenant_id and c.environment = owner.environment
          and c.id <= (
            select k.id from refused_calls k
            where k.tenant_id = owner.tenant_id and k.environment = owner.environment
            order by k.id desc offset ${KEPT_MAX} limit 1
          )`
    },
    { safeToRepeat: true },
  )
}

export interface RefusedCallFilters extends CreatedFilters {
  code?: string
  credential_id?: string
}

/** Lists by id, which is the order of the calls. */
export async function listRefusedCalls(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & RefusedCallFilters,
): Promise<PageRows<RefusedCallRow>> {
  const { code, credential_id: credential } = query
  return readPage<RefusedCallRow>(sql, query, {
    list: 'refused_calls',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<RefusedCallRow[]>`
      select id, tenant_id as "tenantId", environment, created_at as "createdAt",
        request_id as "requestId", method, path, status, code, param,
        credential_kind as "credentialKind", credential_id as "credentialId", address
      from refused_calls
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        ${createdWithin(sql, query)}
        ${code === undefined ? sql`` : sql`and code = ${code}`}
        ${credential === undefined ? sql`` : sql`and credential_id = ${credential}`}
        and ${range}
      ${ordered}`,
  })
}

/** Hours that had a refused call, oldest first, and their codes, the most frequent first. */
export async function countByHour(
  sql: SqlTag,
  { tenantId, environment }: Owner,
): Promise<{ hour: EpochMs; code: string; count: number }[]> {
  return sql<{ hour: EpochMs; code: string; count: number }[]>`
    select created_at - created_at % 3600000 as hour, code, count(*)::integer as count
    from refused_calls where tenant_id = ${tenantId} and environment = ${environment}
    group by 1, 2 order by 1, 3 desc, 2`
}
