// The reading SQL about exceptions: of one file, for operators, and of one owner.
import type { ClearingExceptionKind } from '../../../shared/schemas/clearing-file.ts'
import type { Owner } from '../../context.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { ClearingExceptionRow } from './view.ts'

export interface ExceptionFilters extends CreatedFilters {
  kind?: ClearingExceptionKind
  message_id?: string
  transaction_id?: string
}

type ExceptionQuery = PageQuery & ExceptionFilters

export async function listExceptionsOfFile(
  sql: SqlTag,
  query: ExceptionQuery & { clearingFileId: string },
): Promise<PageRows<ClearingExceptionRow>> {
  return listExceptions(sql, query, sql`clearing_file_id = ${query.clearingFileId}`)
}

export async function listExceptionsOfOwner(
  sql: SqlTag,
  owner: Owner,
  query: ExceptionQuery,
): Promise<PageRows<ClearingExceptionRow>> {
  const { tenantId, environment } = owner
  return listExceptions(sql, query, sql`tenant_id = ${tenantId} and environment = ${environment}`)
}

/** Lists in the order in which they were found. Messages are read only for the rows of a page. */
async function listExceptions(
  sql: SqlTag,
  query: ExceptionQuery,
  of: Fragment,
): Promise<PageRows<ClearingExceptionRow>> {
  const { kind, message_id: messageId, transaction_id: transactionId } = query
  return readPage<ClearingExceptionRow>(sql, query, {
    list: 'clearing_exceptions',
    column: 'seq',
    positionOf: ({ seq }) => seq,
    select: (range, ordered) => sql<ClearingExceptionRow[]>`
      with page as (
        select * from clearing_exceptions
        where ${of} ${createdWithin(sql, query)}
          ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
          ${messageId === undefined ? sql`` : sql`and message_id = ${messageId}`}
          ${transactionId === undefined ? sql`` : sql`and transaction_id = ${transactionId}`}
          and ${range}
        ${ordered}
      )
      select seq, page.environment, clearing_file_id as "clearingFileId", f.network,
        to_char(f.business_date, 'YYYY-MM-DD') as "businessDate", page.kind,
        page.message_id as "messageId", message_kind as "messageKind", file_amount as "fileAmount",
        file_currency as "fileCurrency", tenant_id as "tenantId",
        page.transaction_id as "transactionId", page.sequence,
        (
          select m.entry from card_transaction_messages m
          where m.transaction_id = page.transaction_id and m.sequence = page.sequence
        ) as entry, page.created_at as "createdAt"
      from page join clearing_files f on f.id = page.clearing_file_id
      ${ordered}`,
  })
}
