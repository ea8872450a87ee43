// Only this module makes rows of rates public.
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import type { FxRates, FxTable } from '../../../shared/schemas/fx-rate.ts'

export interface FxTableRow {
  id: string
  source: string
  rateAt: EpochMs
  rates: FxTable['rates']
  isConfirmed: boolean
  /** The operator; null: the sandbox's own rates. */
  publishedBy: string | null
  createdAt: EpochMs
}

export function fxTableView(row: FxTableRow): FxTable {
  return {
    id: row.id,
    object: 'fx_table',
    created: unixSeconds(row.createdAt),
    source: row.source,
    rate_at: isoInstant(row.rateAt),
    rates: row.rates,
    large_changes_confirmed: row.isConfirmed,
    published_by: row.publishedBy,
  }
}

export interface FxRateRow {
  pair: string
  rate: string
  rateAt: EpochMs
  version: number
  source: string | null
  tableId: string | null
}

export function fxRatesView(rows: readonly FxRateRow[]): FxRates {
  const newest = rows.reduce((latest, { rateAt }) => Math.max(latest, rateAt), 0)
  return {
    object: 'fx_rates',
    newest_rate_at: rows.length === 0 ? null : isoInstant(newest),
    rates: rows.map(({ pair, rate, rateAt, version, source, tableId }) => ({
      ...{ pair, rate, rate_at: isoInstant(rateAt), version, source, fx_table_id: tableId },
    })),
  }
}
