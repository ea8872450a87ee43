// The SQL of an endpoint's statistics. Each statement has a constant cost at any volume.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed } from '../../database/static-fragments.ts'

export interface HourRow {
  endpointId: string
  hour: EpochMs
  succeeded: number
  failed: number
  timedOut: number
  firstTries: number
  firstSucceeded: number
  /** Attempts by duration of the answer; bucket n: below 2^n milliseconds. */
  answered: number[]
}

/** Reads the hours of these endpoints of the owner. */
export async function readHours(
  sql: SqlTag,
  { endpointIds, first }: { endpointIds: readonly string[]; first: EpochMs },
): Promise<HourRow[]> {
  return sql<HourRow[]>`
    select endpoint_id as "endpointId", hour, succeeded, failed, timed_out as "timedOut",
      first_tries as "firstTries", first_succeeded as "firstSucceeded", answered
    from endpoint_hours
    where endpoint_id = any (${[...endpointIds]}::text[]) and hour >= ${first} order by hour`
}

/** The rows match the index `open_deliveries_due`. */
const LINES = fixed`(values (0, false), (0, true), (1, false), (1, true)) as line (lane, tried)`

/** The rows match the index `open_deliveries_of_kind`. */
const KINDS = fixed`(values (true), (false)) as kind (of_event)`

/** Limit of the count of one endpoint's open deliveries. */
export const COUNTED_MAX = 10_000
/** The same for each endpoint of a list: a whole page counts as many as ten single endpoints. */
export const LISTED_MAX = 1000

export interface Backlog {
  endpointId: string
  waiting: number
  oldestAt: EpochMs | null
  /** Due time of the first open delivery that is not under way. */
  nextAt: EpochMs | null
}

/** Reads the open deliveries of these endpoints, a row for each; counts end at `countedMax`. */
export async function readBacklogs(
  sql: SqlTag,
  endpointIds: readonly string[],
  countedMax: number,
): Promise<Backlog[]> {
  return sql<Backlog[]>`
    select named.id as "endpointId", (
      select count(*) from (
        select 1 from open_deliveries where endpoint_id = named.id
        order by (cause = 'event'), id collate "POSIX" limit ${countedMax}
      ) counted
    ) as waiting, (
      select created_at from ${KINDS} cross join lateral (
        select id, created_at from open_deliveries d
        where d.endpoint_id = named.id and (d.cause = 'event') = kind.of_event
        order by id collate "POSIX" limit 1
      ) head
      order by id collate "POSIX" limit 1
    ) as "oldestAt", (
      select min(due_at) from ${LINES} cross join lateral (
        select due_at from open_deliveries d
        where d.endpoint_id = named.id and d.lane = line.lane and (d.attempts > 0) = line.tried
          and d.lease_token is null
        order by due_at limit 1
      ) head
    ) as "nextAt"
    from unnest(${[...endpointIds]}::text[]) as named (id)`
}
