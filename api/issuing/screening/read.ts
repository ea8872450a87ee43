// All reads of alerts.
import type { Page } from '../../../shared/schemas/list.ts'
import type {
  OperatorSanctionsAlert,
  SanctionsAlert,
} from '../../../shared/schemas/sanctions-alert.ts'
import type { Context, OperatorContext } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  type AlertFilters,
  findAlert,
  listAlerts,
  listAllAlerts,
  type OperatorAlertFilters,
} from './store.ts'
import { alertView, operatorAlertView } from './view.ts'

export async function readAlert({ sql, principal }: Context, id: string): Promise<SanctionsAlert> {
  const alert = await findAlert(sql, principal, id)
  if (alert === null) throw new Refusal('resource_missing')
  return alertView(alert)
}

export async function readAlerts(
  { sql, principal }: Context,
  query: PageQuery & AlertFilters,
): Promise<Page<SanctionsAlert>> {
  return mapPage(await listAlerts(sql, principal, query), alertView)
}

export async function readAllAlerts(
  { sql }: OperatorContext,
  query: PageQuery & OperatorAlertFilters,
): Promise<Page<OperatorSanctionsAlert>> {
  return mapPage(await listAllAlerts(sql, query), operatorAlertView)
}
