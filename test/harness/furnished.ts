// A tenant with one resource of every kind that a path can name, for sweeps over all routes.
import { randomBytes } from 'node:crypto'
import { tx } from '../../api/database/transaction.ts'
import { simulateHit } from '../../api/issuing/cardholders/index.ts'
import { newId } from '../../shared/id.ts'
import type { Answer, TestApi } from './api.ts'
import { drain } from './drained.ts'
import { TEMPLATE } from './passes.ts'
import { callApproved, seedPerson, seedSafeOwner } from './person.ts'
import { Story } from './story.ts'
import { SEEDED_AT_MS, seedCardholder, type TestTenant } from './tenant.ts'

/**
 * Ids by the segment before them in a path: `cards`, `disputes`. Both spellings of an endpoint have
 * one.
 */
export type Things = Map<string, string>

/** Values that a tenant chose itself; a search of another tenant must find nothing by them. */
export const OWN_WORDS = { external_id: 'ours-1', metadata: { ours: '1' } }

export async function furnish(api: TestApi, tenant: TestTenant): Promise<Things> {
  if (tenant.environment === 'live') await seedSafeOwner(api.sql, tenant.tenantId)
  const { keys, programId, cardholderId, cardId, endpointId } = tenant
  const post = async (path: string, body: object, key = keys.admin): Promise<Answer['body']> => {
    const answer = await callApproved(api, 'POST', '/v1/' + path, { key, body })
    if (answer.status >= 300) throw new Error(path + ': ' + answer.text)
    return answer.body
  }
  await api.sql`update tenants set kyb_status = 'approved' where id = ${tenant.tenantId}`
  // A sweep makes more calls than a minute allows.
  if (tenant.environment === 'sandbox')
    await api.sql`
      insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
      values (${tenant.tenantId}, 'sandbox', 1000, ${SEEDED_AT_MS * 2})`
  const things: Things = new Map([
    ['programs', programId],
    ['cardholders', cardholderId],
    ['cards', cardId],
    ['webhook_endpoints', endpointId],
    ['webhook-endpoints', endpointId],
    ['card_transactions', await seedCaptured(api, tenant)],
    ['certifications', await seedCertification(api, tenant)],
    ['sanctions_alerts', await seedAlert(api, tenant)],
    // Only the caller that was refused with a challenge learns of it.
    ['factor_challenges', await seedChallenge(api, tenant)],
    ...(await seedSettlement(api, tenant)),
    ['quotes', await seedQuote(api, tenant)],
    ['invoices', await seedInvoice(api, tenant)],
    ...(await seedPortal(api, tenant)),
    ['notices', await seedNotice(api, tenant)],
    ['people', await seedMember(api, tenant)],
    ['invitations', await seedInvitation(api, tenant)],
  ])
  for (const [segment, id] of await seedPayment(api, tenant)) things.set(segment, id)
  const transaction_id = things.get('card_transactions')
  const made: [string, object, string?][] = [
    ['spending_controls', { scope: 'card', subject_id: cardId, ...OWN_WORDS }],
    ['wallet_tokens', { card_id: cardId, provider: 'apple', ...OWN_WORDS }],
    [
      'tokens',
      { card: { pan: '4111111111111111', exp_month: 12, exp_year: 2034 } },
      keys.publishable,
    ],
    [
      'authentications',
      { three_ds_transaction_id: newId('ds', SEEDED_AT_MS), card_id: cardId, result: 'failed' },
    ],
    ['disputes', { transaction_id, reason: 'other', amount_cents: 100, ...OWN_WORDS }],
    ['api_keys', { name: 'Server', role: 'secret', scope: 'read', ...OWN_WORDS }],
  ]
  for (const [segment, body, key] of made) things.set(segment, (await post(segment, body, key)).id)
  const backtests = 'spending_controls/' + things.get('spending_controls') + '/backtests'
  things.set('backtests', (await post(backtests, {})).id)
  await furnishPasses(things, post)
  const endpoint = 'webhook_endpoints/' + endpointId
  const recovery = { since: '2026-11-20', which: 'all', ...OWN_WORDS }
  things.set('recoveries', (await post(endpoint + '/recoveries', recovery)).id)
  const { id: delivery } = await post(endpoint + '/test', {})
  for (const segment of ['webhook_deliveries', 'webhook-deliveries']) things.set(segment, delivery)
  await post('disputes/' + things.get('disputes') + '/evidence', { kind: 'other', text: 'A word.' })
  things.set('oauth_grants', await seedConnection(api, tenant))
  const events = await api.call('GET', '/v1/events', { key: keys.read })
  things.set('events', events.body.data[0].id)
  return things
}

/** A PNG of one pixel. */
const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function furnishPasses(
  things: Things,
  post: (path: string, body: object) => Promise<Answer['body']>,
): Promise<void> {
  const template = await post('pass_templates', { ...TEMPLATE, ...OWN_WORDS })
  const card_id = things.get('cards')
  const pass = await post('passes', { template_id: template.id, card_id, ...OWN_WORDS })
  const scanner = await post('scanners', { name: 'Door', ...OWN_WORDS })
  const scan = await post('passes/scan', { payload: pass.payload, scanner_id: scanner.id })
  const image = await post('pass_images', { role: 'icon', data: DOT, ...OWN_WORDS })
  things.set('pass_images', image.id)
  things.set('pass_templates', template.id)
  things.set('passes', pass.id)
  things.set('scanners', scanner.id)
  things.set('pass_scans', scan.id)
}

/** Adds a platform that acts for the tenant. */
async function seedConnection({ sql }: TestApi, tenant: TestTenant): Promise<string> {
  const { tenantId, environment } = tenant
  const [client, grant] = [newId('oac', SEEDED_AT_MS), newId('ogr', SEEDED_AT_MS)]
  const { id: userId } = await seedPerson(sql, tenantId)
  await sql`
    insert into oauth_clients (
      id, environment, name, kind, application_type, redirect_uris, scopes, created_at
    ) values (
      ${client}, ${environment}, 'Ledger Co', 'public', 'web', '{https://platform.example/}',
      '{read}', ${SEEDED_AT_MS}
    )`
  await sql`
    insert into oauth_grants (
      id, tenant_id, environment, client_id, user_id, scopes, payload, created_at
    ) values (
      ${grant}, ${tenantId}, ${environment}, ${client}, ${userId}, '{read}', '{}', ${SEEDED_AT_MS}
    )`
  return grant
}

/** Adds a sanctions alert about another cardholder; the tenant's own cardholder stays active. */
async function seedAlert({ sql }: TestApi, tenant: TestTenant): Promise<string> {
  const alertId = newId('alert', SEEDED_AT_MS)
  const hit = { cardholderId: await seedCardholder(sql, tenant), alertId, now: SEEDED_AT_MS }
  await tx(sql, (inner) => simulateHit(inner, tenant, hit))
  return alertId
}

/** A confirmed payment between an account with a passkey and one that can be paid. */
async function seedPayment({ sql }: TestApi, tenant: TestTenant): Promise<[string, string][]> {
  const { tenantId, environment, programId, cardholderId } = tenant
  const [account, payee, payment, mandate, withdrawal] = ['pacc', 'sacc', 'pay', 'man', 'wdr'].map(
    (name) => newId(name, SEEDED_AT_MS),
  )
  const address = '0x' + randomBytes(20).toString('hex')
  await sql`
    insert into settlement_accounts (id, tenant_id, environment, status, usable_at, address,
      chain_id, name, mcc, country, schedule, fee_bps, created_at)
    values (${payee ?? ''}, ${tenantId}, ${environment}, 'usable', 0, ${address}, 31337, 'Books',
      '5942', 'US', '{"interval":"continuous"}'::text::jsonb, 0, ${SEEDED_AT_MS})`
  await sql`
    insert into payment_accounts (id, tenant_id, environment, program_id, cardholder_id, status,
      chain_id, address, credential_id, public_x, public_y, enrolled_at, created_at)
    values (${account ?? ''}, ${tenantId}, ${environment}, ${programId}, ${cardholderId}, 'active',
      31337, ${address}, ${randomBytes(16)}, ${randomBytes(32)}, ${randomBytes(32)},
      ${SEEDED_AT_MS}, ${SEEDED_AT_MS})`
  await sql`
    insert into payments (id, tenant_id, environment, payment_account_id, cardholder_id,
      settlement_account_id, status, amount_cents, currency, expires_at, approval_valid_until,
      confirmed_at, confirmed_by, created_at)
    values (${payment ?? ''}, ${tenantId}, ${environment}, ${account ?? ''}, ${cardholderId},
      ${payee ?? ''}, 'confirmed', 2500, 'USD', ${SEEDED_AT_MS * 2}, ${SEEDED_AT_MS},
      ${SEEDED_AT_MS}, 'passkey', ${SEEDED_AT_MS})`
  await sql`
    insert into payment_mandates (id, tenant_id, environment, payment_account_id,
      settlement_account_id, status, limit_cents, per_payment_cents, expires_at, approval_salt,
      approval_hash, approval_valid_until, confirmation_expires_at, confirmed_at, created_at)
    values (${mandate ?? ''}, ${tenantId}, ${environment}, ${account ?? ''}, ${payee ?? ''}, 'active',
      5000, 2500, ${SEEDED_AT_MS * 2}, ${randomBytes(32)}, ${randomBytes(32)}, ${SEEDED_AT_MS},
      ${SEEDED_AT_MS}, ${SEEDED_AT_MS}, ${SEEDED_AT_MS})`
  await sql`
    insert into payment_withdrawals (id, tenant_id, environment, payment_account_id, chain_id,
      status, amount_cents, recipient, nonce, withdrawal_hash, confirmation_expires_at, created_at)
    values (${withdrawal ?? ''}, ${tenantId}, ${environment}, ${account ?? ''}, 31337,
      'needs_confirmation', 100, ${address}, 0, ${randomBytes(32)}, ${SEEDED_AT_MS * 2},
      ${SEEDED_AT_MS})`
  return Object.entries({
    payment_withdrawals: withdrawal ?? '',
    payment_mandates: mandate ?? '',
    payment_accounts: account ?? '',
    settlement_accounts: payee ?? '',
    payments: payment ?? '',
  })
}

/** A purchase of 50.00 that was captured whole. */
export async function seedCaptured(api: TestApi, tenant: TestTenant): Promise<string> {
  const story = new Story(tenant)
  const step = (event: 'authorized' | 'captured') =>
    ({ event, amountCents: 5000, sums: { [event]: 5000 } }) as const
  await drain(
    api.sql,
    story.message('authorization', step('authorized')),
    story.message('capture', step('captured')),
  )
  return story.id
}

/** An address that is paid, and a completed batch of it, as the settler leaves it. */
async function seedSettlement(
  { sql }: TestApi,
  { tenantId, environment }: TestTenant,
): Promise<[string, string][]> {
  const [account, batch] = [newId('sacc', SEEDED_AT_MS), newId('stb', SEEDED_AT_MS)]
  await sql`
    insert into settlement_accounts (id, tenant_id, environment, status, usable_at, address,
      chain_id, name, mcc, country, schedule, fee_bps, created_at, external_id, metadata)
    values (${account}, ${tenantId}, ${environment}, 'usable', 0,
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 31337, 'Shop', '5942', 'US',
      '{"interval": "continuous"}', 0, ${SEEDED_AT_MS}, ${OWN_WORDS.external_id},
      ${JSON.stringify(OWN_WORDS.metadata)}::text::jsonb)`
  await sql`
    insert into settlement_batches (id, tenant_id, environment, settlement_account_id, chain_id,
      status, trigger, captures, gross_cents, net_cents, created_at, completed_at)
    values (${batch}, ${tenantId}, ${environment}, ${account}, 31337, 'completed', 'interval', 1, 100,
      100, ${SEEDED_AT_MS}, ${SEEDED_AT_MS})`
  return [
    ['settlement_accounts', account],
    ['settlement_batches', batch],
  ]
}

/** Without a processor no call requests a quote, therefore a row stands in. */
async function seedQuote({ sql }: TestApi, tenant: TestTenant): Promise<string> {
  const id = newId('quo', SEEDED_AT_MS)
  await sql`
    insert into billing_quotes (id, tenant_id, environment, status, volumes, contact, created_at)
    values (${id}, ${tenant.tenantId}, ${tenant.environment}, 'declined',
      '{"authorizations": 1000}', '{"name": "Ada", "email": "ada@tenant.example"}',
      ${SEEDED_AT_MS})`
  return id
}

/** An invoice of a subscription that another one replaced: it restricts nothing. */
async function seedInvoice({ sql }: TestApi, tenant: TestTenant): Promise<string> {
  const { tenantId, environment } = tenant
  const [id, subscription] = [newId('inv', SEEDED_AT_MS), newId('sub', SEEDED_AT_MS)]
  await sql`
    insert into billing_subscriptions (id, tenant_id, environment, terms, billing_interval, currency,
      active_from, ended_at, created_at)
    values (${subscription}, ${tenantId}, ${environment}, '{}', 'month', 'USD', ${SEEDED_AT_MS},
      ${SEEDED_AT_MS}, ${SEEDED_AT_MS})`
  await sql`
    insert into billing_invoices (id, tenant_id, environment, subscription_id, kind, ordinal,
      currency, status, total_cents, at, finalized_at, paid_at, created_at)
    values (${id}, ${tenantId}, ${environment}, ${subscription}, 'period', 0, 'USD', 'paid', 4900,
      ${SEEDED_AT_MS}, ${SEEDED_AT_MS}, ${SEEDED_AT_MS}, ${SEEDED_AT_MS})`
  return id
}

/** A message about a subscription that another one replaced. */
async function seedNotice({ sql }: TestApi, tenant: TestTenant): Promise<string> {
  const { tenantId, environment } = tenant
  const [id, subscription] = [newId('ntc', SEEDED_AT_MS), newId('sub', SEEDED_AT_MS)]
  await sql`
    insert into billing_subscriptions (id, tenant_id, environment, terms, billing_interval, currency,
      active_from, ended_at, created_at)
    values (${subscription}, ${tenantId}, ${environment}, '{}', 'month', 'USD', ${SEEDED_AT_MS},
      ${SEEDED_AT_MS}, ${SEEDED_AT_MS})`
  await sql`
    insert into billing_notices (id, tenant_id, environment, subscription_id, kind, subject,
      created_at)
    values (${id}, ${tenantId}, ${environment}, ${subscription}, 'trial_ending', '1',
      ${SEEDED_AT_MS})`
  return id
}

/** A card and a visit of the portal; no processor is there to have made them. */
async function seedPortal({ sql }: TestApi, tenant: TestTenant): Promise<[string, string][]> {
  const { tenantId, environment } = tenant
  const [method, session] = [newId('bpm', SEEDED_AT_MS), newId('bps', SEEDED_AT_MS)]
  await sql`
    insert into billing_payment_methods (id, tenant_id, environment, processor_id, status,
      is_default, brand, last4, exp_month, exp_year, created_at)
    values (${method}, ${tenantId}, ${environment}, ${method}, 'detached', false, 'visa', '4242',
      12, 2040, ${SEEDED_AT_MS})`
  await sql`
    insert into billing_portal_sessions (id, tenant_id, environment, return_url, created_at)
    values (${session}, ${tenantId}, ${environment}, 'https://tenant.example/', ${SEEDED_AT_MS})`
  return [
    ['payment_methods', method],
    ['portal_sessions', session],
  ]
}

/** Only the sandbox has certifications; in live the id matches none. */
async function seedCertification({ sql }: TestApi, tenant: TestTenant): Promise<string> {
  const id = newId('cert', SEEDED_AT_MS)
  if (tenant.environment === 'live') return id
  await sql`
    insert into certifications (id, endpoint_id, tenant_id, environment, url, status, certified,
      created_at, finished_at)
    values (${id}, ${tenant.endpointId}, ${tenant.tenantId}, 'sandbox', 'https://tenant.example',
      'finished', true, ${SEEDED_AT_MS}, ${SEEDED_AT_MS})`
  return id
}

async function seedChallenge(api: TestApi, { keys }: TestTenant): Promise<string> {
  const body = { name: 'Another', role: 'secret', scope: 'read' }
  const asked = await api.call('POST', '/v1/api_keys', { key: keys.admin, body })
  return asked.body.error.challenge.id
}

/** People belong to a tenant in both environments; in live the id matches none. */
async function seedMember({ sql }: TestApi, tenant: TestTenant): Promise<string> {
  if (tenant.environment === 'live') return newId('user', SEEDED_AT_MS)
  return (await seedPerson(sql, tenant.tenantId, 'analyst')).id
}

/** As for people. */
async function seedInvitation(
  { sql }: TestApi,
  { tenantId, environment }: TestTenant,
): Promise<string> {
  const [id, endsAt] = [newId('ivt', SEEDED_AT_MS), SEEDED_AT_MS * 2]
  if (environment === 'live') return id
  await sql`
    insert into invitations (id, tenant_id, email, role, token_hash, created_at, ends_at)
    values (${id}, ${tenantId}, ${id + '@invited.example'}, 'analyst', ${Buffer.from(id)},
      ${SEEDED_AT_MS}, ${endsAt})`
  return id
}
