// Controls that were compiled before they were objects become objects that say the same.
import { test } from 'tap'
import { migrate, readMigrations } from '../../api/database/migrate.ts'
import { compileControl } from '../../api/issuing/controls/compile.ts'
import type { ControlTerms } from '../../shared/schemas/spending-control.ts'
import { openUnmigratedDatabase } from '../harness/postgres.ts'

const OWNER = { tenant_id: 'ten_1', environment: 'sandbox' }
const MADE = { ...OWNER, created_at: 7000 }

test('what bound a card of the first release is version 1 of an object', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  const migrations = readMigrations()
  const run = (some: typeof migrations) => migrate(url, () => {}, { migrations: some })
  await run(migrations.slice(0, 2))
  await sql`insert into tenants values ('ten_1', 'Tenant', '2026-01-01', 0)`
  await sql`insert into programs ${sql({ id: 'prog_1', name: 'P', status: 'active', ...MADE })}`
  const limit = {
    id: 'lim_1',
    interval: 'daily',
    amount_cents: 9,
    currency: 'USD',
    time_zone: 'UTC',
  }
  await sql`
    insert into controls (subject_id, scope, tenant_id, environment, mccs, countries, limits)
    values ('prog_1', 'program', 'ten_1', 'sandbox', '{"mode": "block", "values": ["7995"]}',
      '{"mode": "allow", "values": ["US"]}', ${JSON.stringify([limit])}::text::jsonb)`
  await run(migrations)

  const [control] = await sql`select * from spending_controls`
  t.match(control, {
    id: 'ctl_1',
    scope: 'program',
    subject_id: 'prog_1',
    state: 'active',
    version: 1,
    created_at: 7000,
  })
  const [version] = await sql<{ terms: ControlTerms; compiled: unknown; created_by: null }[]>`
    select terms, compiled, created_by from spending_control_versions`
  t.match(version, {
    created_by: null,
    terms: {
      allowed_mccs: null,
      blocked_mccs: ['7995'],
      allowed_countries: ['US'],
      schedule: [],
      limits: [{ ...limit, count: null, rolling_seconds: null, filters: null }],
    },
  })
  const [bound] = await sql`select controls from controls`
  t.same(bound?.['controls'], [version?.compiled], 'the engine goes on deciding by the same')
  const named = { id: 'ctl_1', version: 1, state: 'active' as const }
  t.same(
    compileControl(named, version?.terms as ControlTerms),
    version?.compiled,
    'and its next version starts from there',
  )
  const [program] = await sql<{ fraud_rules: { name: string; state: string }[] }[]>`
    select fraud_rules from programs`
  t.same(
    program?.fraud_rules.map(({ name, state }) => [name, state]),
    [
      ['card_testing', 'draft'],
      ['cvc_failures', 'draft'],
      ['pin_failures', 'draft'],
    ],
  )
})
