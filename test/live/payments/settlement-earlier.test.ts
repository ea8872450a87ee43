// The contract of an earlier release on a real node: the accounts of holders belong to it, and the
// settler goes on settling there, also batches that the earlier release wrote.
import { test } from 'tap'
import { bytesOfHex, chainIdOf, hexOfBytes, refundIdOf } from '../../../api/payments/chain/hex.ts'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import {
  capture,
  ledgerCents,
  pay,
  refund,
  startSettlement,
  unitsOf,
} from '../../harness/settlement.ts'

test('the contract of an earlier release lands captures and refunds once', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  const at = await startSettlement(t, { kind: 'local' }, undefined, 'Settlement-1')
  const tenant = await at.newTenant()
  const [payee, payer] = [await at.addPayee(tenant, 0), await at.addPayer(tenant, 1000)]
  const { sql } = at
  const refundOf = async (id: string) =>
    (
      await sql<{ status: string; bit: number | null; tries: number }[]>`
        select status, bit, tries from payment_refunds where id = ${id}`
    )[0]
  await at.mine(2)
  await at.round()
  t.same(await at.line.chain.problems(at.line.signer.address), [])
  const { paymentId } = await pay(at, { payer, payee, cents: 400, of: 600 })
  await at.settle()
  await capture(at, { payer, paymentId, cents: 100, bit: 1 })
  const first = await refund(at, { paymentId, cents: 10 })
  await at.settle()
  t.match(await refundOf(first), { status: 'landed', bit: 0 })

  await t.test('a refund that failed in a batch that landed is tried again', async (t) => {
    const again = await refund(at, { paymentId, cents: 20 })
    const other = await at.addPayer(tenant, 100)
    await at.mine(3)
    await at.round()
    await at.sandbox.callToken('setBlocked', [payer.address, true])
    await pay(at, { payer: other, payee, cents: 50 })
    await at.round()
    await at.mine(3)
    await at.round()
    t.match(await refundOf(again), { status: 'pending', bit: 1, tries: 1 })
    await at.sandbox.callToken('setBlocked', [payer.address, false])
    await pay(at, { payer: other, payee, cents: 50 })
    await at.settle()
    t.match(await refundOf(again), { status: 'landed', bit: 1 })
  })

  await t.test('a call that the earlier release wrote lands under its own name', async (t) => {
    const id = await refund(at, { paymentId, cents: 30 })
    await capture(at, { payer, paymentId, cents: 100, bit: 2 })
    await at.sandbox.callToken('setPaused', [true])
    await at.round()
    const [batch] = await sql<{ id: string; call: Buffer }[]>`
      select id, call from settlement_batches where status = 'open'`
    if (batch === undefined) throw new Error('no batch is open')
    const [ours, theirs] = [refundIdOf(id, 2), chainIdOf(id)].map((hex) => hex.slice(2))
    const call = hexOfBytes(batch.call)
    t.ok(call.includes(ours ?? ''), 'the call names the bit')
    const written = bytesOfHex(`0x${call.slice(2).replace(ours ?? '', theirs ?? '')}`)
    await sql`update settlement_batches set call = ${written} where id = ${batch.id}`
    await sql`update payment_refunds set bit = null, approval_id = null where id = ${id}`
    await at.sandbox.callToken('setPaused', [false])
    await at.settle()
    const byte = Number('0x' + (theirs ?? '').slice(-2))
    t.match(await refundOf(id), { status: 'landed', bit: byte < 64 ? byte : null })
    t.match(await sql`select stopped from settlement_wallets`, [{ stopped: null }])
  })

  const [paid, left] = await unitsOf(at, [payee.address, payer.address])
  t.equal(paid, unitsOfCents(400 + 100 + 50 + 50 + 100 - 10 - 20 - 30))
  t.equal(left, unitsOfCents(1000 - 600 + 10 + 20 + 30))
  await at.round()
  t.match(await ledgerCents(sql), { paid: 640, in_settlement: 0 }, 'so says the ledger')
})
