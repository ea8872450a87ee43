// A tenant empties its sandbox while a transaction of it is on its way: the chain is shared with
// other tenants, and nobody else would send its bytes again or tell its money in the ledger.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { emptySandbox } from '../../../api/platform/sandbox/empty.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { file } from '../../harness/per-file.ts'
import { pay, type SettlementStand, startSettlement } from '../../harness/settlement.ts'
import type { TestTenant } from '../../harness/tenant.ts'

async function statuses({ sql }: SettlementStand, { tenantId }: TestTenant): Promise<string[]> {
  const rows = await sql<{ status: string }[]>`
    select status from settlement_batches where tenant_id = ${tenantId} order by id`
  return rows.map(({ status }) => status)
}

if (!hasAnvil)
  test('wipe', async (t) => t.comment('A chain needs anvil, which npm has for Linux x64 only.'))
else
  test('a sandbox with a batch on its way is not emptied before the batch has landed', async (t) => {
    const at = await startSettlement(file)
    const [wiped, other] = [await at.newTenant(), await at.newTenant()]
    const [payee, payer] = [await at.addPayee(wiped), await at.addPayer(wiped, 5000)]
    const rival = { payee: await at.addPayee(other), payer: await at.addPayer(other, 5000) }
    const wipe = (tenant = wiped) =>
      tx(at.sql, (sql) => emptySandbox(sql, { ...tenant, clockOffsetMs: 0 }, at.clock.nowMs))
    await at.mine(3)
    await at.round()
    await pay(at, { payer, payee, cents: 1000 })
    await at.settle()
    t.same(await statuses(at, wiped), ['completed'])
    await pay(at, { payer, payee, cents: 500 })
    await at.round()
    t.same(await statuses(at, wiped), ['completed', 'submitted'])
    await t.rejects(wipe(), { code: 'invalid_state', detail: { message: /on its way/ } })
    t.same(await statuses(at, wiped), ['completed', 'submitted'], 'nothing is gone')
    // The pool forgets the transaction: only our bytes bring it back, and later nonces with it.
    await at.ask('anvil_dropAllTransactions', [])
    await pay(at, { ...rival, cents: 700 })
    await at.settle()
    t.same(await statuses(at, wiped), ['completed', 'completed'])
    t.same(await statuses(at, other), ['completed'])
    await wipe()
    t.same(await statuses(at, wiped), [])
    await pay(at, { ...rival, cents: 300 })
    await at.settle()
    t.same(await statuses(at, other), ['completed', 'completed'])
    t.match(await at.sql`select stopped from settlement_wallets`, [{ stopped: null }])
    t.same(await at.sql`select kind from settlement_exceptions`, [])

    // The other one is emptied between the look at what waits and the closing.
    await pay(at, { ...rival, cents: 200 })
    at.line.chain.drawable = async () => {
      await wipe(other)
      return 0n
    }
    at.clock.nowMs += 3_600_000
    await at.round()
    t.same(await statuses(at, other), [])
  })
