// Asks for a backtest: the terms of a control with proposed fields in their place are judged
// against the authorizations that its subject recorded.
import type { EpochMs } from '../../../shared/clock.ts'
import type { ControlTermsInput } from '../../../shared/schemas/spending-control.ts'
import type { SpendingControlBacktest } from '../../../shared/schemas/spending-control-backtest.ts'
import {
  type ControlConfig,
  countsUses,
  type LimitConfig,
} from '../../../shared/wire/config-records.ts'
import { authorOf, type Context } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import { compileControl, lockControl, newTerms } from '../controls/index.ts'
import { findOpen, insertBacktest } from './store.ts'
import { backtestView } from './view.ts'

const DAY_MS = 86_400_000
/** Chosen: the longest such window in any zone, and a day for its clock. */
const WINDOW_DAYS: { readonly [interval in Exclude<LimitConfig['interval'], 'rolling'>]: number } =
  {
    per_authorization: 0,
    daily: 2,
    weekly: 8,
    monthly: 32,
    yearly: 367,
    all_time: Number.POSITIVE_INFINITY,
  }

export interface BacktestInput {
  controlId: string
  days: number
  terms: ControlTermsInput
}

/**
 * Nothing of the control changes. Chosen: one backtest of a tenant and environment at a time (409),
 * and none of a payment account, whose payments are no card transactions.
 */
export async function createBacktest(
  context: Context,
  { controlId, days, terms: proposed }: BacktestInput,
): Promise<SpendingControlBacktest> {
  const { principal, now } = context
  const id = context.newId('bkt')
  return write(context, async (sql) => {
    const { control, subject } = await lockControl(sql, principal, controlId)
    if (control.scope === 'payment_account')
      throw new Refusal('invalid_state', {
        message: 'The control binds a payment account: it has no card transactions to judge.',
      })
    const terms = newTerms(control.terms, proposed, { subject, now })
    const compiled = compileControl({ ...control, state: 'draft' }, terms) as ControlConfig
    const fromAt = now - days * DAY_MS
    const row = await insertBacktest(sql, principal, {
      id,
      controlId: control.id,
      fromAt,
      untilAt: now,
      windowsFrom: windowsFrom(compiled, fromAt),
      terms,
      compiled,
      createdBy: authorOf(principal),
      now,
    })
    if (row !== null) return backtestView(row)
    throw new Refusal('invalid_state', {
      message: 'Another backtest is not done yet. Wait until it is over.',
      extra: { resource_id: await findOpen(sql, principal) },
    })
  })
}

/** Returns the earliest moment that a window of the control reaches back to; 0: all of the past. */
export function windowsFrom(control: ControlConfig, fromAt: EpochMs): EpochMs {
  if (countsUses(control)) return 0
  const reach = control.limits.map(({ interval, rolling_seconds: seconds }) =>
    interval === 'rolling' ? (seconds ?? 0) * 1000 : WINDOW_DAYS[interval] * DAY_MS,
  )
  return Math.max(0, fromAt - Math.max(0, ...reach))
}
