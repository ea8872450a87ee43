// Only this module makes a backtest public.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import { type ControlTerms, OPEN_TERMS } from '../../../shared/schemas/spending-control.ts'
import type {
  BacktestResult,
  SpendingControlBacktest,
} from '../../../shared/schemas/spending-control-backtest.ts'
import type {
  BacktestChange,
  BacktestSum,
  BacktestResult as JudgedResult,
} from '../../../shared/wire/backtest.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'

export interface BacktestRow {
  id: string
  environment: Environment
  controlId: string
  fromAt: EpochMs
  untilAt: EpochMs
  terms: ControlTerms
  status: SpendingControlBacktest['status']
  failure: SpendingControlBacktest['failure']
  result: JudgedResult | null
  createdBy: string
  createdAt: EpochMs
  finishedAt: EpochMs | null
}

export function backtestView(row: BacktestRow): SpendingControlBacktest {
  return {
    id: row.id,
    object: 'spending_control_backtest',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    spending_control_id: row.controlId,
    from: unixSeconds(row.fromAt),
    to: unixSeconds(row.untilAt),
    terms: { ...OPEN_TERMS, ...row.terms },
    status: row.status,
    failure: row.failure,
    result: row.result === null ? null : resultView(row.result),
    created_by: row.createdBy,
    finished_at: row.finishedAt === null ? null : unixSeconds(row.finishedAt),
  }
}

const CHANGES: { readonly [change in BacktestChange]: 'would_decline' | 'would_approve' } = {
  declines: 'would_decline',
  approves: 'would_approve',
}

function resultView(result: JudgedResult): BacktestResult {
  return {
    judged: result.judged,
    approved: result.approved,
    declined: result.declined,
    would_decline: sumView(result.declines),
    would_approve: sumView(result.approves),
    days: result.days.map(({ atMs, judged, declines, approves }) => ({
      day: unixSeconds(atMs),
      judged,
      would_decline: declines,
      would_approve: approves,
    })),
    examples: result.examples.map((example) => ({
      change: CHANGES[example.change],
      transaction_id: example.transactionId,
      card_id: example.cardId,
      received: unixSeconds(example.receivedAtMs),
      amount_cents: example.amountCents,
      currency: example.currency,
      merchant_name: example.merchantName,
      mcc: example.mcc,
      decline_reason: example.reason,
      decline_detail: example.detail,
    })),
    entries: result.entries,
    skipped: result.skipped,
  }
}

function sumView({ count, amounts, reasons }: BacktestSum): BacktestResult['would_decline'] {
  return {
    count,
    amounts: amounts.map(({ currency, amountCents }) => ({ currency, amount_cents: amountCents })),
    decline_reasons: reasons.map((row) => ({ decline_reason: row.reason, count: row.count })),
  }
}
