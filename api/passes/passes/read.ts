// All reads of passes, for tenants.
import { unixSeconds } from '../../../shared/clock.ts'
import type { Page } from '../../../shared/schemas/list.ts'
import type { Pass, PassCount } from '../../../shared/schemas/pass.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { countPasses } from './count-store.ts'
import { findPass, listPasses, type PassFilters } from './store.ts'
import { type PassContext, passView } from './view.ts'

export async function readPass(
  { sql, principal, publicUrl }: PassContext,
  id: string,
): Promise<Pass> {
  const pass = await findPass(sql, principal, id)
  if (pass === null) throw new Refusal('resource_missing')
  return passView(pass, publicUrl)
}

export async function readPasses(
  { sql, principal, publicUrl }: PassContext,
  query: PageQuery & PassFilters,
): Promise<Page<Pass>> {
  return mapPage(await listPasses(sql, principal, query), (row) => passView(row, publicUrl))
}

export async function readCount(
  { sql, principal, now }: Context,
  filters: PassFilters,
): Promise<PassCount> {
  return {
    object: 'pass_count',
    livemode: principal.environment === 'live',
    count: await countPasses(sql, principal, filters),
    as_of: unixSeconds(now),
  }
}
