// Re-encrypts every sealed value that is not under the current master key. Triggers version the
// rows, so the engine gets the new values like any other change.
import { type MasterKeys, SEAL_CONTEXTS, seal, unseal } from '../../shared/keyring.ts'
import type { Sql } from './pool.ts'
import { type TxSql, tx } from './transaction.ts'

/** Every column that holds sealed values. The root comes first: without it the rest is useless. */
const SEALED_COLUMNS = [
  { table: 'derivation_root', column: 'sealed', context: SEAL_CONTEXTS.root },
  { table: 'network_keys', column: 'sealed_secret', context: SEAL_CONTEXTS.networkSecret },
  { table: 'webhook_secrets', column: 'sealed', context: SEAL_CONTEXTS.webhookSecret },
  { table: 'cards', column: 'sealed_pan', context: SEAL_CONTEXTS.pan },
  { table: 'identities', column: 'totp_sealed', context: SEAL_CONTEXTS.totpSecret },
  // Stored answers stay: without them a repeated call would do its work again, and ask the person
  // for approval again.
  { table: 'idempotency_keys', column: 'sealed', context: SEAL_CONTEXTS.idempotencyKey },
  { table: 'settlement_wallets', column: 'sealed_key', context: SEAL_CONTEXTS.sponsorKey },
  { table: 'factor_challenges', column: 'sealed', context: SEAL_CONTEXTS.factorChallenge },
  { table: 'cardholder_erasures', column: 'sealed', context: SEAL_CONTEXTS.erasedIdentity },
  { table: 'mails', column: 'sealed', context: SEAL_CONTEXTS.mail },
] as const

type SealedColumn = (typeof SEALED_COLUMNS)[number]

export interface RekeyedTable {
  table: string
  rekeyed: number
  /** Values that no configured key opens; they stay unchanged. */
  unopened: number
  /** The reasons, each once. Never a value. */
  problems: readonly string[]
}

/** Rows per transaction: few enough that an authorization's configuration is never delayed. */
const BATCH_ROWS_MAX = 500

/**
 * Counts values under an older key that is still configured: the remainder of an interrupted run.
 */
export async function countOutdated(sql: Sql, keys: MasterKeys): Promise<number> {
  const older = keys.slice(1).map((key) => key.id)
  let count = 0
  for (const { table, column } of SEALED_COLUMNS) {
    const [row] = await sql<{ count: number }[]>`
      select count(*) from ${sql(table)} where split_part(${sql(column)}, ':', 2) = any(${older}::text[])`
    count += row?.count ?? 0
  }
  return count
}

/** Resumes where an interrupted run stopped: a value under the current key is left alone. */
export async function rekeyDatabase(
  sql: Sql,
  keys: MasterKeys,
  report: (table: RekeyedTable) => void,
): Promise<readonly RekeyedTable[]> {
  const tables: RekeyedTable[] = []
  for (const sealed of SEALED_COLUMNS) {
    const table = await rekeyColumn(sql, keys, sealed)
    tables.push(table)
    report(table)
  }
  return tables
}

async function rekeyColumn(
  sql: Sql,
  keys: MasterKeys,
  sealed: SealedColumn,
): Promise<RekeyedTable> {
  const problems = new Set<string>()
  let rekeyed = 0
  let unopened = 0
  let after = ''
  for (;;) {
    const batch = await tx(sql, (sql) => rekeyBatch(sql, keys, { sealed, after }), {
      safeToRepeat: true,
    })
    rekeyed += batch.rekeyed
    unopened += batch.problems.length
    for (const problem of batch.problems) problems.add(problem)
    if (batch.last === null)
      return { table: sealed.table, rekeyed, unopened, problems: [...problems] }
    after = batch.last
  }
}

interface Batch {
  rekeyed: number
  problems: readonly string[]
  /** Id of the last row checked; null when there was none. */
  last: string | null
}

async function rekeyBatch(
  sql: TxSql,
  keys: MasterKeys,
  from: { sealed: SealedColumn; after: string },
): Promise<Batch> {
  const { table, column, context } = from.sealed
  const rows = await sql<{ id: string; sealed: string }[]>`
    select id, ${sql(column)} as sealed from ${sql(table)}
    where id > ${from.after} and split_part(${sql(column)}, ':', 2) <> ${keys[0].id}
    order by id limit ${BATCH_ROWS_MAX} for no key update`
  const ids: string[] = []
  const values: string[] = []
  const problems: string[] = []
  for (const row of rows) {
    const opened = unseal(keys, context, row.sealed)
    if (opened.ok) {
      ids.push(row.id)
      values.push(seal(keys, context, opened.value))
    } else problems.push(opened.error)
  }
  if (ids.length > 0) {
    await sql`
      update ${sql(table)} as kept set ${sql(column)} = fresh.sealed
      from unnest(${ids}::text[], ${values}::text[]) as fresh (id, sealed)
      where kept.id = fresh.id`
  }
  return { rekeyed: ids.length, problems, last: rows.at(-1)?.id ?? null }
}
