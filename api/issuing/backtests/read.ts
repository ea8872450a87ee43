// All reads of backtests.
import type { Page } from '../../../shared/schemas/list.ts'
import type { SpendingControlBacktest } from '../../../shared/schemas/spending-control-backtest.ts'
import type { Context } from '../../context.ts'
import { mapPage, type PageQuery } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { readControl } from '../controls/index.ts'
import { findBacktest, listBacktests } from './store.ts'
import { backtestView } from './view.ts'

export async function readBacktest(
  context: Context,
  which: { controlId: string; id: string },
): Promise<SpendingControlBacktest> {
  await readControl(context, which.controlId)
  const row = await findBacktest(context.sql, context.principal, which)
  if (row === null) throw new Refusal('resource_missing')
  return backtestView(row)
}

/** Returns the backtests of a control, newest first by default. */
export async function readBacktests(
  context: Context,
  query: PageQuery & { controlId: string },
): Promise<Page<SpendingControlBacktest>> {
  await readControl(context, query.controlId)
  return mapPage(await listBacktests(context.sql, context.principal, query), backtestView)
}
