// Step 1: closes a batch where an account's interval has ended or a transaction is full.
import type { EpochMs } from '../../../shared/clock.ts'
import { centsOfUnits } from '../../../shared/token-units.ts'
import type { Hex } from '../chain/hex.ts'
import { BATCH_ITEMS_MAX, closeBatch, fillsBatch } from '../settlement-batches/index.ts'
import { inLead, type Line, type Pace } from './line.ts'
import { listWaitingAccounts, readDrawnCents, type WaitingAccount } from './store.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Chosen: fewer items are not looked at for whether they fill a transaction. */
const FULL_ITEMS_MIN = BATCH_ITEMS_MAX / 2
/** Chosen: a capture whose approval ends sooner does not wait for the hour of its account. */
const URGENT_MS = 12 * HOUR_MS
/** Chosen: batches of one account that a round closes at most; more wait for their turn anyway. */
const ACCOUNT_BATCHES_MAX = 4

/** Closes one batch of each account, and more while the rest fills a transaction. */
export async function closeDue(line: Line): Promise<void> {
  const now = line.clock.nowMs()
  for (const account of await listWaitingAccounts(line.sql, line.config)) {
    const due = await triggerOf(line, account, now + account.clockOffsetMs)
    if (due !== null) await closeAccount(line, account, { due, now })
  }
}

/** Gas and bytes may fill a transaction before the number of items does. */
async function triggerOf(
  { sql, pace }: Line,
  account: WaitingAccount,
  now: EpochMs,
): Promise<DueTrigger | null> {
  const due = dueTrigger(account, now, pace)
  const { id, schedule, waiting } = account
  if (due !== null || schedule.interval === 'daily' || waiting < FULL_ITEMS_MIN) return due
  return (await fillsBatch(sql, id)) ? 'size' : null
}

async function closeAccount(
  line: Line,
  account: WaitingAccount,
  { due, now }: { due: DueTrigger; now: EpochMs },
): Promise<void> {
  const tenantNow = now + account.clockOffsetMs
  // The chain knows nothing yet of what batches on their way will draw.
  const allowed = centsOfUnits(await line.chain.drawable(account.address as Hex))
  let drawableCents = Math.max(0, allowed - (await readDrawnCents(line.sql, account.id)))
  let { waiting } = account
  for (let closed = 0; closed < ACCOUNT_BATCHES_MAX; closed++) {
    const closing = { account, trigger: due, drawableCents, now, tenantNow }
    const batch = await inLead(line, (sql) => closeBatch(sql, closing))
    if (batch === null) return
    waiting -= batch.captures + batch.refunds
    // Refunds beyond the batch's own captures draw on the same allowance as the next one's.
    drawableCents += Math.min(0, batch.netCents)
    if (waiting < BATCH_ITEMS_MAX) return
  }
}

type DueTrigger = 'interval' | 'size' | 'retry'

/** The reason to close now, by the tenant's clock; null: the items wait for more. */
export function dueTrigger(
  {
    schedule,
    oldestAt,
    endsAt,
    waiting,
    retried,
  }: Pick<WaitingAccount, 'schedule' | 'oldestAt' | 'endsAt' | 'waiting' | 'retried'>,
  now: EpochMs,
  { intervalMs }: Pick<Pace, 'intervalMs'>,
): DueTrigger | null {
  if (retried) return 'retry'
  if (schedule.interval === 'daily') {
    const isUrgent = endsAt !== null && endsAt - now < URGENT_MS
    return isUrgent || oldestAt < lastCutOff(schedule.hour, now) ? 'interval' : null
  }
  if (waiting >= BATCH_ITEMS_MAX) return 'size'
  return now - oldestAt >= intervalMs ? 'interval' : null
}

/** The latest moment at which this hour began, in UTC. */
function lastCutOff(hour: number, now: EpochMs): EpochMs {
  const today = Math.floor(now / DAY_MS) * DAY_MS + hour * HOUR_MS
  return today <= now ? today : today - DAY_MS
}
