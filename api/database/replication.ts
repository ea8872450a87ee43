// The standbys of PostgreSQL as the primary sees them: the lag of each in replaying the log.
import { familyLines, type MetricFamily, valueLines } from '../../shared/metric-text.ts'
import type { Sql } from './pool.ts'

const TIMELINE: MetricFamily = {
  name: 'svc_database_timeline',
  type: 'gauge',
  help: 'Timeline of the primary: each promotion of a standby begins the next one.',
}

const STANDBYS: MetricFamily = {
  name: 'svc_standbys',
  type: 'gauge',
  help: 'Standbys of PostgreSQL that receive the log of the primary.',
}

const LAG_BYTES: MetricFamily = {
  name: 'svc_standby_replay_lag_bytes',
  type: 'gauge',
  help: 'Bytes of the log that the primary wrote and the standby has not replayed.',
}

const LAG_SECONDS: MetricFamily = {
  name: 'svc_standby_replay_lag_seconds',
  type: 'gauge',
  help: 'Time from the primary’s flush of a part of its log until the standby replayed it.',
}

interface StandbyRow {
  /** `application_name` of its connection; two standbys may share one. */
  name: string
  count: number
  /** Null before its first report. */
  bytes: number | null
  /** Null where the primary has measured nothing yet. */
  seconds: number | null
  /** The role may read the statistics of other roles: pg_read_all_stats. */
  isReadable: boolean
}

/**
 * The lines of the primary's timeline and of its standbys. Without the right to read the statistics
 * of other roles there are none about standbys: zero would mean that there is no standby.
 */
export async function replicationLines(sql: Sql): Promise<string[]> {
  const [timeline, rows] = await Promise.all([timelineOf(sql), standbysOf(sql)])
  const first = valueLines(TIMELINE, timeline)
  if (rows.some(({ isReadable }) => !isReadable)) return first
  return [
    ...first,
    ...valueLines(
      STANDBYS,
      rows.reduce((sum, { count }) => sum + count, 0),
    ),
    ...lagLines(LAG_BYTES, rows, ({ bytes }) => bytes),
    ...lagLines(LAG_SECONDS, rows, ({ seconds }) => seconds),
  ]
}

function lagLines(
  family: MetricFamily,
  rows: readonly StandbyRow[],
  lagOf: (row: StandbyRow) => number | null,
): string[] {
  const samples = rows.flatMap((row) => {
    const lag = lagOf(row)
    return lag === null ? [] : [family.name + '{standby="' + labelValue(row.name) + '"} ' + lag]
  })
  return samples.length === 0 ? [] : familyLines(family, samples)
}

function labelValue(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
}

async function timelineOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ timeline: number }[]>`
    select ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline`
  return row?.timeline ?? 0
}

/**
 * A copy of the files that is being made (`backup`) is no standby. A standby that has replayed
 * everything has no lag, where PostgreSQL tells none: it forgets the last one when nothing happens.
 */
function standbysOf(sql: Sql): Promise<StandbyRow[]> {
  return sql<StandbyRow[]>`
    select
      coalesce(application_name, '') as name,
      count(*)::int as count,
      max(greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0))::float8 as bytes,
      max(case when replay_lag is not null then extract(epoch from replay_lag)
        when replay_lsn >= pg_current_wal_lsn() then 0 end)::float8 as seconds,
      bool_and(state is not null) as "isReadable"
    from pg_stat_replication where state is distinct from 'backup'
    group by 1 order by 1`
}
