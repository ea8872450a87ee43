// The order of a backtest and its result: from the dispatcher to the process of the engine that
// judges recorded entries again, and back.
import type { DeclineReason } from '../decline-reason.ts'
import type { ControlConfig, ControlScope } from './control-records.ts'

/** Chosen: examples of changed verdicts in one result. */
export const BACKTEST_EXAMPLES_MAX = 20

export interface BacktestOrder {
  scope: ControlScope
  /** The program, the cardholder, or the key of the card's windows. */
  subjectId: string
  /** The proposed terms. */
  control: ControlConfig
  /** Ids of the control and of the limits that it ever had: recorded declines by it. */
  ownIds: readonly string[]
  /** Requests received from here on are judged; earlier entries only fill the windows. */
  fromMs: number
}

/** A recorded entry, byte for byte, with its place in the journal. */
export interface BacktestEntry {
  seq: number
  bytes: Uint8Array
}

/** `declines`: the request was approved. `approves`: the control itself declined the request. */
export type BacktestChange = 'declines' | 'approves'

export interface BacktestSum {
  count: number
  /** Requested, in minor units of the card's currency, by currency. */
  amounts: readonly { currency: string; amountCents: number }[]
  /** The proposed reasons of declines, the recorded ones of approvals; the most frequent first. */
  reasons: readonly { reason: DeclineReason; count: number }[]
}

export interface BacktestDay {
  /** Start of the day in UTC, epoch milliseconds. */
  atMs: number
  judged: number
  declines: number
  approves: number
}

export interface BacktestExample {
  change: BacktestChange
  transactionId: string
  receivedAtMs: number
  cardId: string
  amountCents: number
  currency: string
  merchantName: string
  mcc: string
  reason: DeclineReason
  /** The control or limit of the reason, `card:lim_…`; null where the reason names none. */
  detail: string | null
}

export interface BacktestResult {
  /** Authorization requests in the period, and their recorded answers. */
  judged: number
  approved: number
  declined: number
  declines: BacktestSum
  approves: BacktestSum
  /** Days with requests, in order. */
  days: readonly BacktestDay[]
  /** The first changed verdicts of each kind. */
  examples: readonly BacktestExample[]
  /** Entries that filled the windows or were judged. */
  entries: number
  /** Messages of transactions that began before the first entry: they count in no window. */
  skipped: number
}

/** To the process: one order, then entries in the order of the journal, then the end. */
export type BacktestInput =
  | { order: BacktestOrder }
  | { entries: readonly BacktestEntry[] }
  | { end: true }

/** From the process: a batch is taken, or the result after the end. */
export type BacktestOutput = { taken: number } | { result: BacktestResult } | { failure: string }
