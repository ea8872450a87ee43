import { test } from 'tap'
import { encodeId } from '../../shared/id.ts'
import { isNotification, type NetworkMessage } from '../../shared/schemas/network-message.ts'
import { openHold, transactionStatus } from '../../shared/transaction-sums.ts'
import { drain, FIRST_TENANT, seedFirstTenant, shownTransaction } from '../harness/drained.ts'
import { LineRig } from '../harness/line-rig.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { Random } from '../simulation/random.ts'
import { SimulatedNetwork } from '../simulation/simulated-network.ts'

const MESSAGES = 400

test('PostgreSQL arrives at the line’s transactions for messages of any kind', async (t) => {
  const { sql } = await openTestDatabase(t)
  await seedFirstTenant(sql)
  const rig = new LineRig()
  const random = new Random(7)
  const network = new SimulatedNetwork(random)
  for (let count = 0; count < MESSAGES; count++) {
    const message: NetworkMessage = { ...network.next(rig.nowMs), card: { token: 'ctok_1' } }
    t.equal(rig.send(message.kind, message).status, isRefused(message) ? 400 : 200)
    rig.advance(random.below(3_600_000))
    if (random.chance(0.05)) rig.passDays(1)
  }
  const entries = rig.entries()
  t.ok(entries.some(({ kind }) => kind === 'expiry'))
  for (let from = 0; from < entries.length; from += 100)
    await drain(sql, ...entries.slice(from, from + 100))
  t.same(await sql`select error from drain_quarantine`, [])

  const { transactions } = rig.state
  const differences: unknown[] = []
  let compared = 0
  for (const row of transactions.all()) {
    const { sums, flags, sequence } = transactions.read(row)
    const id = 'txn_' + encodeId(transactions.idOf(row))
    const shown = await shownTransaction(sql, FIRST_TENANT, id)
    const engine = [transactionStatus(sums, flags), openHold(sums), sequence]
    const postgres = [shown.status, shown.sums.open_hold_cents, shown.sequence]
    if (engine.join() !== postgres.join()) differences.push([id, engine, postgres])
    compared += 1
  }
  t.same(differences, [])
  t.ok(compared > 100)
})

/** An authorization request whose components exceed its amount is refused. */
function isRefused(message: NetworkMessage): boolean {
  const { kind, amount_cents, cashback_cents = 0, fee_cents = 0 } = message
  return !isNotification(kind) && cashback_cents + fee_cents > amount_cents
}
