// A full copy of the configuration, read in one snapshot and pushed page by page into its own
// generation.
import { newId } from '../../shared/id.ts'
import {
  CONFIG_TYPES,
  type ConfigRecord,
  type ConfigType,
} from '../../shared/wire/config-records.ts'
import { withDeadline } from '../database/deadline.ts'
import type { Sql } from '../database/pool.ts'
import { type TxSql, tx } from '../database/transaction.ts'
import type { EngineClient } from './client.ts'
import { readConfig } from './config-rows.ts'

const PAGE_FACTS = 200
const PAGE_MS_MAX = 10_000

/**
 * Returns the cursor of the copy that the engine now has. Rejects when either side failed; the
 * engine keeps its earlier copy.
 */
export async function resyncConfig(parts: {
  sql: Sql
  client: EngineClient
  databaseId: string
}): Promise<string> {
  const { sql, client, databaseId } = parts
  const base = newId('resync', client.clock.nowMs())
  // The snapshot must last as long as the copy, so this transaction waits for the engine between
  // its statements. It holds no locks, and every wait has a deadline.
  return tx(
    sql,
    async (inner) => {
      await inner`set transaction read only`
      const [row] = await inner<{ cursor: string }[]>`select pg_current_snapshot()::text as cursor`
      if (row === undefined) throw new Error('a snapshot without a row')
      const step = { database_id: databaseId, base, changes: [], cursor: null }
      await client.pushConfig({ ...step, step: 'begin' })
      for (const type of CONFIG_TYPES)
        for await (const changes of pages(inner, type))
          await client.pushConfig({ ...step, step: 'part', changes })
      await client.pushConfig({ ...step, step: 'commit', cursor: row.cursor })
      return row.cursor
    },
    { isolation: 'repeatable read' },
  )
}

async function* pages(sql: TxSql, type: ConfigType): AsyncGenerator<readonly ConfigRecord[]> {
  let after = ''
  while (true) {
    const page = await withDeadline(readConfig(sql, type, { after, most: PAGE_FACTS }), PAGE_MS_MAX)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    if (page.length < PAGE_FACTS) return
    after = last.id
  }
}
