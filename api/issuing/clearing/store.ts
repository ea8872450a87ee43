// Every SQL statement about clearing files. A file belongs to the installation and a network, and
// names messages of all tenants; a tenant's reads name the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type {
  ClearedKind,
  ClearingEntry,
  ClearingExceptionKind,
} from '../../../shared/schemas/clearing-file.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { type CreatedFilters, createdWithin } from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { ClearingFileRow } from './view.ts'

function fileColumns(sql: SqlTag): Fragment {
  return sql`
    id, environment, network, file_id as "fileId",
    to_char(business_date, 'YYYY-MM-DD') as "businessDate", status, entries, matched,
    (
      select coalesce(jsonb_object_agg(counted.kind, counted.number), '{}')
      from (
        select kind, count(*) as number from clearing_exceptions
        where clearing_file_id = clearing_files.id group by kind
      ) counted
    ) as exceptions,
    created_at as "createdAt", closed_at as "closedAt"`
}

/** Returns true if a network with a key of that environment sends messages under this name. */
export async function knowsNetwork(
  sql: TxSql,
  named: { network: string; environment: Environment },
): Promise<boolean> {
  const rows = await sql`
    select 1 from network_keys
    where network = ${named.network} and environment = ${named.environment} limit 1`
  return rows.length > 0
}

export interface NewClearingFile {
  id: string
  environment: Environment
  network: string
  fileId: string
  businessDate: string
  createdAt: EpochMs
}

/** Returns the file of that name, created if it is new. */
export async function openFile(sql: TxSql, file: NewClearingFile): Promise<ClearingFileRow> {
  await sql`
    insert into clearing_files (id, environment, network, file_id, business_date, created_at)
    values (${file.id}, ${file.environment}, ${file.network}, ${file.fileId},
      ${file.businessDate}::text::date, ${file.createdAt})
    on conflict (network, environment, file_id) do nothing`
  const [row] = await sql<ClearingFileRow[]>`
    select ${fileColumns(sql)} from clearing_files
    where network = ${file.network} and environment = ${file.environment}
      and file_id = ${file.fileId}`
  assert(row !== undefined, 'a file that was there or was inserted is found')
  return row
}

export async function findFile(sql: SqlTag, id: string): Promise<ClearingFileRow | null> {
  const [row] = await sql<ClearingFileRow[]>`
    select ${fileColumns(sql)} from clearing_files where id = ${id}`
  return row ?? null
}

/**
 * Locks the file until the transaction ends. Chosen: the whole installation takes one part of one
 * file at a time: exceptions become visible in the order of their numbers, so that a reader who
 * follows their list misses none.
 */
export async function lockFile(sql: TxSql, id: string): Promise<ClearingFileRow | null> {
  await sql`select pg_advisory_xact_lock(hashtextextended('clearing files', 0))`
  return findFile(sql, id)
}

export interface FileFilters extends CreatedFilters {
  network?: string
  environment?: Environment
  business_date?: string
  status?: 'open' | 'closed'
}

/** Lists by id, which is the order in which they were opened. */
export async function listFiles(
  sql: SqlTag,
  query: PageQuery & FileFilters,
): Promise<PageRows<ClearingFileRow>> {
  const { network, environment, business_date: date, status } = query
  return readPage<ClearingFileRow>(sql, query, {
    list: 'clearing_files',
    column: 'id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<ClearingFileRow[]>`
      select ${fileColumns(sql)} from clearing_files
      where true ${createdWithin(sql, query)}
        ${network === undefined ? sql`` : sql`and network = ${network}`}
        ${environment === undefined ? sql`` : sql`and environment = ${environment}`}
        ${date === undefined ? sql`` : sql`and business_date = ${date}::text::date`}
        ${status === undefined ? sql`` : sql`and status = ${status}`}
        and ${range}
      ${ordered}`,
  })
}

/** The hash of a part that was taken before, or null. */
export async function heldPart(
  sql: TxSql,
  named: { clearingFileId: string; part: number },
): Promise<Buffer | null> {
  const [row] = await sql<{ hash: Buffer }[]>`
    select content_hash as hash from clearing_parts
    where clearing_file_id = ${named.clearingFileId} and part = ${named.part}`
  return row?.hash ?? null
}

/** Adds a part to a locked file. */
export async function insertPart(
  sql: TxSql,
  given: { clearingFileId: string; part: number; hash: Buffer; entries: number; matched: number },
): Promise<void> {
  const { clearingFileId, part, hash, entries, matched } = given
  await sql`
    with counted as (
      update clearing_files set entries = entries + ${entries}, matched = matched + ${matched}
      where id = ${clearingFileId}
    )
    insert into clearing_parts (clearing_file_id, part, content_hash)
    values (${clearingFileId}, ${part}, ${hash})`
}

/** The key of a message among those of one network. */
export function entryKey({ message_id, kind }: { message_id: string; kind: string }): string {
  return kind + ' ' + message_id
}

/** Keys of the entries that no earlier file of the network named. */
export async function nameEntries(
  sql: TxSql,
  { id, environment, network }: ClearingFileRow,
  entries: readonly ClearingEntry[],
): Promise<Set<string>> {
  const rows = await sql<{ message_id: string; kind: string }[]>`
    insert into clearing_entries (clearing_file_id, environment, network, kind, message_id)
    select ${id}, ${environment}, ${network}, kind, message_id
    from unnest(
      ${entries.map(({ kind }) => kind)}::text[],
      ${entries.map((entry) => entry.message_id)}::text[]
    ) as named (kind, message_id)
    order by message_id, kind
    on conflict do nothing
    returning message_id, kind`
  return new Set(rows.map(entryKey))
}

export interface RecordedMessage {
  message_id: string
  kind: ClearedKind
  tenantId: string
  transactionId: string
  sequence: number
  /** The journal entry of the message. */
  entry: Buffer
}

/** The recorded messages that entries name, by key. */
export async function recordedMessages(
  sql: TxSql,
  { environment, network }: ClearingFileRow,
  entries: readonly ClearingEntry[],
): Promise<Map<string, RecordedMessage>> {
  const rows = await sql<RecordedMessage[]>`
    select m.message_id, m.kind, t.tenant_id as "tenantId", t.id as "transactionId", m.sequence, m.entry
    from unnest(${entries.map((entry) => entry.message_id)}::text[]) as named (message_id)
    join card_transaction_messages m on m.network = ${network} and m.message_id = named.message_id
    join card_transactions t on t.id = m.transaction_id and t.environment = ${environment}`
  return new Map(rows.map((row) => [entryKey(row), row]))
}

export interface NewException {
  kind: ClearingExceptionKind
  message_id: string
  message_kind: ClearedKind
  file_amount: number | null
  file_currency: string | null
  tenant_id: string | null
  transaction_id: string | null
  sequence: number | null
}

export async function insertExceptions(
  sql: TxSql,
  { id, environment }: ClearingFileRow,
  { found, now }: { found: readonly NewException[]; now: EpochMs },
): Promise<void> {
  if (found.length === 0) return
  await sql`
    insert into clearing_exceptions (clearing_file_id, environment, created_at, kind, message_id,
      message_kind, file_amount, file_currency, tenant_id, transaction_id, sequence)
    select ${id}, ${environment}, ${now}, kind, message_id, message_kind, file_amount,
      file_currency, tenant_id, transaction_id, sequence
    from json_to_recordset(${JSON.stringify(found)}::text::json) as found (
      kind text, message_id text, message_kind text, file_amount bigint, file_currency text,
      tenant_id text, transaction_id text, sequence integer
    )`
}

/**
 * Closes a locked file. Messages of the network that moved money on that day (UTC, by receipt) and
 * that no file of the network names are reported as missing in this one.
 */
export async function closeFile(sql: TxSql, file: ClearingFileRow, now: EpochMs): Promise<void> {
  const { id, environment, network, businessDate } = file
  const from = Date.parse(businessDate + 'T00:00:00Z')
  await sql`
    insert into clearing_exceptions (clearing_file_id, environment, created_at, kind, message_id,
      message_kind, tenant_id, transaction_id, sequence)
    select ${id}, ${environment}, ${now}, 'missing_in_file', m.message_id, m.kind, t.tenant_id, t.id,
      m.sequence
    from card_transaction_messages m
    join card_transactions t on t.id = m.transaction_id and t.environment = ${environment}
    where m.network = ${network} and m.happened_at >= ${from} and m.happened_at < ${from + DAY_MS}
      and m.kind in ('capture', 'refund', 'capture_reversal', 'refund_reversal')
      and not exists (
        select 1 from clearing_entries e
        where e.network = ${network} and e.environment = ${environment}
          and e.message_id = m.message_id and e.kind = m.kind
      )
    order by m.happened_at`
  await sql`update clearing_files set status = 'closed', closed_at = ${now} where id = ${id}`
}

const DAY_MS = 86_400_000
