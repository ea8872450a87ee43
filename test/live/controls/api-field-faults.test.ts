// Faults that no schema sees, all of them in one refusal, and the places where a card network's own
// numbers may stand.
import { test } from 'tap'
import { startTestApi } from '../../harness/api.ts'

const PAN = '4111111111111111'

test('one refusal names ten of twelve texts that cannot be kept or pass as card numbers', async (t) => {
  const api = await startTestApi()
  const { write: key } = api.tenant.keys
  const metadata = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => ['m' + index, index % 2 === 0 ? PAN : 'shop ' + PAN]),
  )
  const holder = { program_id: 'prg_1', name: 'x ' + PAN, email: 'ada@example.com' }
  const cards = { ...holder, external_id: PAN, metadata }
  const mixed = { ...cards, external_id: 'a\0' }
  const params = [
    'name',
    'external_id',
    ...Object.keys(metadata).map((name) => '/metadata/' + name),
  ]
  for (const body of [cards, mixed]) {
    const { status, body: answer, text } = await api.call('POST', '/v1/cardholders', { key, body })
    const { code, param, message, errors } = answer.error
    t.same([status, code, param], [400, 'parameter_invalid', 'name'])
    t.same(
      errors.map((fault: { param: string }) => fault.param),
      params.slice(0, 10),
    )
    t.same(errors[0], { code, param, message })
    t.match(errors[9].message, /number of a payment card/)
    t.notMatch(text, PAN)
  }
  const { body: answer } = await api.call('POST', '/v1/cardholders', { key, body: mixed })
  t.match(answer.error.errors[1].message, /characters or a form/)
})

test('the rule of a route and card numbers are told together', async (t) => {
  const api = await startTestApi()
  const body = { name: 'key ' + PAN, role: 'secret', scope: 'write', cidrs: ['1.2.3.4/99'] }
  const { body: answer } = await api.call('POST', '/v1/api_keys', {
    key: api.tenant.keys.admin,
    body,
  })
  t.same(
    answer.error.errors.map((fault: { param: string }) => fault.param),
    ['/cidrs/0', 'name'],
  )
})

test('a card number is refused where no number of a network is taken', async (t) => {
  const api = await startTestApi()
  const { read: key, write } = api.tenant.keys
  const filtered = async (path: string) => {
    const { status, body, text } = await api.call('GET', path + PAN, { key })
    t.notMatch(text, PAN)
    return [status, status === 200 ? null : body.error.param]
  }
  t.same(await filtered('/v1/card_transactions?merchant_id='), [400, 'merchant_id'])
  t.same(await filtered('/v1/card_transactions?network_transaction_id='), [200, null])
  t.same(await filtered('/v1/clearing_exceptions?message_id='), [200, null])
  const body = { program_id: 'prg_1', name: 'Ada', metadata: { merchant_id: PAN, id: 'a' + PAN } }
  const refused = await api.call('POST', '/v1/cardholders', { key: write, body })
  t.same(
    refused.body.error.errors.map((fault: { param: string }) => fault.param),
    ['/metadata/merchant_id', '/metadata/id'],
  )
})
