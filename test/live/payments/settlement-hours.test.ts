// An account that is paid at an hour of the day: a capture at the end of its payment does not wait
// for an hour behind the end of its approval.
import { test } from 'tap'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { file } from '../../harness/per-file.ts'
import { pay, startSettlement } from '../../harness/settlement.ts'

const HOUR_MS = 3_600_000

if (!hasAnvil)
  test('hours', async (t) => t.comment('A chain needs anvil, which npm has for Linux x64 only.'))
else
  test('a capture is settled before its approval ends, whatever the hour', async (t) => {
    const at = await startSettlement(file)
    const tenant = await at.newTenant()
    const [payee, payer] = [await at.addPayee(tenant), await at.addPayer(tenant, 5000)]
    const schedule = { interval: 'daily', hour: new Date(at.clock.nowMs).getUTCHours() }
    await at.sql`
      update settlement_accounts set schedule = ${JSON.stringify(schedule)}::text::jsonb
      where id = ${payee.id}`
    await at.mine(3)
    await at.round()
    const validUntil = Math.floor((at.clock.nowMs + 13 * HOUR_MS) / 1000)
    const { captureId } = await pay(at, { payer, payee, cents: 1000, validUntil })
    const status = async () => {
      const [row] = await at.sql<{ status: string; batch: string | null }[]>`
        select status, settlement_batch_id as batch from payment_captures where id = ${captureId}`
      return row
    }
    await at.round()
    t.match(await status(), { status: 'pending', batch: null }, 'it waits for its hour')
    at.clock.nowMs += 1.1 * HOUR_MS
    await at.settle()
    t.match(await status(), { status: 'landed' })
  })
