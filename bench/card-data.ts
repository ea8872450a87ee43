// Tenants with cards, enough of them that no rate limit is the limit of a measurement.
import type { Sql } from '../api/database/pool.ts'
import { newId } from '../shared/id.ts'
import { SEEDED_AT_MS, seedTenant } from '../test/harness/tenant.ts'

export interface CardHolderTenant {
  tenantId: string
  /** A key of scope write. */
  key: string
  cardIds: readonly string[]
}

/** Every card is like the first one of its tenant: active, with a daily limit of its own. */
export async function seedCards(
  sql: Sql,
  { tenants, cardsEach }: { tenants: number; cardsEach: number },
): Promise<CardHolderTenant[]> {
  const seeded: CardHolderTenant[] = []
  for (let count = 0; count < tenants; count++) {
    const tenant = await seedTenant(sql, 'sandbox')
    const more = Array.from({ length: cardsEach - 1 }, () => newId('card', SEEDED_AT_MS))
    await sql`
      insert into cards (id, tenant_id, environment, program_id, cardholder_id, type, status, token,
        fingerprint, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at)
      select m.id, tenant_id, environment, program_id, cardholder_id, type, status, 'tok_' || m.id,
        'f' || m.id, sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at
      from cards c, unnest(${more}::text[]) m (id) where c.id = ${tenant.cardId}`
    await sql`
      insert into controls (subject_id, scope, tenant_id, environment, controls)
      select m.id, scope, tenant_id, environment, controls
      from controls c, unnest(${more}::text[]) m (id) where c.subject_id = ${tenant.cardId}`
    const { tenantId, keys } = tenant
    seeded.push({ tenantId, key: keys.write, cardIds: [tenant.cardId, ...more] })
  }
  await sql`vacuum analyze`.simple()
  return seeded
}
