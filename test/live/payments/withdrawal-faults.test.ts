// Faults of withdrawals on a real node: a killed settler, a reorganization, a database older than
// the chain. The holder gets the sum once, and ledger, chain and resource tell the same.
import { t as suite, type Test, test } from 'tap'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { approveOn } from '../../../scripts/holder-peer/pages.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import { startRpcFake } from '../../fakes/rpc.ts'
import { file } from '../../harness/per-file.ts'
import { ledgerCents, unitsOf } from '../../harness/settlement.ts'
import { type KillPoint, killAt, settlerOf } from '../../harness/settler-process.ts'
import { dumpOf, formsOf, sponsorKey } from '../../harness/sponsor-key.ts'
import { happens } from '../../harness/until.ts'
import {
  beginWithdrawal,
  HOME,
  type Holder,
  openHolder,
  settleAll,
  startWithdrawals,
} from '../../harness/withdrawals.ts'

const CENTS = 300
const FUNDED_CENTS = 10_000

const KILL_POINTS: readonly KillPoint[] = [
  { after: 'encode', method: 'eth_simulateV1', heard: false },
  { after: 'rehearse', method: 'eth_feeHistory', heard: false },
  { after: 'sign', method: 'eth_sendRawTransaction', heard: false },
  { after: 'send', method: 'eth_sendRawTransaction', heard: true },
  {
    after: 'watch',
    method: 'eth_getTransactionReceipt',
    heard: true,
    when: (result) => result !== null,
  },
]

if (!hasAnvil) suite.comment('A chain needs anvil, which npm has for Linux x64 only.')
else {
  const stand = await startWithdrawals(file)
  const { at, api } = stand
  /** Cents that have left, for each test's comparison. */
  let left = 0

  const approved = async (own: Holder): Promise<string> => {
    const withdrawal = await beginWithdrawal(stand, own, CENTS)
    await approveOn(withdrawal.confirmation.url, own.passkey)
    return withdrawal.id
  }
  const statusOf = async (id: string) => (await api.get('payment_withdrawals/' + id)).status

  /** `count` withdrawals of the holder have left, each once. */
  const leftOnce = async (t: Test, own: Holder, count: number): Promise<void> => {
    left += count * CENTS
    const [rest, home] = await unitsOf(at, [own.address, HOME])
    t.equal(rest, unitsOfCents(FUNDED_CENTS - count * CENTS), 'the account has the rest')
    t.equal(home, unitsOfCents(left), 'each sum left once')
    t.match(await api.get('payment_accounts/' + own.id), {
      ...{ balance_cents: FUNDED_CENTS - count * CENTS, leaving_cents: 0 },
    })
    t.equal((await ledgerCents(api.sql))['leaving'] ?? 0, 0, 'nothing is on its way by the ledger')
    t.match(await api.operate('GET', '/chains/sandbox'), {
      body: { stopped: null, exceptions: [] },
    })
  }

  test('a reorganization before finality is no event, and the sum leaves once', async (t) => {
    const own = await openHolder(stand, FUNDED_CENTS)
    for (const depth of [1, 2]) {
      const id = await approved(own)
      await at.round()
      await at.mine(1)
      await at.round()
      t.equal(await statusOf(id), 'included')
      if (depth === 2) await at.mine(1)
      await at.ask('anvil_reorg', [depth, []])
      await at.round()
      t.equal(await statusOf(id), 'submitted', 'the same bytes are sent again')
      await settleAll(stand)
      t.equal(await statusOf(id), 'completed')
    }
    await leftOnce(t, own, 2)
  })

  test('a database older than the chain adopts the withdrawal that it finds there', async (t) => {
    const own = await openHolder(stand, FUNDED_CENTS)
    const id = await approved(own)
    await at.round()
    await at.mine(3)
    // The database as it was before the signature.
    await at.sql`delete from settlement_attempts where withdrawal_id = ${id}`
    await at.sql`update settlement_wallets set next_nonce = next_nonce - 1`
    await at.sql`
      update payment_withdrawals set status = 'pending', transaction_hash = null where id = ${id}`
    await at.round()
    await at.round()
    t.equal(await statusOf(id), 'completed')
    await leftOnce(t, own, 1)
  })

  test('a withdrawal that an earlier primary sent lands at the nonce of another', async (t) => {
    const [own, other] = [
      await openHolder(stand, FUNDED_CENTS),
      await openHolder(stand, FUNDED_CENTS),
    ]
    const id = await approved(own)
    await at.round()
    // A standby of PostgreSQL takes over without the send.
    const [sent] = await at.sql<{ signed: Buffer }[]>`
      delete from settlement_attempts where withdrawal_id = ${id} returning signed`
    await at.sql`update settlement_wallets set next_nonce = next_nonce - 1`
    await at.sql`
      update payment_withdrawals set status = 'pending', transaction_hash = null where id = ${id}`
    await at.ask('anvil_dropAllTransactions', [])
    // The rehearsal refuses it while another one takes the nonce.
    await at.sandbox.callToken('setBlocked', [own.address, true])
    const next = await approved(other)
    await at.round()
    t.equal(await statusOf(id), 'pending')
    t.equal(await statusOf(next), 'submitted')
    await at.ask('anvil_dropAllTransactions', [])
    await at.sandbox.callToken('setBlocked', [own.address, false])
    await at.ask('eth_sendRawTransaction', ['0x' + sent?.signed.toString('hex')])
    await at.mine(1)
    for (let time = 0; time < 2; time++) await settleAll(stand)
    t.equal(await statusOf(id), 'completed')
    t.equal(await statusOf(next), 'completed')
    left += CENTS
    await leftOnce(t, own, 1)
    t.match(await api.get('payment_accounts/' + other.id), {
      ...{ balance_cents: FUNDED_CENTS - CENTS, leaving_cents: 0 },
    })
  })

  test('a withdrawal whose transaction the pool dropped is sent again at higher fees', async (t) => {
    const own = await openHolder(stand, FUNDED_CENTS)
    const id = await approved(own)
    await at.round()
    await at.ask('anvil_dropAllTransactions', [])
    await at.mine(4)
    await at.round()
    const attempts = await at.sql<{ nonce: number; signed: Buffer }[]>`
      select nonce, signed from settlement_attempts where withdrawal_id = ${id} order by attempt`
    t.equal(attempts.length, 2)
    t.equal(new Set(attempts.map(({ nonce }) => nonce)).size, 1, 'at the same nonce')
    // The older one is mined after all.
    await at.ask('anvil_dropAllTransactions', [])
    await at.ask('eth_sendRawTransaction', ['0x' + attempts[0]?.signed.toString('hex')])
    await settleAll(stand)
    t.equal(await statusOf(id), 'completed')
    await leftOnce(t, own, 1)
  })

  test('a refused withdrawal whose rehearsal passes later is refused no more', async (t) => {
    const own = await openHolder(stand, FUNDED_CENTS)
    const id = await approved(own)
    const refused = async () => {
      const [row] = await at.sql<{ since: number | null }[]>`
        select refused_since as since from payment_withdrawals where id = ${id}`
      return row?.since
    }
    await at.sandbox.callToken('setBlocked', [own.address, true])
    await at.round()
    t.equal(await refused(), at.clock.nowMs)
    await at.sandbox.callToken('setBlocked', [own.address, false])
    const { signer } = at.line
    const away = () => Promise.reject(new Error('away'))
    at.line.signer = { address: signer.address, signTransaction: away }
    await at.round()
    t.equal(await refused(), null, 'the rehearsal passed, and only the signer is away')
    at.line.signer = signer
    await settleAll(stand)
    t.equal(await statusOf(id), 'completed')
    await leftOnce(t, own, 1)
  })

  // The processes begin epochs of their own, after which the rounds above could write no more.
  test('a settler that is killed after each step of a withdrawal pays it once', async (t) => {
    const own = await openHolder(stand, FUNDED_CENTS)
    const fake = await startRpcFake(at.url)
    t.teardown(() => fake.close())
    const settler = settlerOf(t, at, fake.url)
    const landed = (id: string) =>
      happens(async () => {
        await at.mine(1)
        return (await statusOf(id)) === 'completed'
      })
    for (const point of KILL_POINTS) {
      const id = await approved(own)
      t.ok(await killAt(fake, settler, at, point), 'killed after ' + point.after)
      const next = settler.start()
      t.ok(await landed(id), 'landed after ' + point.after)
      next.kill('SIGKILL')
      await next.gone
    }
    await leftOnce(t, own, KILL_POINTS.length)
  })

  test('the key of the sponsor is in no line of the API and in no dump', async (t) => {
    const key = await sponsorKey(at)
    t.match(key, /^0x[0-9a-f]{64}$/)
    const [log, dump] = [stand.lines.join('\n'), await dumpOf(at.sql)]
    t.ok(stand.lines.length > 10, 'the API wrote lines')
    t.ok(dump.includes(at.line.signer.address), 'the dump has the wallet')
    for (const form of formsOf(key)) {
      t.notOk(log.includes(form), 'in no line of the log')
      t.notOk(dump.includes(form), 'in no row')
    }
  })
}
