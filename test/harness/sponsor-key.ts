// The key that pays for the settler's transactions, and everything that the database would give
// away: a canary for logs and dumps.
import type { Sql } from '../../api/database/pool.ts'
import { parseMasterKeys, SEAL_CONTEXTS, unseal } from '../../shared/keyring.ts'
import { type SettlementStand, TEST_MASTER_KEY } from './settlement.ts'

/** The key that signs for the settler, as its wallet keeps it. */
export async function sponsorKey(at: SettlementStand): Promise<string> {
  const [wallet] = await at.sql<{ sealed: string }[]>`
    select sealed_key as sealed from settlement_wallets`
  const keys = parseMasterKeys(TEST_MASTER_KEY, false)
  if (!keys.ok) throw new Error(keys.error)
  const opened = unseal(keys.value, SEAL_CONTEXTS.sponsorKey, wallet?.sealed ?? '')
  if (!opened.ok) throw new Error(opened.error)
  return opened.value.toString('utf8')
}

/** The key as a log, a JSON text or a dump could hold it. */
export function formsOf(key: string): readonly string[] {
  const bytes = Buffer.from(key.slice(2), 'hex')
  return [
    ...[key.slice(2), key.slice(2).toUpperCase(), BigInt(key).toString()],
    ...[bytes.toString('base64'), bytes.toString('base64url'), [...bytes].join(',')],
  ]
}

/**
 * Every row of the database: as XML, and as COPY writes it, which is the form of a dump's data.
 */
export async function dumpOf(sql: Sql): Promise<string> {
  const tables = await sql<{ name: string; xml: string }[]>`
    select quote_ident(tablename) as name,
      query_to_xml('select * from ' || quote_ident(tablename), true, false, '')::text as xml
    from pg_tables where schemaname = 'public'`
  const parts: string[] = []
  for (const { name, xml } of tables) {
    parts.push(xml)
    const copied = await sql.unsafe('copy (select * from ' + name + ') to stdout').readable()
    for await (const chunk of copied) parts.push(String(chunk))
  }
  return parts.join('\n')
}
