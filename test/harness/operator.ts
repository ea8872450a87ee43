// An operator of the installation, and its credential.
import type { Sql } from '../../api/database/pool.ts'
import { apiKeyHash, newOperatorKey } from '../../shared/api-key.ts'
import { newId } from '../../shared/id.ts'
import { SEEDED_AT_MS } from './tenant.ts'

export async function seedOperator(sql: Sql): Promise<string> {
  const key = newOperatorKey()
  await sql`
    insert into operators (id, name, hash, last4, created_at)
    values (${newId('op', SEEDED_AT_MS)}, 'Operator', ${apiKeyHash(key)}, ${key.slice(-4)},
      ${SEEDED_AT_MS})`
  return key
}
