// Every version of the config records behind past decisions, for deciding a journal again.
import type { KeptConfig } from '../../shared/wire/config-records.ts'
import type { SqlTag } from '../database/pool.ts'
import { KEPT_TYPES, readConfig } from './config-rows.ts'

const PAGE_ROWS = 5000

/**
 * All kept versions of programs, cardholders, cards, controls and rates, type by type in the order
 * of ids and versions.
 */
export async function* readConfigHistory(sql: SqlTag): AsyncIterable<KeptConfig> {
  for (const type of KEPT_TYPES) {
    let history = { id: '', version: 0 }
    for (;;) {
      const page = await readConfig(sql, type, { history, most: PAGE_ROWS })
      for (const configRecord of page) yield configRecord as KeptConfig
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE_ROWS) break
      history = { id: last.id, version: last.version }
    }
  }
}
