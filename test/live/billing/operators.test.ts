// Operators correct usage, give credit and void invoices: each changes what is owed, and is told.
import { test } from 'tap'
import type { Answer } from '../../harness/api.ts'
import {
  BILLED,
  catchUp,
  closeMonths,
  countUsage,
  moveSandbox,
  provision,
  readBilling,
} from '../../harness/billing.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { seedOperator } from '../../harness/operator.ts'

const error = (code: string): object => ({ body: { error: { code } } })

test('a correction, a credit and a void change what is owed', async (t) => {
  const api = await startIssuingApi(BILLED)
  const key = await seedOperator(api.sql)
  const tenant = '/operator/v1/tenants/' + api.tenant.tenantId
  const operate = (path: string, body?: object): Promise<Answer> =>
    api.call('POST', path, { key, ...(body && { body }) })
  const by = { environment: 'sandbox', reason: 'Doubled by a test run' }
  const adjust = (quantity: unknown, more: object = {}): Promise<Answer> =>
    operate(tenant + '/usage_adjustments', {
      ...{ ...by, month: 0, meter: 'authorizations', quantity },
      ...more,
    })
  t.match(await adjust(-1), error('invalid_state'))
  await moveSandbox(api, '2026-12-01T00:00:00Z')
  await provision(api)
  const at = Date.parse('2026-12-05T00:00:00Z')
  await seedTransactions(api.sql, api.tenant, { count: 12_345, at })
  await countUsage(api)
  for (const bad of [0, 1.5, 2 ** 53, -(2 ** 53), -12_346, 'x'])
    t.match(await adjust(bad), error('parameter_invalid'), String(bad))
  t.match(await adjust(1, { month: 1 }), error('parameter_invalid'))
  t.match(await adjust(1, { meter: 'wings' }), error('parameter_invalid'))
  await moveSandbox(api, '2027-01-01T00:00:00Z')
  await closeMonths(api)
  await catchUp(api)
  await closeMonths(api)
  const { status, body: adjusted } = await adjust(-500)
  t.equal(status, 201)
  t.match(adjusted, { month: 0, quantity: -500, corrected_quantity: 11_845 })
  const { data } = await readBilling(api, 'usage?month=0')
  t.match(data[0], { quantity: 11_845, adjusted: -500, amount_cents: 1661 })
  const credits = tenant + '/billing_credits'
  t.match(await operate(credits, { ...by, amount_cents: 0 }), error('parameter_invalid'))
  const credited = await operate(credits, { ...by, amount_cents: 1000 })
  t.match(credited.body, { credit_cents: 1000 })
  await moveSandbox(api, '2027-02-01T00:00:00Z')
  await closeMonths(api)
  await catchUp(api)
  await closeMonths(api)
  const invoices = (await readBilling(api, 'invoices?order=asc')).data
  const third = invoices[2]
  t.same(
    third.lines.map(({ kind, amount_cents }: Answer['body']) => [kind, amount_cents]),
    [
      ['base', 4900],
      ['correction', -450],
      ['credit', -1000],
    ],
  )
  t.match(third, { total_cents: 3450, status: 'open' })
  const voiding = '/operator/v1/invoices/' + third.id + '/void'
  const { body: voided } = await operate(voiding)
  t.match(voided, { id: third.id, status: 'void', next_attempt_at: null })
  t.match(await operate(voiding), error('invalid_state'))
  t.match(await operate('/operator/v1/invoices/inv_none/void'), error('resource_missing'))
  const log = await api.call('GET', '/v1/audit_log?limit=3', { key: api.tenant.keys.admin })
  const told = log.body.data.map(({ resource_id }: Answer['body']) => resource_id)
  t.ok(told.includes(third.id), 'the tenant reads who changed what')
})
