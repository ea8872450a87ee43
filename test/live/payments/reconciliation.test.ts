// Ledger and chain are compared at finalized blocks. Each kind of difference is planted on the
// ledger or on the chain: a row opens, the metric counts it, and it ends when both agree again.
import { t as suite, test } from 'tap'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { requestAll, withdrawOwn } from '../../../scripts/chain-peer/own-withdrawal.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import { file } from '../../harness/per-file.ts'
import { pay, type SettlementStand, startSettlement, unitsOf } from '../../harness/settlement.ts'

const HOME = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const DAYS_9_S = 9 * 86_400

interface ExceptionRow {
  kind: string
  subject: string
  ledger: string
  chain: string
}

function open({ sql }: SettlementStand): Promise<ExceptionRow[]> {
  return sql<ExceptionRow[]>`
    select kind, subject, ledger_units::text as ledger, chain_units::text as chain
    from settlement_exceptions where resolved_at is null order by kind`
}

async function stopped({ sql }: SettlementStand): Promise<string | null> {
  const [row] = await sql<{ reason: string | null }[]>`
    select stopped ->> 'reason' as reason from settlement_wallets`
  return row?.reason ?? null
}

async function nextBlock(at: SettlementStand): Promise<void> {
  await at.mine(3)
  await at.round()
}

/** Changes a balance behind the back of the ledger's transfers. */
async function plant(
  { sql }: SettlementStand,
  { owner, kind, units }: { owner: string; kind: string; units: bigint },
): Promise<void> {
  await sql`
    update ledger_accounts set balance = balance + ${String(units)}::numeric
    where owner_id = ${owner} and kind = ${kind}`
}

async function resume({ sql }: SettlementStand): Promise<void> {
  await sql`update settlement_wallets set stopped = null`
}

if (!hasAnvil) suite.comment('A chain needs anvil, which npm has for Linux x64 only.')
else {
  const at = await startSettlement(file)
  const tenant = await at.newTenant()
  const payee = await at.addPayee(tenant, 100)
  const payer = await at.addPayer(tenant, 5000)
  await nextBlock(at)
  await pay(at, { payer, payee, cents: 1000 })
  await at.settle()

  test('ledger and chain agree after a batch with a fee', async (t) => {
    await nextBlock(at)
    t.same(await open(at), [])
    t.equal(await stopped(at), null)
    t.ok(at.line.counts.comparedBlock > 0)
    const [paid] = await at.sql`
      select balance, address from ledger_accounts where kind = 'paid'`
    t.match(paid, { balance: String(unitsOfCents(990)), address: payee.address })
    const final = await at.line.chain.finalized()
    const chain = await at.line.chain.paid([payee.address], final?.number ?? 0)
    t.match(chain, { kind: 'agreed', value: [String(unitsOfCents(990))] })
  })

  test('an account that lacks money by the ledger is suspended and stops settling', async (t) => {
    await plant(at, { owner: payer.id, kind: 'available', units: 1n })
    await nextBlock(at)
    t.match(await open(at), [
      {
        ...{ kind: 'holder_lacks', subject: payer.id },
        ...{ ledger: String(unitsOfCents(4000) + 1n), chain: String(unitsOfCents(4000)) },
      },
    ])
    t.equal(await stopped(at), 'ledger_apart')
    t.match(await at.sql`select status, suspend_reason from payment_accounts`, [
      { status: 'suspended', suspend_reason: 'ledger_apart' },
    ])
    await plant(at, { owner: payer.id, kind: 'available', units: -1n })
    await resume(at)
    await nextBlock(at)
    t.same(await open(at), [], 'a later block that agrees resolves it')
    t.equal(await stopped(at), null)
    await at.sql`update payment_accounts set status = 'active', suspend_reason = null`
  })

  test('a payee with another total stops settling', async (t) => {
    await plant(at, { owner: payee.id, kind: 'paid', units: -unitsOfCents(1) })
    await nextBlock(at)
    t.match(await open(at), [
      {
        ...{ kind: 'payee_differs', subject: payee.address },
        ...{ ledger: String(unitsOfCents(989)), chain: String(unitsOfCents(990)) },
      },
    ])
    t.equal(await stopped(at), 'ledger_apart')
    await plant(at, { owner: payee.id, kind: 'paid', units: unitsOfCents(1) })
    await resume(at)
    await nextBlock(at)
    t.same(await open(at), [])
  })

  test('a surplus of an account is a deposit and no difference', async (t) => {
    await at.sandbox.callToken('mint', [payer.address, 7n])
    await nextBlock(at)
    t.same(await open(at), [])
    t.match(
      await at.sql`select units from ledger_transfers where cause = 'deposit' order by id desc limit 1`,
      [{ units: '7' }],
    )
  })

  test('tokens sent to Settlement are told and stop nobody', async (t) => {
    await at.sandbox.callToken('mint', [at.config.settlement, 5n])
    await nextBlock(at)
    t.match(await open(at), [{ kind: 'settlement_holds', ledger: '0', chain: '5' }])
    t.equal(await stopped(at), null)
    t.equal(at.line.counts.exceptions, 1)
    await pay(at, { payer, payee, cents: 100 })
    await at.settle()
    t.match(await at.sql`select status from payment_captures order by id`, [
      { status: 'landed' },
      { status: 'landed' },
    ])
  })

  test('a holder with open holds withdraws without the service after nine days', async (t) => {
    const own = await at.addPayer(tenant, 1000)
    await nextBlock(at)
    const { paymentId } = await pay(at, { payer: own, payee, cents: 400, of: 600 })
    await requestAll(at, own, HOME)
    await at.settle()
    t.match(await at.sql`select status from payment_captures where payment_id = ${paymentId}`, [
      { status: 'landed' },
    ])
    await at.ask('evm_increaseTime', [DAYS_9_S])
    await at.mine(1)
    await withdrawOwn(at, own)
    t.same(await unitsOf(at, [own.address, HOME]), [0n, unitsOfCents(600)], 'holder has the rest')
    await nextBlock(at)
    const kinds = (await open(at)).map(({ kind }) => kind)
    t.same(kinds, ['holder_withdrew_held', 'settlement_holds'], 'the ledger still holds 200')
    t.equal(await stopped(at), null, 'one holder stops nobody')
    // The hold ends by itself, as the expiry of the payment does it.
    await at.sql`
      update ledger_accounts h set balance = balance - ${String(unitsOfCents(200))}::numeric
      where owner_id = ${own.id} and kind = 'held'`
    await plant(at, { owner: own.id, kind: 'available', units: unitsOfCents(200) })
    await nextBlock(at)
    t.same(
      (await open(at)).map(({ kind }) => kind),
      ['settlement_holds'],
    )
    t.match(
      await at.sql`
        select sum(balance)::text as units from ledger_accounts where owner_id = ${own.id}`,
      [{ units: '0' }],
    )
  })
}
