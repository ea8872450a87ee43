// The ledger in the database: a cause moves money once, transfers only grow, and no account of a
// holder goes below nothing.
import { test } from 'tap'
import { type TxSql, tx } from '../../../api/database/transaction.ts'
import {
  recordCapture,
  recordDeposit,
  recordHold,
  recordLanding,
  recordRelease,
} from '../../../api/payments/ledger/index.ts'
import { newId } from '../../../shared/id.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import { file } from '../../harness/per-file.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import { ledgerCents } from '../../harness/settlement.ts'
import { seedTenant } from '../../harness/tenant.ts'

const { sql } = await openTestDatabase(file)
const { tenantId } = await seedTenant(sql, 'sandbox')
const at = { chainId: 31_337, environment: 'sandbox', tenantId, now: 1 } as const
const paymentAccountId = newId('pacc', 1)
const move = (causeId: string, cents: number) => ({ paymentAccountId, cents, causeId })
const inTx = (work: (inner: TxSql) => Promise<void>): Promise<void> => tx(sql, work)

await inTx((inner) =>
  recordDeposit(inner, at, { paymentAccountId, units: unitsOfCents(1000), block: 7 }),
)

test('the same cause moves money once, in whichever call it is recorded', async (t) => {
  await inTx((inner) =>
    recordDeposit(inner, at, { paymentAccountId, units: unitsOfCents(1000), block: 7 }),
  )
  for (let time = 0; time < 2; time++)
    await inTx(async (inner) => {
      await recordHold(inner, at, move('pay_1', 700))
      await recordHold(inner, at, move('pay_1', 700))
    })
  t.match(await ledgerCents(sql), { world: -1000, available: 300, held: 700 })
  const twice = () => inTx((inner) => recordCapture(inner, at, move('cap_1', 500)))
  await Promise.all([twice(), twice(), twice()])
  t.match(await ledgerCents(sql), { held: 200, in_settlement: 500 })
  await inTx((inner) => recordRelease(inner, at, move('pay_1', 200)))
  t.match(await ledgerCents(sql), { available: 500, held: 0 })
})

test('no account of a holder goes below nothing, and a refused move leaves no transfer', async (t) => {
  const before = await sql`select count(*) from ledger_transfers`
  for (const [record, name] of [
    [recordHold, 'pay_2'],
    [recordRelease, 'pay_3'],
    [recordCapture, 'cap_2'],
  ] as const)
    await t.rejects(
      inTx((inner) => record(inner, at, move(name, 501))),
      /ledger_accounts_(balance_)?check/,
    )
  t.same(await sql`select count(*) from ledger_transfers`, before)
  t.match(await ledgerCents(sql), { available: 500, held: 0, in_settlement: 500 })
})

test('a payee may owe the fee of what was given back', async (t) => {
  const settlementAccountId = newId('sacc', 1)
  const landing = { settlementAccountId, batchId: 'stb_1', feeUnits: unitsOfCents(5) }
  const captures = [move('cap_1', 500)]
  await inTx((inner) => recordLanding(inner, at, { ...landing, captures, refunds: [] }))
  t.match(await ledgerCents(sql), { paid: 495, fees: 5, in_settlement: 0 })
  const refunds = [move('ref_1', 500)]
  const back = { ...landing, batchId: 'stb_2', feeUnits: 0n, captures: [], refunds }
  await inTx((inner) => recordLanding(inner, at, back))
  t.match(await ledgerCents(sql), { paid: -5, available: 1000 })
})

test('transfers are neither changed nor removed, and every balance is their sum', async (t) => {
  for (const change of ['update ledger_transfers set units = 1', 'delete from ledger_transfers'])
    await t.rejects(sql.unsafe(change), /ledger_transfers only grows/)
  const apart = await sql`
    select id from ledger_accounts a where balance <> coalesce((
      select sum(case when credit = a.id then units else -units end) from ledger_transfers
      where credit = a.id or debit = a.id), 0)`
  t.same([...apart], [])
})
