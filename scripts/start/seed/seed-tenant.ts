// One tenant of the sandbox with its keys and the endpoint that real-time authorization would ask.
import { apiKeyHash, type KeyRole, type KeyScope } from '../../../shared/api-key.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import type { Seed } from './seed-sandbox.ts'

export interface TenantPlan {
  id: string
  name: string
  /** May ask before it approves. */
  entitled: boolean
  keys: readonly { role: KeyRole; scope: KeyScope; key: string }[]
  endpoint: {
    id: string
    secret_id: string
    secret: string
    url: string
    description: string
    /** Which events it is sent; null: all. */
    eventTypes: readonly string[] | null
  }
}

/** Inserts what is not there yet. A key of an older version gets the name, and the scope, that it has in this one. */
export async function seedTenant(seed: Seed, plan: TenantPlan): Promise<void> {
  const { sql, now } = seed
  await sql`
    insert into tenants (id, name, api_version, created_at, realtime_entitled)
    values (${plan.id}, ${plan.name}, ${API_VERSION}, ${now}, ${plan.entitled})
    on conflict do nothing`
  await sql`
    insert into tenant_sequences (tenant_id, environment)
    values (${plan.id}, 'sandbox') on conflict do nothing`
  for (const { role, scope, key } of plan.keys) {
    await sql`
      insert into api_keys (id, tenant_id, environment, name, role, scope, hash, last4, created_at)
      values (${newId('key', now)}, ${plan.id}, 'sandbox', ${nameOf(role, scope)}, ${role}, ${scope},
        ${apiKeyHash(key)}, ${key.slice(-4)}, ${now})
      on conflict (hash) do update set name = excluded.name, scope = excluded.scope
      where api_keys.name = ''`
  }
  await seedEndpoint(seed, plan)
}

/** What it is called in sandbox.json. */
function nameOf(role: KeyRole, scope: KeyScope): string {
  return 'Sandbox ' + (role === 'publishable' ? role : scope)
}

async function seedEndpoint(
  { sql, masterKeys, now }: Seed,
  { id: tenantId, endpoint }: TenantPlan,
): Promise<void> {
  const eventTypes = endpoint.eventTypes === null ? null : [...endpoint.eventTypes]
  await sql`
    insert into webhook_endpoints (id, tenant_id, environment, url, description, event_types,
      is_realtime, created_at)
    values (${endpoint.id}, ${tenantId}, 'sandbox', ${endpoint.url}, ${endpoint.description}, ${eventTypes}, true, ${now})
    on conflict do nothing`
  const sealed = seal(masterKeys, SEAL_CONTEXTS.webhookSecret, endpoint.secret)
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${endpoint.secret_id}, ${endpoint.id}, 0, ${sealed}, ${now}) on conflict do nothing`
}
