// Ends deliveries whose event is no longer kept: they cannot be sent.
import type { EpochMs } from '../../../shared/clock.ts'
import type { DeliveryError } from '../../../shared/delivery-reference.ts'
import type { Fragment } from '../../database/page.ts'
import type { Sql } from '../../database/pool.ts'
import type { LeasedDelivery } from './claim.ts'
import { returnDelivery, sharedColumns } from './settle.ts'

const EXPIRED: DeliveryError = 'expired'

/**
 * Ends open deliveries as failed with `expired`; returns the number. `which`: the statement that
 * finds and locks their ids.
 */
export async function expireDeliveries(sql: Sql, which: Fragment, now: EpochMs): Promise<number> {
  const ended = await sql`
    with expired as materialized (${which}),
    ended as (
      delete from open_deliveries where id = any (array(select id from expired)) returning *
    )
    insert into ended_deliveries (${sharedColumns(sql)}, state, last_status, last_error, finished_at)
    select ${sharedColumns(sql)}, 'failed', last_status, ${EXPIRED}, ${now} from ended`
  return ended.count
}

/** Ends a claimed delivery whose event is gone; the counted attempt is not made. */
export async function expireLeased(sql: Sql, leased: LeasedDelivery, now: EpochMs): Promise<void> {
  await returnDelivery(sql, leased, now)
  const which = sql`
    select id from open_deliveries where id = ${leased.id} and lease_token is null
    for update skip locked`
  await expireDeliveries(sql, which, now)
}
