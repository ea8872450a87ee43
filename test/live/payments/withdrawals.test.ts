// Withdrawals on a real node, API, engine and database: through the service, by the holder without
// it, and the comparison of ledger and chain that both must pass.
import { t as suite, test } from 'tap'
import { hasAnvil } from '../../../scripts/chain-peer/anvil.ts'
import { requestAll, withdrawOwn } from '../../../scripts/chain-peer/own-withdrawal.ts'
import { readWithdrawalStory, withdrawalTimeline } from '../../../scripts/explain/holder-story.ts'
import { storyKind } from '../../../scripts/explain/payment-story.ts'
import { plainText } from '../../../scripts/explain/style.ts'
import { approveOn, challengeOn, denyOn, submit } from '../../../scripts/holder-peer/pages.ts'
import { createPasskey } from '../../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../../shared/clock.ts'
import { unitsOfCents } from '../../../shared/token-units.ts'
import type { Answer } from '../../harness/api.ts'
import { confirmedAnswer } from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'
import { ledgerCents, unitsOf } from '../../harness/settlement.ts'
import { until } from '../../harness/until.ts'
import {
  beginWithdrawal,
  HOME,
  type Holder,
  openHolder,
  settleAll,
  startWithdrawals,
  type WithdrawalStand,
} from '../../harness/withdrawals.ts'

type Body = Answer['body']

const DAYS_9_S = 9 * 86_400

/** A payment of the holder that the engine authorized; the engine may learn of funds late. */
async function authorized(
  { api }: WithdrawalStand,
  { id }: Holder,
  amount_cents: number,
): Promise<Body> {
  const settlement_account_id = await api.seedPayee()
  let payment: Body = {}
  await until(async () => {
    const terms = { payment_account_id: id, settlement_account_id, amount_cents }
    payment = (await api.post('payments', terms)).body
    return payment.status === 'needs_confirmation'
  })
  return payment
}

if (!hasAnvil) suite.comment('A chain needs anvil, which npm has for Linux x64 only.')
else {
  const stand = await startWithdrawals(file)
  const { at, api } = stand

  test('a holder withdraws through the service, approved on the page', async (t) => {
    const own = await openHolder(stand, 5000)
    const withdrawal = await beginWithdrawal(stand, own, 2000)
    const path = 'payment_withdrawals/' + withdrawal.id
    t.match(withdrawal, {
      ...{ id: /^wdr_/, object: 'payment_withdrawal', status: 'needs_confirmation' },
      ...{ payment_account_id: own.id, amount_cents: 2000, to_address: HOME },
      confirmation: { url: /\/pay\/[\w-]{43}$/, confirmed_at: null },
      ...{ withdrawal_hash: /^0x[0-9a-f]{64}$/, transaction_hash: null, failure: null },
    })
    const { url } = withdrawal.confirmation
    t.match(
      await (await fetch(url)).text(),
      new RegExp('Withdraw this sum[^]*\\$20\\.00[^]*' + HOME),
    )
    const challenge = await challengeOn(url)
    t.equal('0x' + challenge.toString('hex'), withdrawal.withdrawal_hash)
    const unverified = own.passkey.assert(challenge, { flags: 0x01 })
    t.match((await api.post(path + '/confirm', unverified)).body.error, {
      code: 'assertion_invalid',
      reason: 'user_verified',
    })
    const stranger = createPasskey(api.url).assert(challenge)
    t.match((await api.post(path + '/confirm', stranger)).body.error, { reason: 'credential' })
    t.match(await api.get(path), { status: 'needs_confirmation' })
    t.match((await approveOn(url, own.passkey)).text, /You approved this withdrawal/)
    t.match(await api.get(path), { status: 'pending', confirmation: { confirmed_at: /Z$/ } })
    t.match(await api.get('payment_accounts/' + own.id), {
      ...{ balance_cents: 5000, leaving_cents: 2000, available_cents: 3000 },
    })
    await at.round()
    t.match(await api.get(path), { status: 'submitted', transaction_hash: /^0x[0-9a-f]{64}$/ })
    await at.mine(1)
    await at.round()
    t.match(await api.get(path), { status: 'included' }, 'not final yet')
    await settleAll(stand)
    t.match(await api.get(path), { status: 'completed', block_number: Number, failure: null })
    t.same(await unitsOf(at, [own.address, HOME]), [unitsOfCents(3000), unitsOfCents(2000)])
    t.match(await api.get('payment_accounts/' + own.id), {
      ...{ balance_cents: 3000, leaving_cents: 0, available_cents: 3000, status: 'active' },
    })
    t.match(await ledgerCents(api.sql), { available: 3000, leaving: 0, world: -3000 })
    t.match(
      await api.sql`
        select actor_type, action from audit_log where resource_id = ${withdrawal.id} order by seq`,
      [
        { action: 'POST /v1/payment_accounts/:id/withdrawals' },
        { actor_type: 'holder', action: 'holder approves a withdrawal' },
      ],
    )
    const { tenant, databaseUrl } = api
    const sources = { apiUrl: api.url, key: tenant.keys.read, dataDir: '/nowhere', databaseUrl }
    const story = await readWithdrawalStory(sources, withdrawal.id)
    const text = story.ok ? withdrawalTimeline(story.value, plainText) : story.error
    t.equal(storyKind(withdrawal.id), 'withdrawal')
    t.match(text, withdrawal.id + '  completed\n20.00 USD from ' + own.id + ' to ' + HOME)
    for (const sentence of [
      'signature holds',
      'is the digest of the stored terms',
      'final at block',
    ])
      t.match(text, sentence)
    t.notMatch(text, /undefined|NaN/)
    const again = own.passkey.assert(challenge)
    t.match(await api.post(path + '/confirm', again), { status: 409 }, 'confirmed once')
    const listed = await api.get(
      'payment_withdrawals?status=completed&payment_account_id=' + own.id,
    )
    t.same(
      listed.data.map(({ id }: { id: string }) => id),
      [withdrawal.id],
    )
  })

  test('a second withdrawal signs the next nonce, and an old assertion moves nothing', async (t) => {
    const own = await openHolder(stand, 3000)
    const [first, second] = [
      await beginWithdrawal(stand, own, 1000),
      await beginWithdrawal(stand, own, 1000),
    ]
    t.equal(first.withdrawal_hash, second.withdrawal_hash, 'same terms at the same nonce')
    await approveOn(first.confirmation.url, own.passkey)
    const busy = own.passkey.assert(await challengeOn(second.confirmation.url))
    t.match(
      (await api.post('payment_withdrawals/' + second.id + '/confirm', busy)).body.error,
      { code: 'invalid_state' },
      'one at a time',
    )
    await settleAll(stand)
    t.match(await api.get('payment_withdrawals/' + first.id), { status: 'completed' })
    t.match(
      (await api.post('payment_withdrawals/' + second.id + '/confirm', busy)).body.error,
      { code: 'assertion_invalid', reason: 'chain' },
      'the contract refuses a used nonce',
    )
    const third = await beginWithdrawal(stand, own, 1000)
    t.not(third.withdrawal_hash, first.withdrawal_hash)
    await approveOn(third.confirmation.url, own.passkey)
    await settleAll(stand)
    t.match(await api.get('payment_withdrawals/' + third.id), { status: 'completed' })
    t.same(await unitsOf(at, [own.address]), [unitsOfCents(1000)])
  })

  test('held money does not leave, and the engine approves nothing that leaves', async (t) => {
    const own = await openHolder(stand, 4000)
    await authorized(stand, own, 3000)
    const path = 'payment_accounts/' + own.id + '/withdrawals'
    const refused = await api.post(path, { amount_cents: 1001, to_address: HOME })
    t.match(refused.body.error, { code: 'amount_not_available', available_cents: 1000 })
    const withdrawal = await beginWithdrawal(stand, own, 1000)
    await approveOn(withdrawal.confirmation.url, own.passkey)
    const settlement_account_id = await api.seedPayee()
    const terms = { payment_account_id: own.id, settlement_account_id, amount_cents: 1 }
    t.match((await api.post('payments', terms)).body, {
      ...{ status: 'risk_declined', decline_reason: 'insufficient_funds' },
    })
    await settleAll(stand)
    t.match(await api.get('payment_withdrawals/' + withdrawal.id), { status: 'completed' })
    t.match((await api.post('payments', terms)).body, { status: 'risk_declined' }, 'still held')
  })

  test('a withdrawal that the token refuses fails, and its money is available again', async (t) => {
    const own = await openHolder(stand, 1000)
    const withdrawal = await beginWithdrawal(stand, own, 700)
    await approveOn(withdrawal.confirmation.url, own.passkey)
    await at.sandbox.callToken('setBlocked', [own.address, true])
    at.clock.nowMs = systemClock.nowMs()
    await at.round()
    at.clock.nowMs += 6000
    await at.round()
    t.match(await api.get('payment_withdrawals/' + withdrawal.id), {
      status: 'failed',
      failure: { stage: 'rehearsal' },
    })
    t.match(await api.get('payment_accounts/' + own.id), {
      leaving_cents: 0,
      available_cents: 1000,
    })
    await at.sandbox.callToken('setBlocked', [own.address, false])
    await authorized(stand, own, 1000)
  })

  test('a check that was cut off is finished by the job', async (t) => {
    const own = await openHolder(stand, 1000)
    const withdrawal = await beginWithdrawal(stand, own, 600)
    const sent = own.passkey.assert(await challengeOn(withdrawal.confirmation.url))
    const { authenticator_data, client_data_json: client_data, signature } = sent
    const assertion = JSON.stringify({ authenticator_data, client_data, signature })
    await api.sql`
      update payment_withdrawals set status = 'checking', confirmed_at = 1,
        assertion = ${assertion}::text::jsonb
      where id = ${withdrawal.id}`
    await api.sql`
      update payment_accounts set leaving_cents = 600, funded_cents = funded_cents - 600
      where id = ${own.id}`
    await api.runJob()
    t.match(await api.get('payment_withdrawals/' + withdrawal.id), { status: 'pending' })
    t.match(
      await api.sql`select balance from ledger_accounts where owner_id = ${own.id}
        and kind = 'leaving'`,
      [{ balance: String(unitsOfCents(600)) }],
    )
    await settleAll(stand)
    t.match(await api.get('payment_withdrawals/' + withdrawal.id), { status: 'completed' })
  })

  test('the telephone of the sandbox answers the next withdrawal', async (t) => {
    const own = await openHolder(stand, 1000)
    stand.told.length = 0
    const withdrawal = await beginWithdrawal(stand, own, 100)
    t.same(stand.told, [['sandbox', withdrawal.confirmation.url]], 'it is handed the link')
    await approveOn(stand.told[0]?.[1] ?? '', own.passkey)
    await settleAll(stand)
    t.match(await api.get('payment_withdrawals/' + withdrawal.id), { status: 'completed' })
  })

  test('an account without money closes, and what arrives later is withdrawn', async (t) => {
    const own = await openHolder(stand, 1000)
    const path = 'payment_accounts/' + own.id
    const close = () => confirmedAnswer(api, path + '/close')
    t.match((await close()).body.error, { code: 'invalid_state', current_status: 'funded' })
    const withdrawal = await beginWithdrawal(stand, own, 1000)
    await approveOn(withdrawal.confirmation.url, own.passkey)
    await settleAll(stand)
    t.match(await close(), { status: 200, body: { status: 'closed', balance_cents: 0 } })
    await at.sandbox.callToken('mint', [own.address, unitsOfCents(300)])
    await at.mine(3)
    await at.round()
    t.match(await api.get(path), { status: 'closed', balance_cents: 300 })
    const later = await beginWithdrawal(stand, own, 300)
    await approveOn(later.confirmation.url, own.passkey)
    await settleAll(stand)
    t.match(await api.get('payment_withdrawals/' + later.id), { status: 'completed' })
    t.same(await unitsOf(at, [own.address]), [0n])
  })

  test('denied, canceled and late withdrawals move nothing', async (t) => {
    const own = await openHolder(stand, 1000)
    const denied = await beginWithdrawal(stand, own, 100)
    t.match((await denyOn(denied.confirmation.url)).text, /No money leaves/)
    t.match(await api.get('payment_withdrawals/' + denied.id), { status: 'canceled' })
    const canceled = await beginWithdrawal(stand, own, 100)
    const path = 'payment_withdrawals/' + canceled.id
    t.match((await api.post(path + '/cancel')).body, { status: 'canceled' })
    t.match(await api.post(path + '/confirmation_links'), { status: 409 })
    const late = await beginWithdrawal(stand, own, 100)
    const { url } = (await api.post('payment_withdrawals/' + late.id + '/confirmation_links')).body
      .confirmation
    t.match((await submit(late.confirmation.url, { decision: 'deny' })).status, 404)
    await api.sql`update payment_withdrawals set confirmation_expires_at = 1 where id = ${late.id}`
    t.match(await api.get('payment_withdrawals/' + late.id), { status: 'expired' })
    t.match(await (await fetch(url)).text(), /No money leaves/)
    t.match(await api.get('payment_accounts/' + own.id), { leaving_cents: 0 })
  })

  test('bad input of withdrawals is refused with its code', async (t) => {
    const own = await openHolder(stand, 1000)
    const path = 'payment_accounts/' + own.id + '/withdrawals'
    const refused: [object, object][] = [
      [{ amount_cents: 0 }, { code: 'parameter_invalid', param: 'amount_cents' }],
      [{ amount_cents: 1.5 }, { code: 'parameter_invalid', param: 'amount_cents' }],
      [{ to_address: HOME.toLowerCase() }, { code: 'address_refused', reason: 'checksum' }],
      [{ to_address: at.config.token }, { code: 'address_refused' }],
      [{ to_address: own.address }, { code: 'address_refused', reason: 'holder' }],
      [{ confirmation_expires_in: 59 }, { code: 'parameter_invalid' }],
    ]
    for (const [field, error] of refused)
      t.match(
        (await api.post(path, { amount_cents: 100, to_address: HOME, ...field })).body.error,
        error,
      )
    t.match(
      await api.post('payment_accounts/pacc_none/withdrawals', {
        amount_cents: 1,
        to_address: HOME,
      }),
      {
        status: 404,
      },
    )
  })

  test('a holder who withdraws without the service has everything, and settling goes on', async (t) => {
    const own = await openHolder(stand, 2000)
    await requestAll(at, own, HOME)
    await at.mine(3)
    await at.round()
    t.match(await api.get('payment_accounts/' + own.id), {
      leaving_cents: 2000,
      available_cents: 0,
    })
    const settlement_account_id = await api.seedPayee()
    const terms = { payment_account_id: own.id, settlement_account_id, amount_cents: 1 }
    await until(async () => (await api.post('payments', terms)).body.status === 'risk_declined')
    await at.ask('evm_increaseTime', [DAYS_9_S])
    await at.mine(1)
    const before = (await unitsOf(at, [HOME]))[0] ?? 0n
    await withdrawOwn(at, own)
    await at.mine(3)
    await at.round()
    const [left = 1n, home = 0n] = await unitsOf(at, [own.address, HOME])
    t.same([left, home - before], [0n, unitsOfCents(2000)])
    t.match(await api.get('payment_accounts/' + own.id), {
      ...{ status: 'active', balance_cents: 0, leaving_cents: 0 },
    })
    t.match(await api.operate('GET', '/chains/sandbox'), {
      body: { stopped: null, exceptions: [] },
    })
  })
}
