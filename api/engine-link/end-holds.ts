// Ends holds of tenants whose sandbox clock is ahead: the engine's own timer knows only its own
// time, so the API names the expired ones. Holds of payments end at their exact moment in this way,
// because the timer ends holds on the full hour. A hold that the engine has ended meanwhile stays
// as it is; until that end is drained the same holds are named again.
import type { EpochMs } from '../../shared/clock.ts'
import { PAYMENTS_NETWORK } from '../../shared/schemas/network-message.ts'
import { FIRST_SHARD } from '../../shared/shards.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import type { HoldToEnd } from '../../shared/wire/control.ts'
import { decodeEntry, transactionLink } from '../../shared/wire/journal-entry.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'
import type { Job } from '../jobs/job.ts'
import type { EngineClient } from './client.ts'

const LOOK_MS = 500
const QUERY_MS_MAX = 10_000

export interface HoldParts {
  client: EngineClient
  /** Whether the clock may be believed; no hold ends while it may not. */
  watch: { readonly agrees: boolean }
  /** The shard of the engine: it knows no hold of another one. */
  shard: string
}

type Find = (sql: Sql, range: Range) => Promise<HoldToEnd[]>

interface Range {
  now: EpochMs
  most: number
  shard: string
}

export function endHoldsJobs(parts: HoldParts): readonly Job[] {
  return [jobOf(parts, 'end_holds', holdsOver), jobOf(parts, 'end_payment_holds', paymentHoldsOver)]
}

function jobOf({ client, watch, shard }: HoldParts, name: string, find: Find): Job {
  return {
    name,
    every: LOOK_MS,
    lease: QUERY_MS_MAX,
    batch: 100,
    // The engine's end of a hold is drained meanwhile.
    pace: LOOK_MS,
    async run({ sql, now, batch }) {
      const holds = watch.agrees ? await find(sql, { now, most: batch, shard }) : []
      if (holds.length > 0) await client.endHolds(holds)
      return holds.length
    },
  }
}

/** Returns the next drained holds that are expired by their tenant's clock. */
async function holdsOver(sql: Sql, { now, most, shard }: Range): Promise<HoldToEnd[]> {
  const rows = await withDeadline(
    sql<{ id: string; nowMs: number; entry: Buffer }[]>`
      select t.id, ${now} + c.offset_ms as "nowMs", m.entry
      from sandbox_clocks c
      join card_transactions t on t.tenant_id = c.tenant_id and t.environment = 'sandbox'
        and t.hold_expires_at > 0 and t.hold_expires_at <= ${now} + c.offset_ms
      join card_transaction_messages m on m.transaction_id = t.id and m.sequence = t.sequence
      join cards on cards.id = t.card_id
      join programs p on p.id = cards.program_id and coalesce(p.shard, ${FIRST_SHARD}) = ${shard}
      where c.offset_ms > 0
      limit ${most}`,
    QUERY_MS_MAX,
  )
  return rows.flatMap(({ id, nowMs, entry }) => {
    const decoded = decodeEntry(entry)
    const effect = 'effect' in decoded ? decoded.effect : null
    return effect === null ? [] : [{ transaction_id: id, link: effect.link, now_ms: nowMs }]
  })
}

/** Returns payments of which something is left and that are expired by their tenant's clock. */
async function paymentHoldsOver(sql: Sql, { now, most, shard }: Range): Promise<HoldToEnd[]> {
  const rows = await withDeadline(
    sql<PaymentHold[]>`
      select p.id, p.environment, p.transaction_id as "transactionId",
        coalesce(a.windows_id, a.id) as "windowsId", ${now} + c.offset_ms as "nowMs"
      from (
        select null::text as tenant_id, 0::bigint as offset_ms
        union all select tenant_id, offset_ms from sandbox_clocks where offset_ms > 0
      ) c
      join payments p on p.expires_at <= ${now} + c.offset_ms
        and (c.tenant_id is null or (p.tenant_id = c.tenant_id and p.environment = 'sandbox'))
        and p.captured_cents + p.capture_pending_cents + p.capture_failed_cents + p.voided_cents
          < p.amount_cents
        and p.status not in ('deciding', 'risk_declined')
        and p.transaction_id is not null
      join payment_accounts a on a.id = p.payment_account_id
      join programs g on g.id = a.program_id and coalesce(g.shard, ${FIRST_SHARD}) = ${shard}
      limit ${most}`,
    QUERY_MS_MAX,
  )
  return rows.map(({ id, environment, transactionId, windowsId, nowMs }) => ({
    transaction_id: transactionId,
    link: transactionLink(environment, PAYMENTS_NETWORK, windowsId, id),
    now_ms: nowMs,
  }))
}

interface PaymentHold {
  id: string
  environment: Environment
  transactionId: string
  windowsId: string
  /** By the clock of the tenant. */
  nowMs: number
}
