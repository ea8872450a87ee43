import { test } from 'tap'
import { RULE_CATALOG } from '../../../shared/rule-catalog.ts'
import type { EvaluateAnswer } from '../../../shared/wire/control.ts'
import { type Answer, startTestApi, type TestApi } from '../../harness/api.ts'

const MERCHANT = { id: 'm-1', mcc: '5411', country: 'US' }
const ANSWER: EvaluateAnswer = {
  approved: false,
  approved_amount_cents: 0,
  response_code: '57',
  decline_reason: 'merchant_category_blocked',
  decline_detail: 'card:ctl_1',
  trace: [[RULE_CATALOG.merchant_category_allowed.number, 1, 1, 'card', 'block', '5411', true]],
  max_approvable_amount_cents: 900,
  would_ask: true,
  shadow: [{ controlId: 'ctl_2', version: 3, reason: 'limit_daily' }],
  config: {
    program_version: 4,
    cardholder_version: 5,
    card_version: 6,
    controls_versions: [0, 0, 7],
    engine_build: 'build',
  },
}

function evaluate(api: TestApi, body: unknown, cardId = api.tenant.cardId): Promise<Answer> {
  return api.call('POST', '/v1/cards/' + cardId + '/evaluate', { key: api.tenant.keys.read, body })
}

test('the engine gets a whole message, and its answer is shown in words', async (t) => {
  const api = await startTestApi()
  const { cardId } = api.tenant
  api.engine.evaluation = ANSWER
  const answer = await evaluate(api, {
    amount_cents: 1000,
    merchant: MERCHANT,
    entry_method: 'chip',
    recurring: true,
  })
  t.equal(answer.status, 200, answer.text)
  t.same(answer.body, {
    object: 'card_evaluation',
    card_id: cardId,
    approved: false,
    approved_amount_cents: 0,
    response_code: '57',
    decline_reason: 'merchant_category_blocked',
    decline_detail: 'card:ctl_1',
    retry_advice: 'never',
    currency: 'USD',
    max_approvable_amount_cents: 900,
    would_ask: true,
    trace: [
      {
        rule_id: 'merchant_category_allowed',
        rule_version: 1,
        verdict: 'fail',
        inputs: { scope: 'card', mode: 'block', mcc: '5411', listed: true },
      },
    ],
    shadow: [{ spending_control_id: 'ctl_2', version: 3, decline_reason: 'limit_daily' }],
    config: {
      program_version: 4,
      cardholder_state_version: 5,
      card_state_version: 6,
      controls_version: { program: 0, cardholder: 0, card: 7 },
      engine_build: 'build',
    },
  })
  const [request] = api.engine.evaluated
  t.match(request, {
    card_id: cardId,
    environment: 'sandbox',
    message: {
      kind: 'authorization',
      amount_cents: 1000,
      currency: 'USD',
      card: { token: 'tok_' + cardId, exp_month: 12, exp_year: 2030 },
      merchant: { ...MERCHANT, city: '' },
      entry_method: 'chip',
      recurring: true,
      transmitted_at: '2026-11-20T12:01:00.000Z',
    },
  })
  t.equal(api.engine.asked.length, 0, 'nothing was changed that would have to be waited for')
  t.same(await api.sql`select 1 from events where tenant_id = ${api.tenant.tenantId}`, [])
})

test('an approval has no reason and no advice', async (t) => {
  const api = await startTestApi()
  api.engine.evaluation = {
    ...ANSWER,
    approved: true,
    approved_amount_cents: 10,
    response_code: '00',
    decline_reason: null,
    decline_detail: null,
  }
  const { body } = await evaluate(api, { amount_cents: 10, currency: 'EUR', merchant: MERCHANT })
  t.match(body, { approved: true, currency: 'EUR', decline_reason: null, retry_advice: null })
})

test('an engine without an answer is 503, whatever its reason', async (t) => {
  const api = await startTestApi()
  for (const status of [404, 409, 500, 503]) {
    api.engine.evaluation = status
    const answer = await evaluate(api, { amount_cents: 1, merchant: MERCHANT })
    t.equal(answer.status, 503)
    t.equal(answer.body.error.code, 'dependency_unavailable')
    t.equal(answer.headers.get('retry-after'), '1')
  }
  api.engine.evaluation = 400
  t.equal((await evaluate(api, { amount_cents: 1, merchant: MERCHANT })).status, 500)
})

test('an invalid request is refused by field before the engine is asked', async (t) => {
  const api = await startTestApi()
  const table: [object, string][] = [
    [{ merchant: MERCHANT }, 'amount_cents'],
    [{ amount_cents: 1 }, 'merchant'],
    [{ amount_cents: -1, merchant: MERCHANT }, 'amount_cents'],
    [{ amount_cents: 1.5, merchant: MERCHANT }, 'amount_cents'],
    [{ amount_cents: 1, merchant: { ...MERCHANT, mcc: '541' } }, '/merchant/mcc'],
    [{ amount_cents: 1, merchant: { ...MERCHANT, id: 'a\nb' } }, '/merchant/id'],
    [{ amount_cents: 1, merchant: { ...MERCHANT, colour: 'red' } }, '/merchant/colour'],
    [{ amount_cents: 1, merchant: MERCHANT, wallet: { token_id: 't', a: 1 } }, '/wallet/a'],
    [{ amount_cents: 1, merchant: MERCHANT, three_ds: { claim: 'failed', a: 1 } }, '/three_ds/a'],
    [
      { amount_cents: 1, merchant: MERCHANT, billing: { amount_cents: 1, currency: 'USD', a: 1 } },
      '/billing/a',
    ],
    [{ amount_cents: 1, merchant: MERCHANT, currency: 'usd' }, 'currency'],
    [{ amount_cents: 1, merchant: MERCHANT, kind: 'capture' }, 'kind'],
    [{ amount_cents: 1, merchant: MERCHANT, kind: 'balance_inquiry' }, 'amount_cents'],
    [{ amount_cents: 1, merchant: MERCHANT, card: {} }, 'card'],
  ]
  for (const [body, param] of table) {
    const answer = await evaluate(api, body)
    t.same([answer.status, answer.body.error?.param], [400, param], JSON.stringify(body))
  }
  t.equal(
    (await evaluate(api, { amount_cents: 1, merchant: MERCHANT }, api.other.cardId)).status,
    404,
  )
  t.equal(api.engine.evaluated.length, 0)
})
