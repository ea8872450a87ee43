// Ends holds of tenants whose sandbox clock is ahead: the engine's own timer knows only its own
// time, so the API names the expired ones. A hold that the engine has ended meanwhile stays as it
// is; until that end is drained the same holds are named again.
import { type Clock, sleep } from '../../shared/clock.ts'
import type { HoldToEnd } from '../../shared/wire/control.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'
import type { EngineClient } from './client.ts'

const LOOK_MS = 500
const HOLDS_MAX = 100
const QUERY_MS_MAX = 10_000

export interface HoldParts {
  sql: Sql
  client: EngineClient
  clock: Clock
  /** Whether the clock may be believed; no hold ends while it may not. */
  watch: { readonly agrees: boolean }
}

/** Runs until the signal; rejects with the first failure of either side. */
export async function endHoldsInTime(parts: HoldParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const holds = parts.watch.agrees ? await holdsOver(parts) : []
    if (holds.length > 0) await parts.client.endHolds(holds)
    await sleep(LOOK_MS, signal)
  }
}

/** Returns the next drained holds that are expired by their tenant's clock. */
async function holdsOver({ sql, clock }: HoldParts): Promise<HoldToEnd[]> {
  const now = clock.nowMs()
  const rows = await withDeadline(
    sql<{ id: string; nowMs: number; entry: Buffer }[]>`
      select t.id, ${now} + c.offset_ms as "nowMs", m.entry
      from sandbox_clocks c
      join card_transactions t on t.tenant_id = c.tenant_id and t.environment = 'sandbox'
        and t.hold_expires_at > 0 and t.hold_expires_at <= ${now} + c.offset_ms
      join card_transaction_messages m on m.transaction_id = t.id and m.sequence = t.sequence
      where c.offset_ms > 0
      limit ${HOLDS_MAX}`,
    QUERY_MS_MAX,
  )
  return rows.flatMap(({ id, nowMs, entry }) => {
    const decoded = decodeEntry(entry)
    const effect = 'effect' in decoded ? decoded.effect : null
    return effect === null ? [] : [{ transaction_id: id, link: effect.link, now_ms: nowMs }]
  })
}
