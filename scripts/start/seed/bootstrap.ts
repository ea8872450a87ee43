// Writes the rows that no call of the API can make, because calls need them: the root of all keys,
// the network, the first operator, the tenant with its first keys and its owner; and exchange
// rates, which come from outside. Run at every start and repeatable at will: existing rows are left
// as they are, so no change by a user is ever undone.
import type { TxSql } from '../../../api/database/transaction.ts'
import { insertTable, lockRates } from '../../../api/issuing/fx-rates/index.ts'
import { apiKeyHash, type KeyRole, type KeyScope } from '../../../shared/api-key.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import { newId } from '../../../shared/id.ts'
import { type MasterKeys, SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import type { SandboxSecrets } from '../sandbox-secrets.ts'
import { ensureDerivationRoot } from './derivation-root.ts'
import { FX_RATES } from './sandbox-plan.ts'
import { seedOwner } from './seed-owner.ts'

const SANDBOX_NETWORK = 'simnet'

export interface Bootstrap {
  sql: TxSql
  masterKeys: MasterKeys
  secrets: SandboxSecrets
  now: EpochMs
}

/** Writes the missing rows. One transaction: all or nothing. */
export async function bootstrapSandbox(world: Bootstrap): Promise<void> {
  await ensureDerivationRoot(world.sql, world.masterKeys)
  await seedNetwork(world)
  await seedOperator(world)
  await seedTenant(world)
  await seedKeys(world)
  await seedOwner(world)
  await seedFxRates(world)
}

async function seedNetwork({ sql, masterKeys, secrets, now }: Bootstrap): Promise<void> {
  const sealed = seal(masterKeys, SEAL_CONTEXTS.networkSecret, secrets.network.secret)
  await sql`
    insert into network_keys (id, network, environment, sealed_secret, created_at)
    values (${secrets.network.key_id}, ${SANDBOX_NETWORK}, 'sandbox', ${sealed}, ${now})
    on conflict do nothing`
}

async function seedOperator({ sql, secrets, now }: Bootstrap): Promise<void> {
  const { operator } = secrets
  if (operator === undefined) return
  await sql`
    insert into operators (id, name, hash, last4, created_at)
    values (${operator.id}, 'Sandbox', ${apiKeyHash(operator.key)}, ${operator.key.slice(-4)}, ${now})
    on conflict do nothing`
}

/** It may ask before it approves. */
async function seedTenant({ sql, secrets, now }: Bootstrap): Promise<void> {
  const { tenant_id: id } = secrets
  await sql`
    insert into tenants (id, name, api_version, created_at, realtime_entitled)
    values (${id}, 'Sandbox', ${API_VERSION}, ${now}, true) on conflict do nothing`
  await sql`
    insert into tenant_sequences (tenant_id, environment)
    values (${id}, 'sandbox') on conflict do nothing`
}

/** A key of an older version gets the name, and the scope, that it has in this one. */
async function seedKeys({ sql, secrets, now }: Bootstrap): Promise<void> {
  const { keys, tenant_id: tenantId } = secrets
  const plan: { role: KeyRole; scope: KeyScope; key: string }[] = [
    { role: 'secret', scope: 'read', key: keys.read },
    { role: 'secret', scope: 'write', key: keys.write },
    { role: 'secret', scope: 'admin', key: keys.admin },
    { role: 'publishable', scope: 'write', key: keys.publishable },
  ]
  for (const { role, scope, key } of plan) {
    // The name of the key in sandbox.json.
    const name = 'Sandbox ' + (role === 'publishable' ? role : scope)
    await sql`
      insert into api_keys (id, tenant_id, environment, name, role, scope, hash, last4, created_at)
      values (${newId('key', now)}, ${tenantId}, 'sandbox', ${name}, ${role}, ${scope},
        ${apiKeyHash(key)}, ${key.slice(-4)}, ${now})
      on conflict (hash) do update set name = excluded.name, scope = excluded.scope
      where api_keys.name = ''`
  }
}

async function seedFxRates({ sql, now }: Bootstrap): Promise<void> {
  await lockRates(sql)
  const held = await sql<{ id: string }[]>`select id from fx_rates`
  const known = new Set(held.map(({ id }) => id))
  const rates = Object.entries(FX_RATES)
    .filter(([pair]) => !known.has(pair))
    .map(([pair, rate]) => ({ pair, rate, previous_rate: null }))
  if (rates.length === 0) return
  await insertTable(sql, {
    ...{ id: newId('fxt', now), source: 'sandbox', rates, isConfirmed: false, publishedBy: null },
    ...{ rateAt: now, createdAt: now },
  })
}
