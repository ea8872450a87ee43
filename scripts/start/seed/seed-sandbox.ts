// Puts the sandbox of `sandbox-secrets.json` into the database. Run at every start and repeatable at will: rows that
// exist are left as they are, so nothing a user changed is ever undone.
import type { TxSql } from '../../../api/database/transaction.ts'
import { apiKeyHash } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { type MasterKeys, SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import type { SandboxSecrets } from '../sandbox-secrets.ts'
import { ensureDerivationRoot } from './derivation-root.ts'
import { ownerOf } from './owner.ts'
import { PROGRAMS, type ProgramPlan } from './sandbox-plan.ts'
import { seedCards } from './seed-cards.ts'
import { seedFxRates } from './seed-facts.ts'
import { seedOwners } from './seed-owner.ts'
import { seedTenant } from './seed-tenant.ts'

const SANDBOX_NETWORK = 'simnet'
const DEMO_PATH = '/svc/webhooks'
const TIME_ZONE = 'UTC'

export interface Seed {
  sql: TxSql
  masterKeys: MasterKeys
  secrets: SandboxSecrets
  now: EpochMs
}

/** Writes what is missing and returns the secrets with every card's CVC. One transaction: all or nothing. */
export async function seedSandbox(seed: Seed): Promise<SandboxSecrets> {
  const derivation = await ensureDerivationRoot(seed.sql, seed.masterKeys)
  await seedNetwork(seed)
  await seedMainTenant(seed)
  await seedUnentitledTenant(seed)
  await seedOwners(seed)
  await seedOperator(seed)
  await followDemoTenant(seed)
  await seedPrograms(seed)
  await seedFxRates(seed)
  return { ...seed.secrets, cards: await seedCards(seed, derivation, seed.secrets.cards) }
}

/** Where the demo tenant listens. */
export function demoTenantUrl(port: number): string {
  return 'http://127.0.0.1:' + port + DEMO_PATH
}

/** Points endpoints to the port the demo tenant has now, but only where they still pointed to one it had before. */
async function followDemoTenant({ sql, secrets }: Seed): Promise<void> {
  const { realtime_endpoint: endpoint, demo_tenant: demo, unentitled } = secrets
  const ids = [endpoint.id, ...(unentitled === undefined ? [] : [unentitled.endpoint.id])]
  await sql`
    update webhook_endpoints set url = ${demoTenantUrl(demo.port)}
    where id = any(${ids}) and url = any(${demo.former_ports.map(demoTenantUrl)})`
}

async function seedNetwork({ sql, masterKeys, secrets, now }: Seed): Promise<void> {
  const sealed = seal(masterKeys, SEAL_CONTEXTS.networkSecret, secrets.network.secret)
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values (${secrets.network.key_id}, ${SANDBOX_NETWORK}, 'sandbox', ${sealed}, ${now})
    on conflict do nothing`
}

async function seedMainTenant(seed: Seed): Promise<void> {
  const { secrets } = seed
  const { keys } = secrets
  await seedTenant(seed, {
    id: secrets.tenant_id,
    name: 'Sandbox',
    entitled: true,
    keys: [
      { role: 'secret', scope: 'read', key: keys.read },
      { role: 'secret', scope: 'write', key: keys.write },
      { role: 'secret', scope: 'admin', key: keys.admin },
      { role: 'publishable', scope: 'write', key: keys.publishable },
    ],
    endpoint: {
      ...secrets.realtime_endpoint,
      url: demoTenantUrl(secrets.demo_tenant.port),
      description: 'The demo tenant of npm start',
      eventTypes: null,
    },
  })
}

async function seedUnentitledTenant(seed: Seed): Promise<void> {
  const { unentitled, demo_tenant: demo } = seed.secrets
  if (unentitled === undefined) return
  await seedTenant(seed, {
    id: unentitled.tenant_id,
    name: 'Sandbox without real-time authorization',
    entitled: false,
    keys: [{ role: 'secret', scope: 'admin', key: unentitled.key }],
    endpoint: {
      ...unentitled.endpoint,
      url: demoTenantUrl(demo.port),
      description: 'Never asked',
      eventTypes: [],
    },
  })
}

async function seedOperator({ sql, secrets, now }: Seed): Promise<void> {
  const { operator } = secrets
  if (operator === undefined) return
  await sql`
    insert into operators (id, name, hash, last4, created_at)
    values (${operator.id}, 'Sandbox', ${apiKeyHash(operator.key)}, ${operator.key.slice(-4)}, ${now})
    on conflict do nothing`
}

async function seedPrograms(seed: Seed): Promise<void> {
  const { sql, secrets, now } = seed
  for (const [name, plan] of Object.entries<ProgramPlan>(PROGRAMS)) {
    const { tenantId, endpointId } = ownerOf(seed, plan)
    const policy = plan.standInPolicy === undefined ? null : JSON.stringify(plan.standInPolicy)
    const [made] = await sql`
      insert into programs (id, tenant_id, environment, name, status, realtime, endpoint_id, stand_in,
        stand_in_policy, time_zone, created_at, suspended_by, suspend_reason)
      values (${secrets.programs[name] ?? ''}, ${tenantId}, 'sandbox', ${plan.name}, ${plan.status},
        ${plan.realtime}, ${plan.realtime ? endpointId : null}, ${plan.standIn},
        ${policy}::text::jsonb, ${TIME_ZONE}, ${now},
        ${plan.status === 'suspended' ? 'provider_risk' : null},
        ${plan.status === 'suspended' ? 'sandbox example' : null})
      on conflict do nothing returning id`
    if (made === undefined || plan.fraudRules === undefined) continue
    const rules = JSON.stringify(plan.fraudRules)
    await sql`update programs set fraud_rules = ${rules}::text::jsonb where id = ${made['id']}`
  }
}
