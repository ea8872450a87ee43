// Every SQL statement about backtests, and about the recorded messages that they judge.
import type { EpochMs } from '../../../shared/clock.ts'
import type { ControlTerms } from '../../../shared/schemas/spending-control.ts'
import type { BacktestEntry, BacktestResult } from '../../../shared/wire/backtest.ts'
import type {
  ControlConfig,
  ControlScope,
  Environment,
} from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { Sql, SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { BacktestRow } from './view.ts'

function backtestColumns(sql: SqlTag): Fragment {
  return sql`
    id, environment, control_id as "controlId", from_at as "fromAt", until_at as "untilAt", terms, status,
    failure, result, created_by as "createdBy", created_at as "createdAt", finished_at as "finishedAt"`
}

export async function findBacktest(
  sql: SqlTag,
  owner: Owner,
  { controlId, id }: { controlId: string; id: string },
): Promise<BacktestRow | null> {
  const [row] = await sql<BacktestRow[]>`
    select ${backtestColumns(sql)} from spending_control_backtests
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and control_id = ${controlId} and id = ${id}`
  return row ?? null
}

/** Lists by id, which is the order of creation. */
export async function listBacktests(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & { controlId: string },
): Promise<PageRows<BacktestRow>> {
  return readPage<BacktestRow>(sql, query, {
    list: 'spending_control_backtests',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<BacktestRow[]>`
      select ${backtestColumns(sql)} from spending_control_backtests
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
        and control_id = ${query.controlId} and ${range}
      ${ordered}`,
  })
}

export interface NewBacktest {
  id: string
  controlId: string
  fromAt: EpochMs
  untilAt: EpochMs
  windowsFrom: EpochMs
  terms: ControlTerms
  compiled: ControlConfig
  createdBy: string
  now: EpochMs
}

/** Returns null where the owner has another that is not done. */
export async function insertBacktest(
  sql: TxSql,
  owner: Owner,
  made: NewBacktest,
): Promise<BacktestRow | null> {
  const { id, controlId, fromAt, untilAt, windowsFrom, createdBy, now } = made
  const [row] = await sql<BacktestRow[]>`
    insert into spending_control_backtests (
      id, control_id, tenant_id, environment, from_at, until_at, windows_from, terms, compiled,
      created_by, created_at
    ) values (
      ${id}, ${controlId}, ${owner.tenantId}, ${owner.environment}, ${fromAt}, ${untilAt},
      ${windowsFrom}, ${JSON.stringify(made.terms)}::text::jsonb,
      ${JSON.stringify(made.compiled)}::text::jsonb, ${createdBy}, ${now}
    )
    on conflict (tenant_id, environment) where status in ('queued', 'running') do nothing
    returning ${backtestColumns(sql)}`
  return row ?? null
}

/** Returns the owner's backtest that is not done, if any. */
export async function findOpen(sql: TxSql, owner: Owner): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from spending_control_backtests
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and status in ('queued', 'running')`
  return row?.id ?? null
}

/** A backtest that this process may work on. */
export interface ClaimedBacktest extends Owner {
  id: string
  environment: Environment
  controlId: string
  scope: ControlScope
  /** The program, cardholder or card that the control binds. */
  subjectId: string
  compiled: ControlConfig
  fromAt: EpochMs
  untilAt: EpochMs
  windowsFrom: EpochMs
  attempts: number
}

/**
 * Claims the oldest backtest that waits, or one whose process was silent until its claim ended.
 * Null while another process works on one.
 */
export async function claimBacktest(
  sql: TxSql,
  { now, until }: { now: EpochMs; until: EpochMs },
): Promise<ClaimedBacktest | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended('spending control backtests', 0))`
  const [claimed] = await sql<ClaimedBacktest[]>`
    update spending_control_backtests b
    set status = 'running', attempts = b.attempts + 1, claimed_until = ${until}
    from spending_controls s
    where s.id = b.control_id and b.id = (
      select id from spending_control_backtests
      where (status = 'running' and claimed_until <= ${now}) or (
        status = 'queued'
        and not exists (select from spending_control_backtests where status = 'running')
      )
      order by status = 'queued', environment <> 'live', created_at, id limit 1 for update skip locked
    )
    returning b.id, b.tenant_id as "tenantId", b.environment, b.control_id as "controlId", s.scope,
      s.subject_id as "subjectId", b.compiled, b.from_at as "fromAt", b.until_at as "untilAt",
      b.windows_from as "windowsFrom", b.attempts`
  return claimed ?? null
}

/** The end of one attempt: a result, a failure, or neither, and it waits for the next attempt. */
export interface EndedAttempt {
  result: BacktestResult | null
  failure: 'too_many_entries' | 'interrupted' | null
}

/** Does nothing where a later attempt has taken over. `finished_at` is by the tenant's clock. */
export async function endAttempt(
  sql: TxSql,
  { id, attempts }: ClaimedBacktest,
  { result, failure, now }: EndedAttempt & { now: EpochMs },
): Promise<void> {
  const status = result !== null ? 'completed' : failure !== null ? 'failed' : 'queued'
  await sql`
    update spending_control_backtests set status = ${status}, claimed_until = null,
      failure = ${failure}, result = ${result === null ? null : JSON.stringify(result)}::text::jsonb,
      finished_at = case when ${status} = 'queued' then null
        else ${now}::bigint + clock_offset(tenant_id, environment) end
    where id = ${id} and status = 'running' and attempts = ${attempts}`
}

/** The subject of the control's windows: a card continues those of the card it replaced. */
export async function windowSubject(sql: Sql, claimed: ClaimedBacktest): Promise<string> {
  if (claimed.scope !== 'card') return claimed.subjectId
  const [row] = await sql<{ id: string }[]>`
    select coalesce(windows_id, id) as id from cards
    where tenant_id = ${claimed.tenantId} and environment = ${claimed.environment}
      and id = ${claimed.subjectId}`
  return row?.id ?? claimed.subjectId
}

/** Ids of the control and of every limit it ever had. */
export async function ownIds(sql: Sql, { controlId }: ClaimedBacktest): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct l ->> 'id' as id
    from spending_control_versions v cross join lateral jsonb_array_elements(v.terms -> 'limits') l
    where v.control_id = ${controlId}`
  return [controlId, ...rows.map(({ id }) => id)]
}

/** A transaction is read whole if it began in this time before the windows: a hold has ended. */
const HOLD_MS_MAX = 31 * 86_400_000

/** Messages of the subject's transactions that may count or be judged. */
function recorded(sql: Sql, claimed: ClaimedBacktest, subject: string): Fragment {
  const { scope, tenantId, environment, windowsFrom, untilAt } = claimed
  const owned = sql`tenant_id = ${tenantId} and environment = ${environment}`
  const bound =
    scope === 'program'
      ? sql`program_id = ${subject}`
      : scope === 'cardholder'
        ? sql`cardholder_id = ${subject}`
        : sql`coalesce(windows_id, id) = ${subject}`
  return sql`
    from card_transactions t join card_transaction_messages m on m.transaction_id = t.id
    where t.tenant_id = ${tenantId} and t.environment = ${environment}
      and t.created_at >= ${windowsFrom - HOLD_MS_MAX} and t.created_at < ${untilAt}
      and m.happened_at < ${untilAt}
      and t.card_id in (select id from cards where ${owned} and ${bound})`
}

/** Returns the number of messages, counted up to one more than `most`. */
export async function countRecorded(
  sql: Sql,
  claimed: ClaimedBacktest,
  { subject, most }: { subject: string; most: number },
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from (
      select 1 ${recorded(sql, claimed, subject)} limit ${most + 1}
    ) found`
  return row?.count ?? 0
}

/** Place of a message in the journal. */
export interface MessagePlace {
  journalSeq: number
  transactionId: string
  sequence: number
}

/** Returns the next messages behind a place, in the order of the journal. */
export async function placesAfter(
  sql: Sql,
  claimed: ClaimedBacktest,
  { subject, after, batch }: { subject: string; after: MessagePlace | null; batch: number },
): Promise<MessagePlace[]> {
  const behind =
    after === null
      ? sql``
      : sql`and (m.journal_seq, m.transaction_id) > (${after.journalSeq}, ${after.transactionId})`
  return sql<MessagePlace[]>`
    select m.journal_seq as "journalSeq", m.transaction_id as "transactionId", m.sequence
    ${recorded(sql, claimed, subject)} ${behind}
    order by m.journal_seq, m.transaction_id limit ${batch}`
}

/** Returns the entries at these places, in their order. */
export async function entriesAt(
  sql: Sql,
  places: readonly MessagePlace[],
): Promise<BacktestEntry[]> {
  return sql<BacktestEntry[]>`
    select m.journal_seq as seq, m.entry as bytes
    from unnest(
      ${places.map(({ transactionId }) => transactionId)}::text[],
      ${places.map(({ sequence }) => sequence)}::integer[]
    ) with ordinality as given (transaction_id, sequence, place)
    join card_transaction_messages m using (transaction_id, sequence)
    order by given.place`
}
