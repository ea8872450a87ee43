// A tenant whose every text of its own is hostile: markup, marks of direction, control characters,
// emoji, and a word of ten thousand characters.
import type { Sql } from '../../api/database/pool.ts'

/** Marks the element that a page would have if it took a text for markup. */
export const HOSTILE_ID = 'hostile'

export const HOSTILE_TEXT =
  '=1+1"\'><img id=' +
  HOSTILE_ID +
  ' src=x onerror=alert(1)></title><script id=' +
  HOSTILE_ID +
  '>alert(1)</script>{{7*7}}\u202e\u2066\u0007\u001b[31m\ud83d\udc69\u200d\ud83d\ude80' +
  'W'.repeat(10_000)

const COLUMNS = [
  ...['programs.name', 'programs.external_id', 'cardholders.name', 'cardholders.external_id'],
  ...['cards.suspend_reason', 'cards.external_id', 'card_transactions.merchant_name'],
  ...['disputes.explanation', 'disputes.external_id', 'pass_templates.name', 'passes.holder_name'],
  ...['scanners.name', 'api_keys.name', 'webhook_endpoints.description', 'payments.description'],
  ...['settlement_accounts.name', 'passes.external_id', 'spending_controls.external_id'],
]

/** Tables of resources with tenant fields: name and value of an entry are the tenant's. */
const WITH_METADATA = [
  ...['programs', 'cardholders', 'cards', 'disputes', 'pass_templates', 'passes', 'scanners'],
  ...['api_keys', 'webhook_endpoints', 'spending_controls', 'payments'],
]

/** Writes the text where a tenant could have put one, past every limit of the API. */
export async function makeHostile(sql: Sql, tenantId: string): Promise<void> {
  for (const column of COLUMNS) {
    const [table = '', name = ''] = column.split('.')
    await sql`update ${sql(table)} set ${sql(name)} = ${HOSTILE_TEXT} || id where tenant_id = ${tenantId}`
  }
  const metadata = JSON.stringify({ [HOSTILE_TEXT]: HOSTILE_TEXT })
  for (const table of WITH_METADATA)
    await sql`
      update ${sql(table)} set metadata = ${metadata}::text::jsonb where tenant_id = ${tenantId}`
  await sql`update tenants set name = ${HOSTILE_TEXT} where id = ${tenantId}`
  await sql`
    update identities set name = ${HOSTILE_TEXT}
    where id in (select identity_id from users where tenant_id = ${tenantId})`
}
