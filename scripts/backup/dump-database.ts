// The database as files: every table in one read-only snapshot by COPY. Neither PostgreSQL's own
// programs nor access to its directory are needed.
import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Sql } from '../../api/database/pool.ts'
import { type TxSql, tx } from '../../api/database/transaction.ts'
import { type MasterKeys, SEAL_CONTEXTS, unseal } from '../../shared/keyring.ts'
import { FIRST_SHARD } from '../../shared/shards.ts'
import type { BackupTable, Manifest } from './manifest.ts'

/** Folder of the tables inside a backup. */
const TABLES_FOLDER = 'database'
/**
 * Identity and position of this database alone: a restored one gets its own, and the engine then
 * takes the configuration in full.
 */
export const NOT_COPIED = ['installation', 'config_horizon', 'migration_history']
/** Transaction ids mean nothing in another database; the column has a default. */
const XID_COLUMN = 'xid8'
const COMPRESSION = 1
const NEWLINE = 10

/** The journal that the database follows for a shard, and the last entry that it has. */
export interface ShardCursor {
  shard: string
  journal_id: string
  seq: number
}

export interface DatabaseCopy {
  database: Manifest['database']
  /** The first shard's first. */
  cursors: readonly ShardCursor[]
}

/**
 * Copies every table into `directory`. Throws where the master keys do not open the root of this
 * database.
 */
export function dumpDatabase(sql: Sql, directory: string, keys: MasterKeys): Promise<DatabaseCopy> {
  mkdirSync(join(directory, TABLES_FOLDER), { mode: 0o700 })
  return tx(
    sql,
    async (inner) => {
      await inner`set transaction read only`
      await requireRoot(inner, keys)
      const [server] = await inner<
        { version: string }[]
      >`select current_setting('server_version') as version`
      // Before migration 0030 the table had no column of that name, and one row.
      const cursors = await inner<ShardCursor[]>`
        select coalesce(to_jsonb(c) ->> 'shard', ${FIRST_SHARD}) as shard, journal_id, seq
        from journal_cursor c order by length(coalesce(to_jsonb(c) ->> 'shard', '')), 1`
      const tables: BackupTable[] = []
      for (const { name, columns } of await listTables(inner)) {
        const file = TABLES_FOLDER + '/' + name + '.copy.gz'
        const rows = await copyOut(inner, { name, columns, path: join(directory, file) })
        tables.push({ name, columns, rows, file })
      }
      const database: Manifest['database'] = {
        server_version: server?.version ?? '',
        migrations: await inner<Manifest['database']['migrations']>`
          select number, name, sha256 from migration_history order by number`,
        drained_seq: cursors.find(({ shard }) => shard === FIRST_SHARD)?.seq ?? 0,
        tables,
        days: await listDays(inner),
        // Sequences stand outside every snapshot: read last, they are never behind the rows.
        sequences: await inner<Manifest['database']['sequences']>`
          select sequencename as name, last_value::bigint as value from pg_sequences
          where schemaname = current_schema() and last_value is not null order by 1`,
      }
      return { database, cursors }
    },
    { isolation: 'repeatable read' },
  )
}

async function requireRoot(sql: TxSql, keys: MasterKeys): Promise<void> {
  const [root] = await sql<{ sealed: string }[]>`select sealed from derivation_root`
  if (root === undefined) return
  const opened = unseal(keys, SEAL_CONTEXTS.root, root.sealed)
  if (!opened.ok)
    throw new Error('The master keys are not those of this database: ' + opened.error + '.')
}

function listTables(sql: TxSql): Promise<{ name: string; columns: string[] }[]> {
  return sql<{ name: string; columns: string[] }[]>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname <> all (${NOT_COPIED}::text[])
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.atttypid <> ${XID_COLUMN}::regtype
    group by c.relname order by c.relname`
}

function listDays(sql: TxSql): Promise<Manifest['database']['days']> {
  return sql<Manifest['database']['days']>`
    select p.relname as kept, to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname in (select kept from day_tables()) and c.relname ~ '_[0-9]{8}$'
    order by 1, 2`
}

/** Returns the number of rows: each ends with the one kind of newline that COPY does not escape. */
async function copyOut(
  sql: TxSql,
  table: { name: string; columns: readonly string[]; path: string },
): Promise<number> {
  let rows = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) rows++
      done(null, chunk)
    },
  })
  const columns = table.columns.map(quoted).join(', ')
  const statement = 'copy (select ' + columns + ' from ' + quoted(table.name) + ') to stdout'
  const file = createWriteStream(table.path, { mode: 0o600, flags: 'wx', flush: true })
  const stream = await sql.unsafe(statement).readable()
  await pipeline(stream, counted, createGzip({ level: COMPRESSION }), file)
  // The driver pauses its socket when the last rows fill the stream, and then never reads again: it
  // resumes in `_read`, which an ended stream does not call.
  stream._read(0)
  return rows
}

/** An identifier for SQL; the names come from catalogs or a signed list. */
export function quoted(name: string): string {
  return '"' + name.replaceAll('"', '""') + '"'
}
