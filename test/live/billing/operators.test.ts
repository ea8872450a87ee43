// Operators correct usage, give credit and void invoices: each changes what is owed, and is told.
import { test } from 'tap'
import type { Answer } from '../../harness/api.ts'
import {
  BILLED,
  CONTRACT,
  catchUp,
  closeMonths,
  countUsage,
  moveSandbox,
  provision,
  readBilling,
} from '../../harness/billing.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { runOperator } from '../../harness/installation.ts'
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
  t.match(await readBilling(api, 'subscription'), { credit_cents: 1000 }, 'it is not used up')
  t.match(await operate(voiding), error('invalid_state'))
  t.match(await operate('/operator/v1/invoices/inv_none/void'), error('resource_missing'))
  const log = await api.call('GET', '/v1/audit_log?limit=3', { key: api.tenant.keys.admin })
  const told = log.body.data.map(({ resource_id }: Answer['body']) => resource_id)
  t.ok(told.includes(third.id), 'the tenant reads who changed what')
})

test('the command line overrides, corrects, credits and shows', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { tenantId } = api.tenant
  const base = { SVC_DATA_DIR: t.testdir(), SVC_API_PORT: new URL(api.url).port }
  const settings = { ...base, SVC_OPERATOR_KEY: await seedOperator(api.sql) }
  await provision(api)
  const run = async (...words: string[]): Promise<Answer['body']> => {
    const { code, out, problem } = await runOperator(settings, ...words, '--json')
    if (code !== 0) throw new Error(problem)
    return JSON.parse(out)
  }
  const at = ['--environment', 'sandbox']
  const why = ['--reason', 'Doubled by a test run']
  const until = String(Math.floor(api.clock.nowMs / 1000) + 86_400)
  const overridden = ['--state', 'restricted', '--expires-at', until]
  const held = await run('billing', 'override', tenantId, ...at, ...overridden, ...why)
  t.match(held, { status: 'restricted', status_reason: 'overridden' })
  t.match(await run('billing', 'lift', tenantId, ...at), { status: 'active' })
  const given = await run('billing', 'credit', tenantId, ...at, '--amount-cents', '1000', ...why)
  t.match(given, { credit_cents: 1000 })
  const month = ['--month', '0', '--meter', 'authorizations']
  const more = await run('billing', 'adjust', tenantId, ...at, ...month, '--quantity', '7', ...why)
  t.match(more, { corrected_quantity: 7 })
  const less = ['--quantity=-3', ...why]
  t.match(await run('billing', 'adjust', tenantId, ...at, ...month, ...less), {
    corrected_quantity: 4,
  })
  t.match(await run('billing', 'show', tenantId, ...at), { subscription: { credit_cents: 1000 } })
  const [{ id }] = (await readBilling(api, 'invoices')).data
  t.match(await run('billing', 'void', id), { status: 'void' })
  t.match(await run('quotes', 'list'), { data: [] })
  t.ok(Array.isArray((await run('billing', 'exceptions')).data))
  await t.rejects(run('billing', 'provision', tenantId, ...at, '--quote-id', 'quo_none'))
})

test('the command line offers terms, shows them, and puts a contract into force', async (t) => {
  const api = await startIssuingApi(BILLED)
  const { tenantId, keys } = api.tenant
  const directory = t.testdir({
    'terms.json': JSON.stringify({ ...CONTRACT, base_cents: 99_900 }),
    'broken.json': '[1',
    'odd.json': JSON.stringify({ ...CONTRACT, discount: 5 }),
  })
  const base = { SVC_DATA_DIR: directory, SVC_API_PORT: new URL(api.url).port }
  const settings = { ...base, SVC_OPERATOR_KEY: await seedOperator(api.sql) }
  const run = (...words: string[]) => runOperator(settings, ...words, '--json')
  const contact = { name: 'Ada', email: 'ada@a.test' }
  const body = { volumes: { authorizations: 2_000_000 }, contact }
  const asked = await api.call('POST', '/v1/billing/quotes', { key: keys.admin, body })
  t.equal(asked.status, 201, asked.text)
  const quote = asked.body.id
  const until = ['--expires-at', String(Math.floor(api.clock.nowMs / 1000) + 86_400)]
  const offer = (file: string) =>
    run('quotes', 'offer', quote, '--terms', directory + '/' + file, ...until)
  for (const [file, problem] of [
    ['none.json', /cannot be read/],
    ['broken.json', /no JSON object/],
    ['odd.json', /discount/],
  ] as const)
    t.match(await offer(file), { code: 1, problem })
  t.match(await run('quotes', 'offer', quote, ...until), { code: 1, problem: /--terms/ })
  const offered = await offer('terms.json')
  t.match(JSON.parse(offered.out), { status: 'offered', offer: { base_cents: 99_900 } })
  const shown = await run('quotes', 'show', quote)
  t.match(JSON.parse(shown.out), {
    ...{ tenant_id: tenantId, volumes: body.volumes, offer: { ...CONTRACT, base_cents: 99_900 } },
  })
  const listed = await runOperator(settings, 'quotes', 'list', '--status', 'offered')
  t.match(listed.out, new RegExp(quote + ' +' + tenantId))
  const at = ['billing', 'provision', tenantId, '--environment', 'sandbox']
  t.match(await run(...at), { code: 1, problem: /quote/ })
  const contract = ['--contract', 'C-7', '--terms', directory + '/terms.json']
  t.match(JSON.parse((await run(...at, ...contract)).out), {
    ...{ status: 'active', plan: { key: 'enterprise', version: 'C-7' } },
  })
})
