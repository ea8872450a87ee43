// Counts a batch for the statistics: its authorization requests by program, minute, outcome, reason
// and decider, and its late replies. The rows go into the statement that writes the batch, so that
// each request counts exactly once. Pure, but for the fragment of the insert.
import { REQUEST_KINDS } from '../../shared/schemas/network-message.ts'
import { approvedCents, cardholderAmount } from '../../shared/schemas/transaction-parts.ts'
import type { DecisionEntry, TenantRecord } from '../../shared/wire/journal-entry.ts'
import type { TxSql } from '../database/transaction.ts'
import { ANSWER_COLUMNS, type AnswerColumn, answerColumn } from '../issuing/transactions/index.ts'
import type { Batch } from './batch.ts'

const MINUTE_MS = 60_000

interface CountKey {
  tenant_id: string
  environment: string
  /** Start of the minute, by the tenant's clock. */
  at: number
  program_id: string
  currency: string
  outcome: 'approved' | 'declined' | 'late_approve' | 'late_decline'
  reason: string | null
  decided_by: string
}

/** A row of authorization_counts as the drain inserts it. Sums of amounts may pass 2^53. */
export type CountRow = CountKey & {
  count: number
  amount_cents: bigint
  approved_cents: bigint
  asked: number
} & { [column in AnswerColumn]: number }

/** Only messages that are new in this batch count. */
export function countRows({ moments, lateReplies }: Batch): CountRow[] {
  const rows = new Map<string, CountRow>()
  for (const { entry } of moments)
    if (entry.to === 'card_transactions' && isRequest(entry.entry)) addRequest(rows, entry.entry)
  for (const { life, entry } of lateReplies) {
    const { card } = life.request
    rowFor(rows, {
      tenant_id: life.tenantId,
      environment: life.environment,
      at: minuteOf(entry.repliedAtMs),
      program_id: card?.programId ?? '',
      currency: card?.currency ?? '',
      outcome: entry.outcome,
      reason: null,
      decided_by: 'tenant',
    }).count += 1
  }
  return [...rows.values()]
}

function addRequest(rows: Map<string, CountRow>, entry: DecisionEntry): void {
  const { card, decision, effect, environment, fx } = entry
  if (card === null) return
  const requested = cardholderAmount(entry, card)
  const row = rowFor(rows, {
    tenant_id: card.tenantId,
    environment,
    at: minuteOf(decision.decidedAtMs),
    program_id: card.programId,
    currency: requested.currency,
    outcome: decision.approved ? 'approved' : 'declined',
    reason: decision.declineReason,
    decided_by: decision.decidedBy,
  })
  row.count += 1
  row.amount_cents += BigInt(requested.amount)
  row.approved_cents += BigInt(approvedCents(fx, decision, effect))
  if (decision.tenant !== null) addAnswer(row, decision.tenant)
}

function addAnswer(row: CountRow, { outcome, latencyMs }: TenantRecord): void {
  if (UNSENT.has(outcome)) return
  row.asked += 1
  if (outcome !== 'answered_approve' && outcome !== 'answered_decline') return
  row[answerColumn(latencyMs ?? 0)] += 1
}

/** Outcomes of requests that no endpoint got. */
const UNSENT: ReadonlySet<string> = new Set(['not_configured', 'breaker_open', 'bulkhead_full'])

function isRequest({ message }: DecisionEntry): boolean {
  return (REQUEST_KINDS as readonly string[]).includes(message.kind)
}

function minuteOf(moment: number): number {
  return moment - (moment % MINUTE_MS)
}

function rowFor(rows: Map<string, CountRow>, key: CountKey): CountRow {
  const name = Object.values(key).join('\0')
  const found = rows.get(name)
  if (found !== undefined) return found
  const made = { ...key, ...NOTHING }
  rows.set(name, made)
  return made
}

const NOTHING = {
  count: 0,
  amount_cents: 0n,
  approved_cents: 0n,
  asked: 0,
  answered_50: 0,
  answered_100: 0,
  answered_200: 0,
  answered_300: 0,
  answered_500: 0,
  answered_800: 0,
  answered_1500: 0,
  answered_more: 0,
}

/** The insert, as a part of the statement that writes the batch. */
export function insertCounts(sql: TxSql, rows: readonly CountRow[]) {
  const of = <Name extends keyof CountRow>(name: Name) => rows.map((row) => row[name])
  const answers = ANSWER_COLUMNS.map((name) => of(name))
  return sql`
      insert into authorization_counts (
        level, tenant_id, environment, at, program_id, currency, outcome, reason, decided_by, count,
        amount_cents, approved_cents, asked, answered_50, answered_100, answered_200, answered_300,
        answered_500, answered_800, answered_1500, answered_more
      )
      select 0, * from unnest(
        ${of('tenant_id')}::text[], ${of('environment')}::text[], ${of('at')}::bigint[],
        ${of('program_id')}::text[], ${of('currency')}::text[], ${of('outcome')}::text[],
        ${of('reason')}::text[], ${of('decided_by')}::text[], ${of('count')}::bigint[],
        ${of('amount_cents').map(String)}::text[]::numeric[], ${of('approved_cents').map(String)}::text[]::numeric[], ${of('asked')}::bigint[],
        ${answers[0] ?? []}::bigint[], ${answers[1] ?? []}::bigint[], ${answers[2] ?? []}::bigint[],
        ${answers[3] ?? []}::bigint[], ${answers[4] ?? []}::bigint[], ${answers[5] ?? []}::bigint[],
        ${answers[6] ?? []}::bigint[], ${answers[7] ?? []}::bigint[]
      )`
}
