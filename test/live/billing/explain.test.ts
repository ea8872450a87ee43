// `npm run explain -- inv_…` traces each line of an invoice to the days and corrections behind it.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import type { TestApi } from '../../harness/api.ts'
import {
  BILLED,
  catchUp,
  closeMonths,
  countUsage,
  moveSandbox,
  provision,
  readBilling,
} from '../../harness/billing.ts'
import { COMPILED } from '../../harness/compiled.ts'
import { seedTransactions } from '../../harness/drained.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { seedOperator } from '../../harness/operator.ts'

const SCRIPT = fileURLToPath(new URL('../../../scripts/explain.ts', import.meta.url))

interface Explained {
  code: number | null
  out: string
  problem: string
}

function explain(api: TestApi, id: string, ...options: string[]): Promise<Explained> {
  const access = ['--api', api.url, '--key', api.tenant.keys.read]
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [SCRIPT, id, ...access, ...options],
      { env: { ...COMPILED, DATABASE_URL: api.databaseUrl } },
      (_error, out, problem) => resolve({ code: child.exitCode, out, problem }),
    )
  })
}

test('the command shows the days and corrections behind a line', async (t) => {
  const api = await startIssuingApi(BILLED)
  await catchUp(api)
  await moveSandbox(api, '2026-12-01T00:00:00Z')
  await provision(api)
  for (const [day, count] of [
    ['2026-12-05', 12_000],
    ['2026-12-07', 845],
  ] as const)
    await seedTransactions(api.sql, api.tenant, { count, at: Date.parse(day + 'T00:00:00Z') })
  await countUsage(api)
  const path = '/operator/v1/tenants/' + api.tenant.tenantId + '/usage_adjustments'
  const corrected = { month: 0, meter: 'authorizations', quantity: -500, reason: 'A test by us' }
  const adjusted = await api.call('POST', path, {
    ...{ key: await seedOperator(api.sql), body: { environment: 'sandbox', ...corrected } },
  })
  t.equal(adjusted.status, 201, adjusted.text)
  await moveSandbox(api, '2027-01-01T00:00:00Z')
  await closeMonths(api)
  await countUsage(api)
  await catchUp(api)
  await closeMonths(api)
  const [invoice] = (await readBilling(api, 'invoices')).data
  const usage = invoice.lines.find(({ kind }: { kind: string }) => kind === 'usage')
  t.match(usage, { quantity: 12_345, amount_cents: 2111 })

  const { code, out, problem } = await explain(api, invoice.id)
  t.equal(code, 0, problem)
  t.match(out, invoice.id + '  open  70.11 USD')
  t.match(out, /49\.00 USD {2}base enterprise/)
  t.match(out, /21\.11 USD {2}usage authorizations 12345/)
  t.match(out, /2026-12-05 {2}12000\n/)
  t.match(out, /2026-12-07 {2}845\n/)
  t.match(out, /-500 {2}A test by us/)
  t.notMatch(out, /undefined|NaN/)

  const story = JSON.parse((await explain(api, invoice.id, '--json')).out)
  const counted = story.days.map(({ quantity }: { quantity: number }) => quantity)
  const corrections = story.corrections.map(({ quantity }: { quantity: number }) => quantity)
  const all = [...counted, ...corrections].reduce((sum: number, each: number) => sum + each, 0)
  t.equal(all, usage.quantity, 'the days and corrections add up to the line')

  const unknown = await explain(api, 'inv_' + '0'.repeat(26))
  t.not(unknown.code, 0)
  t.match(unknown.problem, /No inv_0+ here\./)
})
