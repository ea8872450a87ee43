// Jobs that keep the spans of lists: of each thousand numbers that were given, the earliest and the
// latest moment, and the types. Several processes may write the same span; one of them stays.
import { SPAN, type SpannedList } from '../database/created-spans.ts'
import { tx } from '../database/transaction.ts'
import type { Job } from './job.ts'

const EVERY_MS = 5000
const LEASE_MS = 60_000
/** Spans of one run: it reads a thousand rows for each. */
const BATCH = 50
/** After an upgrade, while the spans of old rows are made. */
const PACE_MS = 250

/** Marks the spans of one list. */
export function spansJob(list: SpannedList): Job {
  return {
    name: 'created_spans_of_' + list.table,
    every: EVERY_MS,
    lease: LEASE_MS,
    batch: BATCH,
    pace: PACE_MS,
    run: ({ sql, batch }) =>
      tx(
        sql,
        async (inner) => {
          const types = list.isTyped
            ? inner`coalesce(array_agg(distinct type), '{}')`
            : inner`null::text[]`
          const made = await inner`
            insert into created_spans (
              list, tenant_id, environment, first_seq, last_seq, created_from, created_to, types
            )
            select ${list.table}, due.tenant_id, due.environment, due.first_seq, due.last_seq,
              coalesce(held.earliest, 0), coalesce(held.latest, -1), held.types
            from (
              select c.tenant_id, c.environment, spanned.seq + n * ${SPAN}::bigint + 1 as first_seq,
                spanned.seq + (n + 1) * ${SPAN}::bigint as last_seq
              from ${inner(list.counters)} c
              cross join lateral (
                select coalesce(max(first_seq), 1 - ${SPAN}::bigint) + ${SPAN - 1}::bigint as seq
                from created_spans s
                where s.list = ${list.table} and s.tenant_id = c.tenant_id
                  and s.environment = c.environment
              ) spanned
              cross join lateral generate_series(
                0, least(${batch}::bigint, (c.${inner(list.counter)} - spanned.seq) / ${SPAN}) - 1
              ) n
              where c.${inner(list.counter)} >= ${SPAN}
              limit ${batch}
            ) due
            cross join lateral (
              select min(created_at) as earliest, max(created_at) as latest, ${types} as types
              from (
                select l.* from ${inner(list.table)} l
                where l.tenant_id = due.tenant_id and l.environment = due.environment
                  and l.seq between due.first_seq and due.last_seq
                offset 0
              ) spanned
            ) held
            on conflict do nothing`
          return made.count
        },
        { safeToRepeat: true },
      ),
  }
}
