// The paid subscription: at once, or at the end of the trial, with a payment method.
import { type Test, test } from 'tap'
import { newId } from '../../../shared/id.ts'
import type { TestApi } from '../../harness/api.ts'
import {
  BILLED,
  changeBilling,
  closeMonths,
  DAY_MS,
  eventsAbout,
  moveSandbox,
  readBilling,
} from '../../harness/billing.ts'
import { startIssuingApi } from '../../harness/issuing.ts'

const STARTER = { plan: 'starter', interval: 'month', currency: 'USD' }

async function refused(t: Test, api: TestApi, body: object, code: string): Promise<void> {
  t.match((await changeBilling(api, 'POST subscription', body)).body, { error: { code } })
}

/** Without the processor's portal a row stands in for the card that a person adds there. */
async function addMethod({ sql, tenant, clock }: TestApi): Promise<void> {
  const id = newId('bpm', clock.nowMs)
  await sql`
    insert into billing_payment_methods (id, tenant_id, environment, processor_id, status, is_default,
      brand, last4, exp_month, exp_year, created_at)
    values (${id}, ${tenant.tenantId}, 'sandbox', ${'pm_' + id}, 'attached', true, 'visa', '4242', 12,
      2034, ${clock.nowMs})`
}

test('a subscription begins at once with an invoice of its base price', async (t) => {
  const api = await startIssuingApi(BILLED)
  await refused(t, api, STARTER, 'payment_method_required')
  await addMethod(api)
  await refused(t, api, { ...STARTER, plan: 'gold' }, 'parameter_invalid')
  await refused(t, api, { ...STARTER, plan: 'enterprise' }, 'feature_not_enabled')
  await refused(t, api, { ...STARTER, currency: 'GBP' }, 'parameter_invalid')
  await refused(t, api, { ...STARTER, starts: 'trial_end' }, 'invalid_state')
  const { status, body } = await changeBilling(api, 'POST subscription', STARTER)
  t.equal(status, 201)
  t.match(body, { status: 'active', plan: { key: 'starter' }, previous_plan: null })
  await refused(t, api, STARTER, 'invalid_state')
  const { data } = await readBilling(api, 'invoices')
  t.match(data, [{ ordinal: 0, total_cents: 4900, status: 'open', due_at: null }])
  t.type(data[0].next_attempt_at, 'number')
  const events = await eventsAbout(api, body.id)
  t.same(
    events.map(({ type, data: told }) => [type, told.subscription.status]),
    [['billing.plan_changed', 'active']],
  )
  await changeBilling(api, 'POST subscription/cancel')
  await moveSandbox(api, api.clock.nowMs + 31 * DAY_MS)
  await refused(t, api, { ...STARTER, currency: 'EUR' }, 'invalid_state')
  const again = await changeBilling(api, 'POST subscription', STARTER)
  t.match(again.body, { status: 'active', previous_plan: null })
  t.not(again.body.id, body.id)
})

test('a trial that is paid on begins at its end, with the plan that was chosen', async (t) => {
  const api = await startIssuingApi(BILLED)
  await addMethod(api)
  const { body: trial } = await changeBilling(api, 'POST trial', { plan: 'growth' })
  const chosen = { ...STARTER, starts: 'trial_end' }
  const { body } = await changeBilling(api, 'POST subscription', chosen)
  const pending = { plan: 'starter', interval: 'month', at: trial.trial.until }
  t.match(body, { id: trial.id, status: 'trialing', pending_change: pending })
  t.same((await readBilling(api, 'invoices')).data, [])
  await moveSandbox(api, trial.trial.until * 1000)
  await closeMonths(api)
  t.match(await readBilling(api, 'subscription'), {
    ...{ id: trial.id, status: 'active', plan: { key: 'starter' }, previous_plan: 'growth' },
    current_period: { from: trial.trial.until },
  })
  t.match((await readBilling(api, 'invoices')).data, [{ ordinal: 0, total_cents: 4900 }])
  const types = (await eventsAbout(api, trial.id)).map(({ type }) => type)
  t.same(types, ['billing.trial_started', 'billing.plan_changed'])
})
