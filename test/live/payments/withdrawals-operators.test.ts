// Operators read withdrawals of every tenant and cancel them, on a real node: the money stays where
// the cancellation is faster, and leaves once where it is not.
import { t as suite, type Test, test } from 'tap'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { approveOn } from '../../../scripts/holder-peer/pages.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { Answer } from '../../harness/api.ts'
import { file } from '../../harness/per-file.ts'
import { unitsOf } from '../../harness/settlement.ts'
import {
  beginWithdrawal,
  type Holder,
  openHolder,
  settleAll,
  startWithdrawals,
} from '../../harness/withdrawals.ts'

const CENTS = 1000
const LIST = '/payment_withdrawals'

if (!hasAnvil) suite.comment('A chain needs anvil, which npm has for Linux x64 only.')
else {
  const stand = await startWithdrawals(file)
  const { at, api } = stand

  const approved = async (own: Holder): Promise<string> => {
    const withdrawal = await beginWithdrawal(stand, own, CENTS)
    await approveOn(withdrawal.confirmation.url, own.passkey)
    return withdrawal.id
  }
  const cancel = (id: string): Promise<Answer> => api.operate('POST', LIST + '/' + id + '/cancel')
  const read = (id: string) => api.get('payment_withdrawals/' + id)

  /** Sends the stored release, or the empty transaction that cancels it, by another way. */
  const sendRaw = async (isRelease: boolean): Promise<void> => {
    const [attempt] = await at.sql<{ signed: Buffer }[]>`
      select signed from settlement_attempts
      where final_block is null and (withdrawal_id is not null) = ${isRelease}`
    await at.ask('eth_sendRawTransaction', ['0x' + attempt?.signed.toString('hex')])
  }

  /** The whole sum is there and free, by chain, ledger and resource. */
  const stayed = async (t: Test, own: Holder, id: string): Promise<void> => {
    t.match(await read(id), {
      ...{ status: 'failed', failure: { stage: 'cancelled', code: 'cancelled' } },
    })
    t.same(await unitsOf(at, [own.address]), [unitsOfCents(CENTS)])
    t.match(await api.get('payment_accounts/' + own.id), {
      ...{ balance_cents: CENTS, leaving_cents: 0, available_cents: CENTS },
    })
    t.match(
      await api.sql`select balance from ledger_accounts where owner_id = ${own.id}
        and kind = 'available'`,
      [{ balance: String(unitsOfCents(CENTS)) }],
    )
  }

  test('an operator lists withdrawals of every tenant and cancels one without an approval', async (t) => {
    const own = await openHolder(stand, CENTS)
    const [first, second] = [
      await beginWithdrawal(stand, own, CENTS),
      await beginWithdrawal(stand, own, 1),
    ]
    const listed = (await api.operate('GET', LIST + '?payment_account_id=' + own.id)).body
    t.same(
      listed.data.map(({ id }: { id: string }) => id),
      [second.id, first.id],
    )
    t.match(listed.data[0], { tenant_id: api.tenant.tenantId, confirmation: { url: null } })
    t.match((await cancel(first.id)).body, { status: 'canceled' })
    t.match(await read(first.id), { status: 'canceled' })
    t.match((await cancel(first.id)).body.error, {
      ...{ code: 'invalid_state', current_status: 'canceled' },
    })
    /** Ids that operators and the tenant read by a status. */
    const shown = async (status: string): Promise<string[][]> => {
      const query = LIST + '?status=' + status + '&payment_account_id=' + own.id
      const lists = [(await api.operate('GET', query)).body, await api.get(query.slice(1))]
      return lists.map(({ data }) => data.map(({ id }: { id: string }) => id))
    }
    t.same(await shown('canceled'), [[first.id], [first.id]])
    t.same(await shown('needs_confirmation'), [[second.id], [second.id]])
    t.same(await shown('expired'), [[], []])
    await api.sql`update payment_withdrawals set confirmation_expires_at = 1 where id = ${second.id}`
    t.same(await shown('expired'), [[second.id], [second.id]])
    t.same(await shown('needs_confirmation'), [[], []])
    const foreign = await api.operate('GET', LIST + '?tenant_id=' + api.other.tenantId)
    t.same(foreign.body.data, [])
    t.match(
      await api.sql`select tenant_id, actor_type, action from audit_log
        where resource_id = ${first.id} and actor_type = 'operator' order by tenant_id`,
      [api.tenant.tenantId, 'installation'].sort().map((tenant_id) => ({
        ...{ tenant_id, action: 'POST /operator/v1/payment_withdrawals/:id/cancel' },
      })),
    )
    t.match(await api.call('GET', '/operator/v1' + LIST), { status: 404 }, 'not a tenant’s call')
    t.match(await cancel('wdr_unknown'), { status: 404 })
    t.match((await api.operate('GET', LIST + '?status=lost')).body.error, {
      code: 'parameter_invalid',
    })
  })

  test('an approved withdrawal that is cancelled before its signature takes no nonce', async (t) => {
    const own = await openHolder(stand, CENTS)
    const nonce = async () => (await at.sql`select next_nonce from settlement_wallets`)[0]
    const id = await approved(own)
    const before = await nonce()
    t.match((await cancel(id)).body, { status: 'pending' })
    await settleAll(stand)
    await stayed(t, own, id)
    t.same(await nonce(), before)
    const again = await approved(own)
    await settleAll(stand)
    t.match(await read(again), { status: 'completed' }, 'the same nonce of the account is free')
    t.match((await cancel(again)).body.error, {
      ...{ code: 'invalid_state', current_status: 'completed' },
    })
  })

  test('a sent withdrawal that is cancelled gives its nonce up', async (t) => {
    const own = await openHolder(stand, CENTS)
    const id = await approved(own)
    await at.round()
    await at.ask('anvil_dropAllTransactions', [])
    t.match((await cancel(id)).body, { status: 'submitted' })
    await at.round()
    t.match(
      await at.sql`select withdrawal_id as of from settlement_attempts
        where final_block is null order by attempt`,
      [{ of: id }, { of: null }],
    )
    await settleAll(stand)
    await stayed(t, own, id)
    t.same(await at.sql`select 1 from settlement_attempts where final_block is null`, [])
    const again = await approved(own)
    await settleAll(stand)
    t.match(await read(again), { status: 'completed' })
    t.same(await unitsOf(at, [own.address]), [0n])
  })

  test('a cancelled withdrawal that the release before left on its way fails', async (t) => {
    const own = await openHolder(stand, CENTS)
    const id = await approved(own)
    await at.round()
    await at.ask('anvil_dropAllTransactions', [])
    await cancel(id)
    await at.round()
    await at.ask('anvil_dropAllTransactions', [])
    await sendRaw(false)
    await at.mine(3)
    // Such a settler lands the empty transaction as one of nothing, and leaves its nonce.
    await at.sql`update settlement_attempts set final_block = 1 where final_block is null`
    t.match(await read(id), { status: 'submitted' })
    await at.round()
    await stayed(t, own, id)
    const again = await approved(own)
    await settleAll(stand)
    t.match(await read(again), { status: 'completed' })
    t.same(await unitsOf(at, [own.address]), [0n])
  })

  test('a withdrawal that is faster than its cancellation leaves once', async (t) => {
    const own = await openHolder(stand, CENTS)
    const id = await approved(own)
    await at.round()
    await at.ask('anvil_dropAllTransactions', [])
    await cancel(id)
    await at.round()
    await at.ask('anvil_dropAllTransactions', [])
    await sendRaw(true)
    await at.mine(3)
    await at.round()
    t.match(await read(id), { status: 'completed', failure: null })
    t.same(await unitsOf(at, [own.address]), [0n])
    t.match(await api.operate('GET', '/chains/sandbox'), {
      body: { stopped: null, exceptions: [] },
    })
  })
}
