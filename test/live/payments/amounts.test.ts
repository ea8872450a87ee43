// The largest amounts that a call may name.
import { test } from 'tap'
import { openPayments } from '../../harness/payments.ts'
import { file } from '../../harness/per-file.ts'

const MAX = Number.MAX_SAFE_INTEGER
const HOME = '0x52908400098527886E0F7030069857D2E4169EE7'

const api = await openPayments(file, {
  decidePayment: async () => ({ state: 'away' }),
  withdrawalNonce: async () => 0,
})

test('payments of the largest amount that wait leave nothing to withdraw', async (t) => {
  const { id } = await api.openAccount(5000)
  const settlement_account_id = await api.seedPayee()
  const terms = { payment_account_id: id, settlement_account_id, amount_cents: MAX }
  for (let made = 0; made < 2; made++) t.equal((await api.post('payments', terms)).status, 503)
  const withdrawal = { amount_cents: 1, to_address: HOME }
  t.match(await api.post('payment_accounts/' + id + '/withdrawals', withdrawal), {
    ...{ status: 409, body: { error: { code: 'amount_not_available', available_cents: 0 } } },
  })
  t.equal((await api.post('payments', { ...terms, amount_cents: MAX + 1 })).status, 400)
  t.equal((await api.post('payments', { ...terms, amount_cents: 0 })).status, 400)
})
