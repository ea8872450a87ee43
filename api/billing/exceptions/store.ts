// Differences between the processor and us that a person has to look at.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import type { EXCEPTION_KINDS } from '../../../shared/schemas/billing-exception.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import { type TxSql, tx } from '../../database/transaction.ts'

/** Each names how the processor differs. */
export type ExceptionKind = (typeof EXCEPTION_KINDS)[number]

export interface NewException {
  environment: Environment
  tenantId: string | null
  kind: ExceptionKind
  /** The id of the object: ours, or the processor's. */
  subject: string
  detail: { readonly [name: string]: string | number | null }
  /** Installation time. */
  now: EpochMs
}

/** The subject of a difference in a meter's day of a customer or a subscription. */
export function daySubject(id: string, { meter, day }: { meter: string; day: EpochMs }): string {
  return [id, meter, new Date(day).toISOString().slice(0, 10)].join(' ')
}

/** Records it once. */
export async function recordException(sql: TxSql, made: NewException): Promise<void> {
  const { environment, tenantId, kind, subject, detail, now } = made
  await sql`
    insert into billing_exceptions (id, tenant_id, environment, kind, subject, detail, created_at)
    values (${newId('bex', now)}, ${tenantId}, ${environment}, ${kind}, ${subject},
      ${JSON.stringify(detail)}::text::jsonb, ${now})
    on conflict (environment, kind, subject) do nothing`
}

/** The same in a transaction of its own. */
export async function noteException(sql: Sql, made: NewException): Promise<void> {
  await tx(sql, (inner) => recordException(inner, made), { safeToRepeat: true })
}

export interface ExceptionRow extends Omit<NewException, 'now'> {
  id: string
  createdAt: EpochMs
}

/** Lists by id, which is the order of creation. */
export function listExceptions(sql: SqlTag, query: PageQuery): Promise<PageRows<ExceptionRow>> {
  return readPage<ExceptionRow>(sql, query, {
    list: 'billing_exceptions',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<ExceptionRow[]>`
      select id, tenant_id as "tenantId", environment, kind, subject, detail,
        created_at as "createdAt"
      from billing_exceptions where ${range}
      ${ordered}`,
  })
}
