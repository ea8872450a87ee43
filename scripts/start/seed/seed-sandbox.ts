// Puts the sandbox of `sandbox-secrets.json` into the database. Run at every start and repeatable at will: rows that
// exist are left as they are, so nothing a user changed is ever undone.
import type { TxSql } from '../../../api/database/transaction.ts'
import { apiKeyHash } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import { newId } from '../../../shared/id.ts'
import { type MasterKeys, SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import type { SandboxSecrets } from '../sandbox-secrets.ts'
import { ensureDerivationRoot } from './derivation-root.ts'
import { PROGRAMS, type ProgramPlan } from './sandbox-plan.ts'
import { seedCards } from './seed-cards.ts'

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
  await seedTenant(seed)
  await seedEndpoint(seed)
  await followDemoTenant(seed)
  await seedPrograms(seed)
  return { ...seed.secrets, cards: await seedCards(seed, derivation, seed.secrets.cards) }
}

/** Where the demo tenant listens. */
export function demoTenantUrl(port: number): string {
  return 'http://127.0.0.1:' + port + DEMO_PATH
}

/** Points the endpoint to the port the demo tenant has now, but only where it still pointed to one it had before. */
async function followDemoTenant({ sql, secrets }: Seed): Promise<void> {
  const { realtime_endpoint: endpoint, demo_tenant: demo } = secrets
  await sql`
    update webhook_endpoints set url = ${demoTenantUrl(demo.port)}
    where id = ${endpoint.id} and url = any(${demo.former_ports.map(demoTenantUrl)})`
}

async function seedTenant({ sql, masterKeys, secrets, now }: Seed): Promise<void> {
  const sealed = seal(masterKeys, SEAL_CONTEXTS.networkSecret, secrets.network.secret)
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values (${secrets.network.key_id}, ${SANDBOX_NETWORK}, 'sandbox', ${sealed}, ${now})
    on conflict do nothing`
  await sql`
    insert into tenants (id, name, api_version, created_at, realtime_entitled)
    values (${secrets.tenant_id}, 'Sandbox', ${API_VERSION}, ${now}, true) on conflict do nothing`
  await sql`
    insert into tenant_sequences (tenant_id, environment)
    values (${secrets.tenant_id}, 'sandbox') on conflict do nothing`
  const keys = [
    { role: 'secret', scope: 'read', key: secrets.keys.read },
    { role: 'secret', scope: 'write', key: secrets.keys.write },
    { role: 'secret', scope: 'admin', key: secrets.keys.admin },
    { role: 'publishable', scope: 'read', key: secrets.keys.publishable },
  ]
  for (const { role, scope, key } of keys) {
    await sql`
      insert into api_keys (id, tenant_id, environment, role, scope, hash, last4, created_at)
      values (${newId('key', now)}, ${secrets.tenant_id}, 'sandbox', ${role}, ${scope},
        ${apiKeyHash(key)}, ${key.slice(-4)}, ${now})
      on conflict do nothing`
  }
}

async function seedEndpoint({ sql, masterKeys, secrets, now }: Seed): Promise<void> {
  const endpoint = secrets.realtime_endpoint
  await sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, description, is_realtime, created_at)
    values (${endpoint.id}, ${secrets.tenant_id}, 'sandbox',
      ${demoTenantUrl(secrets.demo_tenant.port)}, 'The demo tenant of npm start', true, ${now})
    on conflict do nothing`
  const sealed = seal(masterKeys, SEAL_CONTEXTS.webhookSecret, endpoint.secret)
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${endpoint.secret_id}, ${endpoint.id}, 0, ${sealed}, ${now}) on conflict do nothing`
}

async function seedPrograms({ sql, secrets, now }: Seed): Promise<void> {
  for (const [name, plan] of Object.entries<ProgramPlan>(PROGRAMS)) {
    await sql`
      insert into programs (id, tenant_id, environment, name, status, realtime, endpoint_id, stand_in,
        time_zone, created_at)
      values (${secrets.programs[name] ?? ''}, ${secrets.tenant_id}, 'sandbox', ${plan.name},
        ${plan.status}, ${plan.realtime}, ${plan.realtime ? secrets.realtime_endpoint.id : null},
        ${plan.standIn}, ${TIME_ZONE}, ${now})
      on conflict do nothing`
  }
}
