// Step 1: closes a batch where an account's interval has ended or a transaction is full.
import type { EpochMs } from '../../../shared/clock.ts'
import { centsOfUnits } from '../../../shared/token-units.ts'
import type { Hex } from '../chain/hex.ts'
import { BATCH_ITEMS_MAX, closeBatch } from '../settlement-batches/index.ts'
import { inLead, type Line, type Pace } from './line.ts'
import { listWaitingAccounts, type WaitingAccount } from './store.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Closes at most one batch of each account. Returns how many. */
export async function closeDue(line: Line): Promise<number> {
  const { config, clock, chain } = line
  const now = clock.nowMs()
  let closed = 0
  for (const account of await listWaitingAccounts(line.sql, config)) {
    const due = dueTrigger(account, now + account.clockOffsetMs, line.pace)
    if (due === null) continue
    const drawableCents = centsOfUnits(await chain.drawable(account.address as Hex))
    const tenantNow = now + account.clockOffsetMs
    const closing = { account, trigger: due, drawableCents, now, tenantNow }
    if ((await inLead(line, (sql) => closeBatch(sql, closing))) !== null) closed += 1
  }
  return closed
}

/** The reason to close now, by the tenant's clock; null: the items wait for more. */
export function dueTrigger(
  {
    schedule,
    oldestAt,
    waiting,
    retried,
  }: Pick<WaitingAccount, 'schedule' | 'oldestAt' | 'waiting' | 'retried'>,
  now: EpochMs,
  { intervalMs }: Pick<Pace, 'intervalMs'>,
): 'interval' | 'size' | 'retry' | null {
  if (retried) return 'retry'
  if (schedule.interval === 'daily')
    return oldestAt < lastCutOff(schedule.hour, now) ? 'interval' : null
  if (waiting >= BATCH_ITEMS_MAX) return 'size'
  return now - oldestAt >= intervalMs ? 'interval' : null
}

/** The latest moment at which this hour began, in UTC. */
function lastCutOff(hour: number, now: EpochMs): EpochMs {
  const today = Math.floor(now / DAY_MS) * DAY_MS + hour * HOUR_MS
  return today <= now ? today : today - DAY_MS
}
