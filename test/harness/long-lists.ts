// A tenant with a long history: each of its lists grows to any number of rows, copies of one that
// was made whole. All copies are alike, so a filter by another value matches almost none of them.
import { openPool, type Sql } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { copyRows } from '../../bench/growth/copied-rows.ts'
import { SEEDED_AT_MS } from './tenant.ts'

/** Milliseconds from one copy to the next: they are as old as their ids say. */
const STEP_MS = 6000
/** A holder has a quarter of an hour unless the call says otherwise. */
const ENDS_MS = 900_000
/** Payments of each payment account. */
const OF_AN_ACCOUNT = 1000

interface Growing {
  /** The column of its ids; absent: `id`. */
  key?: string
  /** Columns of ids that are copied with the number of the copy. */
  spread?: readonly string[]
  /** The column of a moment soon after its creation. */
  ends?: string
  /** SQL of the columns that differ in a copy beside its id and its moments. */
  changes: { readonly [column: string]: string }
}

/** The table of the rows that a key names, where that is not its own. */
const OF: { readonly [key: string]: string } = {
  ...{ control_id: 'spending_controls', transaction_id: 'card_transactions' },
}
/** Lists that are ordered by numbers: the rows that were there come after the copies. */
const NUMBERED = ['card_transactions', 'events', 'audit_log']

/** The tables that grow with use, in the order in which they refer to each other. */
const GROWING = {
  cardholders: { changes: { external_id: 'null' } },
  cards: {
    spread: ['cardholder_id'],
    changes: {
      ...{ external_id: 'null', token: 'o.token || n', fingerprint: 'o.fingerprint || n' },
    },
  },
  wallet_tokens: { spread: ['card_id'], changes: { external_id: 'null' } },
  spending_controls: { spread: ['subject_id'], changes: { external_id: 'null' } },
  spending_control_versions: { key: 'control_id', changes: {} },
  card_transactions: {
    changes: {
      ...{ seq: 'n', amount_cents: 'n', network_transaction_id: "'ntx-' || n" },
    },
  },
  card_transaction_messages: {
    key: 'transaction_id',
    changes: { message_id: "o.message_id || '-' || n" },
  },
  disputes: {
    spread: ['card_id', 'cardholder_id'],
    // Each of another transaction.
    changes: {
      external_id: 'null',
      transaction_id:
        '(select t.id from card_transactions t where t.tenant_id = o.tenant_id ' +
        'and t.environment = o.environment and t.seq = n)',
    },
  },
  passes: { changes: { external_id: 'null' } },
  pass_scans: { changes: {} },
  sanctions_alerts: { spread: ['cardholder_id'], changes: {} },
  events: { changes: { seq: 'n' } },
  open_deliveries: { changes: {} },
  ended_deliveries: { changes: {} },
  payment_accounts: {
    changes: {
      ...{ status: "'closed'", external_id: 'null', address: 'null', enrolment_hash: 'null' },
      ...{ credential_id: 'null', public_x: 'null', public_y: 'null' },
    },
  },
  payment_mandates: { changes: { external_id: 'null', confirmation_hash: 'null' } },
  payment_withdrawals: {
    ends: 'confirmation_expires_at',
    changes: { external_id: 'null', confirmation_hash: 'null' },
  },
  payments: {
    changes: {
      ...{ external_id: 'null', status: "'captured'", captured_cents: 'o.amount_cents' },
    },
  },
  settlement_batches: { changes: {} },
  audit_log: { changes: { seq: 'n' } },
} as const satisfies { [table: string]: Growing }

export const GROWING_TABLES: readonly string[] = Object.keys(GROWING)

/**
 * Copies a row of each table so often. The copies end at the moment in which the tenant was made;
 * `log` gets the name of each table and its seconds.
 */
export async function lengthen(
  databaseUrl: string,
  of: { tenantId: string; rows: number; log: (text: string) => void },
): Promise<void> {
  const pool = { max: 1, applicationName: 'svc-test', statementTimeoutMs: 0 }
  const sql = openPool(databaseUrl, pool)
  try {
    await copyAll(sql, of)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function copyAll(
  sql: Sql,
  { tenantId, rows, log }: { tenantId: string; rows: number; log: (text: string) => void },
): Promise<void> {
  const momentOf = (n: string): string =>
    SEEDED_AT_MS - rows * STEP_MS + '::bigint + ' + n + ' * ' + STEP_MS
  const idOf = (column: string, n = 'n'): string =>
    `id_floor(split_part(${column}, '_', 1), ${momentOf(n)}) || right(${column}, 6)` +
    ` || lpad(to_hex(${n}), 10, '0')`
  await tx(sql, async (inner) => {
    // Rows of the audit log never change.
    await inner`set local session_replication_role = replica`
    for (const table of NUMBERED)
      await inner`
        update ${inner(table)} set seq = seq + ${rows}
        where tenant_id = ${tenantId} and environment = 'sandbox'`
  })
  for (const [table, growing] of Object.entries<Growing>(GROWING)) {
    const { changes, spread = [], key = 'id', ends } = growing
    const from = performance.now()
    const [row] = await sql<{ id: string }[]>`
      select min(${sql(key)}) as id from ${sql(table)}
      where ${sql(key)} in (
        select id from ${sql(OF[key] ?? table)}
        where tenant_id = ${tenantId} and environment = 'sandbox'
      )`
    if (row?.id == null) throw new Error('the tenant has nothing in ' + table)
    const moment = table === 'card_transaction_messages' ? 'happened_at' : 'created_at'
    const moments = { [moment]: momentOf('n'), [key]: idOf('o.' + key) }
    const copied = Object.fromEntries(spread.map((column) => [column, idOf('o.' + column)]))
    if (table === 'payments')
      copied['payment_account_id'] = idOf('o.payment_account_id', `(n / ${OF_AN_ACCOUNT} + 1)`)
    if (ends !== undefined) copied[ends] = momentOf('n') + ' + ' + ENDS_MS
    const copying = { table, key, changes: { ...moments, ...changes, ...copied } }
    const indexes = await dropIndexes(sql, table)
    await copyRows(sql, { id: row.id, first: 1, last: rows }, [copying])
    for (const index of indexes) await sql.unsafe(index)
    // Rows of later tables are found by those of this one.
    await sql`analyze ${sql(table)}`
    log(table + ' ' + Math.round((performance.now() - from) / 1000) + ' s')
  }
  await sql`
    update spending_controls set seq = default
    where tenant_id = ${tenantId} and created_at > ${SEEDED_AT_MS}`
  await sql`
    update tenant_sequences
    set event_seq = event_seq + ${rows}, transaction_seq = transaction_seq + ${rows}
    where tenant_id = ${tenantId} and environment = 'sandbox'`
  await sql`
    update audit_heads set seq = seq + ${rows}
    where tenant_id = ${tenantId} and environment = 'sandbox'`
  await sql`
    update pass_counts set count = count + ${rows} where ctid = (
      select ctid from pass_counts where tenant_id = ${tenantId} and count > 0 limit 1)`
  await sql`analyze`
}

/**
 * Drops the indexes of a table that hold no rule, and returns the statements that make them again:
 * a million rows are sorted sooner than inserted one by one.
 */
async function dropIndexes(sql: Sql, table: string): Promise<string[]> {
  const indexes = await sql<{ name: string; made: string }[]>`
    select i.indexrelid::regclass::text as name,
      replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as made
    from pg_index i where i.indrelid = ${table}::regclass and not i.indisunique`
  for (const { name } of indexes) await sql.unsafe('drop index ' + name)
  return indexes.map(({ made }) => made)
}

export interface Reads {
  rows: number
  /** Blocks of tables and indexes, in memory or not. */
  blocks: number
}

/** Reads of the growing tables so far by table, a partition under the name of its table. */
export async function readsByTable(sql: Sql, connections: number): Promise<Map<string, Reads>> {
  // A connection counts by itself and tells later, unless it is asked to. A short sleep keeps each
  // of them busy: each is asked.
  await Promise.all(
    Array.from(
      { length: connections },
      () => sql`select pg_stat_force_next_flush(), pg_sleep(0.02)`,
    ),
  )
  const rows = await sql<({ name: string } & Reads)[]>`
    select coalesce(p.relname, s.relname) as name,
      sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0))::float8 as rows,
      sum(b.heap_blks_read + b.heap_blks_hit + coalesce(b.idx_blks_read + b.idx_blks_hit, 0))::float8
        as blocks
    from pg_stat_user_tables s join pg_statio_user_tables b using (relid)
      left join pg_inherits i on i.inhrelid = s.relid left join pg_class p on p.oid = i.inhparent
    where coalesce(p.relname, s.relname) = any(${[...GROWING_TABLES]}::text[])
    group by 1`
  return new Map(rows.map(({ name, ...reads }) => [name, reads]))
}
