// The job that adds up the counts of authorizations: rows of the drain into minutes, minutes into
// hours, and hours are deleted after 400 days. Rows move by one statement, so that a killed run
// neither loses nor doubles a count. A row that comes late makes one more row of its minute.
import type { EpochMs } from '../../../shared/clock.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import type { Job } from '../../jobs/job.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** A minute is over, and the drain has most of it. */
const DRAINED_AFTER_MS = 2 * MINUTE_MS
/** Statistics by the minute reach back so far. */
export const MINUTES_KEPT_MS = 48 * HOUR_MS
const HOURS_KEPT_MS = 400 * DAY_MS
/** Rows of one owner in one run, so that no owner holds up the others. */
const OWNER_ROWS_MAX = 2000

export const countsJob: Job = {
  name: 'authorization_counts',
  every: 10_000,
  lease: 60_000,
  batch: 20_000,
  run: ({ sql, now, batch }) =>
    tx(
      sql,
      async (inner) => {
        const minutes = await fold(inner, {
          from: 0,
          unitMs: MINUTE_MS,
          until: now - DRAINED_AFTER_MS,
          batch,
        })
        // An hour later than the minutes may be read: no readable minute is in an hour's row.
        const hours = await fold(inner, {
          from: 1,
          unitMs: HOUR_MS,
          until: now - MINUTES_KEPT_MS - HOUR_MS,
          batch,
        })
        return minutes + hours + (await purge(inner, now - HOURS_KEPT_MS, batch))
      },
      { safeToRepeat: true },
    ),
}

interface Fold {
  /** Level of the rows; their sums have the next one. */
  from: 0 | 1
  unitMs: number
  /** Installation time: rows that begin until then are due, by the clock of their tenant. */
  until: EpochMs
  batch: number
}

/** Returns the number of rows that were replaced by sums. */
async function fold(sql: TxSql, { from, unitMs, until, batch }: Fold): Promise<number> {
  const [folded] = await sql<{ count: number }[]>`
    with taken as (
      delete from authorization_counts where ctid = any (array(${dueRows(sql, from, until, batch)}))
      returning *
    ), written as (
      insert into authorization_counts (
        tenant_id, environment, level, at, program_id, currency, outcome, reason, decided_by, count,
        amount_cents, approved_cents, asked, answered_50, answered_100, answered_200, answered_300,
        answered_500, answered_800, answered_1500, answered_more
      )
      select tenant_id, environment, ${from + 1}::smallint, at - at % ${unitMs}::bigint, program_id,
        currency, outcome, reason, decided_by, sum(count), sum(amount_cents), sum(approved_cents),
        sum(asked), sum(answered_50), sum(answered_100), sum(answered_200), sum(answered_300),
        sum(answered_500), sum(answered_800), sum(answered_1500), sum(answered_more)
      from taken
      group by 1, 2, 4, 5, 6, 7, 8, 9
    )
    select count(*)::integer as count from taken`
  return folded?.count ?? 0
}

/** Walks the owners, so that the index finds the due rows of each by its own clock. */
function dueRows(sql: TxSql, level: number, until: EpochMs, batch: number) {
  return sql`
      select due.ctid from tenants t cross join (values ('sandbox'), ('live')) as e (environment)
      cross join lateral (
        select c.ctid from authorization_counts c
        where c.tenant_id = t.id and c.environment = e.environment and c.level = ${level}::smallint
          and c.at <= ${until}::bigint + clock_offset(t.id, e.environment)
        order by c.at limit ${OWNER_ROWS_MAX} for update skip locked
      ) due
      limit ${batch}`
}

async function purge(sql: TxSql, until: EpochMs, batch: number): Promise<number> {
  const gone = await sql`
    delete from authorization_counts where ctid = any (array(${dueRows(sql, 2, until, batch)}))`
  return gone.count
}
