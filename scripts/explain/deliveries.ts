// The webhook deliveries of some events, read from the database beside the service: the API shows
// tenants their events, not our attempts.
import { openPool } from '../../api/database/pool.ts'
import type { Result } from '../../shared/result.ts'

export interface Delivery {
  event_id: string
  endpoint_id: string
  state: string
  cycle: number
  attempts: {
    n: number
    started_at: number
    duration_ms: number
    status: number | null
    error: string | null
  }[]
}

/** Returns them in the order of events and attempts; a sentence if the database does not answer. */
export async function readDeliveries(
  url: string,
  eventIds: readonly string[],
): Promise<Result<Delivery[], string>> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-explain' })
  try {
    const rows = await sql<Delivery[]>`
      select d.event_id, d.endpoint_id, d.state, d.cycle, (
          select coalesce(jsonb_agg(jsonb_build_object(
            'n', a.n, 'started_at', a.started_at, 'duration_ms', a.duration_ms, 'status', a.status,
            'error', a.error_class
          ) order by a.n), '[]')
          from delivery_attempts a where a.delivery_id = d.id and a.cycle = d.cycle
        ) as attempts
      from deliveries d where d.event_id = any(${[...eventIds]}::text[])
      order by d.event_id, d.endpoint_id, d.cycle`
    return { ok: true, value: rows }
  } catch {
    return { ok: false, error: 'deliveries unknown: the database does not answer' }
  } finally {
    await sql.end({ timeout: 1 })
  }
}
