// All reads of programs.
import type { Page } from '../../../shared/schemas/list.ts'
import type { Program } from '../../../shared/schemas/program.ts'
import type { Context } from '../../context.ts'
import type { CreatedFilters } from '../../database/created-filter.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { findProgram, listPrograms } from './store.ts'
import { programView } from './view.ts'

export async function readProgram({ sql, principal }: Context, id: string): Promise<Program> {
  const program = await findProgram(sql, principal, id)
  if (program === null) throw new Refusal('resource_missing')
  return programView(program)
}

export async function readPrograms(
  { sql, principal }: Context,
  query: PageQuery & CreatedFilters,
): Promise<Page<Program>> {
  return mapPage(await listPrograms(sql, principal, query), programView)
}
