// The pages of operators in a test: an installation with work for them, and an operator at it.
import { isoInstant } from '../../shared/clock.ts'
import { randomSecret } from '../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../shared/keyring.ts'
import { MASTER_KEYS } from './api.ts'
import type { TestDashboard } from './dashboard.ts'
import { NETWORK_SECRET } from './engine.ts'
import { furnish } from './furnished.ts'
import { openInstallation } from './installation.ts'
import { seedRoot } from './issuing.ts'
import { ceremonyOn } from './member-passkeys.ts'
import { openOperator } from './operator-person.ts'
import { cookieOf, visit } from './visit.ts'

/** Files that share the database send messages of the network. */
const SECRET = seal(MASTER_KEYS, SEAL_CONTEXTS.networkSecret, NETWORK_SECRET)

const DETAILS = {
  ...{ legal_name: 'Acme GmbH', registration_number: 'HRB 1234', country: 'DE' },
  address: { line1: 'Hauptstr. 1', city: 'Berlin', postal_code: '10115', country: 'DE' },
  ...{ website: 'https://acme.example', description: 'Cards for the drivers of our vans.' },
  program: { name: 'Fleet', currency: 'EUR' },
}

/** An operator, and a tenant with a resource of every kind. */
export async function startDesk(more: Parameters<typeof openInstallation>[0] = {}) {
  const api = await openInstallation(more)
  await seedRoot(api.sql)
  const things = await furnish(api, api.tenant)
  const operator = await openOperator(api)
  const { tenantId } = api.tenant
  await api.sql`update tenants set kyb_status = 'submitted' where id = ${tenantId}`
  await api.sql`
    insert into kyb_applications (id, tenant_id, details, submitted_by, created_at)
    values (${'kyb_' + tenantId.slice(4)}, ${tenantId}, ${JSON.stringify(DETAILS)}::text::jsonb,
      ${operator.person.id}, ${api.clock.nowMs}) on conflict do nothing`
  await api.sql`update programs set status = 'pending' where id = ${api.tenant.programId}`
  await api.sql`update billing_quotes set status = 'requested' where id = ${things.get('quotes') ?? ''}`
  await api.sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values ('nkey_desk', 'desk', 'sandbox', ${SECRET}, 0) on conflict do nothing`
  const file = await api.operate('POST', '/clearing_files', {
    ...{ environment: 'sandbox', network: 'desk', file_id: 'day-1', business_date: '2026-11-19' },
  })
  if (file.status >= 300) throw new Error(file.text)
  things.set('clearing_files', file.body.id)
  await api.sql`delete from fx_rates`
  const table = await api.operate('POST', '/fx_tables', {
    ...{ source: 'ECB', rate_at: isoInstant(api.clock.nowMs - 3_600_000) },
    rates: [{ pair: 'EUR/USD', rate: '1.0850' }],
  })
  if (table.status >= 300) throw new Error(table.text)
  things.set('fx_tables', table.body.id)
  return { api, things, operator, cookie: operator.cookie }
}

export type TestDesk = Awaited<ReturnType<typeof startDesk>>

/** By the second word of a page's path. */
const COLLECTIONS: { readonly [word: string]: string } = { quotes: 'quotes', rates: 'fx_tables' }

/** The address of a page of operators, with ids of the installation. */
export function deskAddress(
  { api, things }: Pick<TestDesk, 'api'> & Pick<TestDashboard, 'things'>,
  path: string,
): string {
  const id = path.startsWith('/operator/tenants/')
    ? api.tenant.tenantId
    : things.get(COLLECTIONS[path.split('/')[2] ?? ''] ?? 'clearing_files')
  return path.replace(':id', id ?? 'none')
}

/** Sends a move as two forms, with the operator's passkey, and keeps the cookie of the answer. */
export async function perform(
  { api, operator }: Pick<TestDesk, 'api' | 'operator'>,
  name: string,
  id: string,
  fields: { [name: string]: string } = {},
): Promise<Response> {
  await api.sql`delete from sign_in_tries`
  const { path, form } = await signMove({ api, operator }, name, id, fields)
  const answer = await visit(api, path, { cookie: operator.cookie, form })
  operator.cookie = cookieOf(answer) || operator.cookie
  return answer
}

/** The second form of a move, with the answer of the operator's passkey. */
export async function signMove(
  { api, operator }: Pick<TestDesk, 'api' | 'operator'>,
  name: string,
  id: string,
  fields: { [name: string]: string } = {},
) {
  const path = '/operator/do/' + name + '/' + id
  const form = { form_id: randomSecret(18), ...fields }
  const page = await visit(api, path, { cookie: operator.cookie, form })
  const { challenge, ceremony } = await ceremonyOn(page)
  return { path, form: { ...form, ...operator.passkey.assert(challenge), ceremony } }
}
