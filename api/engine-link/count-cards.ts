// Counts the cards of a shard: a new tenant is placed where the fewest are.
import { FIRST_SHARD } from '../../shared/shards.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Job } from '../jobs/job.ts'

const LOOK_MS = 10 * 60_000
const QUERY_MS_MAX = 30_000

/** Its run is never counted as work: the next one comes after its interval. */
export function countCardsJob(shard: string): Job {
  return {
    name: 'count_cards',
    every: LOOK_MS,
    lease: QUERY_MS_MAX,
    batch: 1,
    async run({ sql }) {
      // One shard gets every tenant without a count.
      await withDeadline(
        sql`
          update journal_cursor set cards = (
            select count(*) from cards c join programs p on p.id = c.program_id
            where coalesce(p.shard, ${FIRST_SHARD}) = ${shard}
          )
          where shard = ${shard} and (select count(*) from journal_cursor) > 1`,
        QUERY_MS_MAX,
      )
      return 0
    },
  }
}
