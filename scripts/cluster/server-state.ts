// The state of a PostgreSQL server of a cluster, as the server itself tells it.
import { sleep } from '../../shared/clock.ts'
import { askServer } from '../postgres/standby.ts'

const LOOK_MS = 20
const END_TRIES_MAX = 500

/** Whether a server is the primary or a standby, in words. */
export function roleOf(url: string): Promise<string> {
  return askServer(url, async (sql) => {
    const [row] = await sql<{ standby: boolean; streaming: number }[]>`
      select pg_is_in_recovery() as standby,
             (select count(*)::int from pg_stat_replication) as streaming`
    if (row === undefined) return 'does not answer'
    return row.standby ? 'standby' : 'PRIMARY  ' + row.streaming + ' standbys stream'
  })
}

/**
 * The last byte of the log that a standby has, received or read from its own files. Rejects for a
 * server that is no standby, and for one that does not come to the end of its files.
 */
export function endOf(url: string): Promise<bigint> {
  return askServer(url, async (sql) => {
    for (let tries = 0; tries < END_TRIES_MAX; tries++) {
      const [row] = await sql<{ bytes: string | null; waits: boolean }[]>`
        select pg_wal_lsn_diff(
            greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')::text as bytes,
          exists(
            select from pg_stat_activity where backend_type = 'startup'
              and wait_event in ('RecoveryRetrieveRetryInterval', 'RecoveryWalStream')
          ) as waits
        where pg_is_in_recovery()`
      if (row === undefined) throw new Error('It is no standby.')
      if (row.waits && row.bytes !== null) return BigInt(row.bytes)
      await sleep(LOOK_MS)
    }
    throw new Error('It still reads its own files.')
  })
}

/** The names of the standbys that stream from this primary. */
export function streamingNames(url: string): Promise<string[]> {
  return askServer(url, async (sql) => {
    const rows = await sql<{ name: string }[]>`
      select application_name as name from pg_stat_replication where state = 'streaming'`
    return rows.map(({ name }) => name)
  })
}
