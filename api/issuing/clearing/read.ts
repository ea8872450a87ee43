// All reads of clearing files and their exceptions.
import type { ClearingException, ClearingFile } from '../../../shared/schemas/clearing-file.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Context, OperatorContext } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  type ExceptionFilters,
  listExceptionsOfFile,
  listExceptionsOfOwner,
} from './exceptions-store.ts'
import { type FileFilters, findFile, listFiles } from './store.ts'
import { clearingExceptionView, clearingFileView } from './view.ts'

export async function readFile({ sql }: OperatorContext, id: string): Promise<ClearingFile> {
  const file = await findFile(sql, id)
  if (file === null) throw new Refusal('resource_missing')
  return clearingFileView(file)
}

export async function readFiles(
  { sql }: OperatorContext,
  query: PageQuery & FileFilters,
): Promise<Page<ClearingFile>> {
  return mapPage(await listFiles(sql, query), clearingFileView)
}

export async function readExceptionsOfFile(
  { sql }: OperatorContext,
  query: PageQuery & ExceptionFilters & { clearingFileId: string },
): Promise<Page<ClearingException>> {
  if ((await findFile(sql, query.clearingFileId)) === null) throw new Refusal('resource_missing')
  return mapPage(await listExceptionsOfFile(sql, query), clearingExceptionView)
}

/**
 * Lists differences with a tenant's own transactions. A message without a transaction belongs to no
 * tenant.
 */
export async function readExceptions(
  { sql, principal }: Context,
  query: PageQuery & ExceptionFilters,
): Promise<Page<ClearingException>> {
  return mapPage(await listExceptionsOfOwner(sql, principal, query), clearingExceptionView)
}
