// All reads of spending controls.
import type { Page } from '../../../shared/schemas/list.ts'
import type { SpendingControl } from '../../../shared/schemas/spending-control.ts'
import type {
  SpendingControlShadow,
  SpendingControlVersion,
} from '../../../shared/schemas/spending-control-shadow.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  type ControlFilters,
  findControl,
  findShadow,
  listControls,
  listVersions,
} from './store.ts'
import { controlView, shadowView, versionView } from './view.ts'

export async function readControl(
  { sql, principal }: Context,
  id: string,
): Promise<SpendingControl> {
  const control = await findControl(sql, principal, id)
  if (control === null) throw new Refusal('resource_missing')
  return controlView(control)
}

export async function readControls(
  { sql, principal }: Context,
  query: PageQuery & ControlFilters,
): Promise<Page<SpendingControl>> {
  return mapPage(await listControls(sql, principal, query), controlView)
}

/** Returns every version, newest first by default. */
export async function readVersions(
  context: Context,
  query: PageQuery & { controlId: string },
): Promise<Page<SpendingControlVersion>> {
  const { sql, principal } = context
  await readControl(context, query.controlId)
  return mapPage(await listVersions(sql, principal, query), versionView)
}

/** Returns the shadow verdicts of its drafts on authorizations. */
export async function readShadow(context: Context, id: string): Promise<SpendingControlShadow> {
  const { sql, principal } = context
  await readControl(context, id)
  return shadowView(id, await findShadow(sql, principal, id))
}
