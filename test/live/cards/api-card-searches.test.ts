// Cards of a tenant that has very many: a search reads what it shows, on the first page and on a
// deep one.
import { test } from 'tap'
import { type TxSql, tx } from '../../../api/database/transaction.ts'
import { type CardFilters, listCards } from '../../../api/issuing/cards/store.ts'
import { startTestApi } from '../../harness/api.ts'
import { repeats } from '../../harness/long.ts'

const CARDS = repeats(20_000, 200_000)
const CARDHOLDERS = CARDS / 40
/** A statement has a time limit, also on a busy machine. */
const CARDS_AT_ONCE = 20_000
const LIMIT = 25
/** The page, and the rows skipped on the way to it: every fourth card belongs to one cardholder. */
const ROWS_READ_MAX = 6 * LIMIT

function idOf(number: number): string {
  return 'card_' + String(number).padStart(26, '0')
}

/** Scans of the whole table, and rows found by an index, as this connection counted them so far. */
async function readRows(sql: TxSql): Promise<{ whole: number; rows: number }> {
  const [read] = await sql<[{ whole: number; rows: number }]>`
    select seq_scan as whole, idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'cards'`
  return read
}

test('a search among very many cards reads one page of them, however deep', async (t) => {
  const { sql, tenant } = await startTestApi()
  const { tenantId, environment } = tenant
  for (let from = 0; from < CARDS; from += CARDS_AT_ONCE) {
    await tx(sql, async (inner) => {
      // Triggers of the table are not under test here.
      await inner`set local session_replication_role = replica`
      await inner`
        insert into cards (id, tenant_id, environment, program_id, cardholder_id, type, status, token, fingerprint,
          sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at, external_id)
        select 'card_' || lpad(n::text, 26, '0'), tenant_id, environment, program_id,
          case n % 4 when 0 then cardholder_id else 'ch_' || n % ${CARDHOLDERS}::integer end, type,
          case n % 100 when 0 then 'suspended' else 'active' end, 'tok_' || n, 'f' || n,
          sealed_pan, lpad((n % ${CARDS / 50}::integer)::text, 4, '0'), exp_month, exp_year, cvc_verifier, currency,
          created_at + n, 'own-' || n
        from cards, generate_series(${from + 1}::integer, ${from + CARDS_AT_ONCE}::integer) n
        where cards.id = ${tenant.cardId}`
    })
  }
  await sql`analyze cards`
  const deep = idOf(5001)
  const searches: [string, CardFilters, number][] = [
    ['all of them', {}, LIMIT],
    ['the end of the number', { last4: '0017' }, LIMIT],
    ['an own id', { external_id: 'own-4711' }, 1],
    ['the rare state', { status: 'suspended' }, LIMIT],
    ['the usual state', { status: 'active' }, LIMIT],
    ['a cardholder of many', { cardholder_id: tenant.cardholderId }, LIMIT],
    ['a cardholder of few', { cardholder_id: 'ch_17' }, LIMIT],
    ['a state of a cardholder', { status: 'active', cardholder_id: 'ch_471' }, LIMIT],
  ]
  for (const [what, filters, most] of searches) {
    for (const from of [{}, { starting_after: deep }]) {
      const where = what + ('starting_after' in from ? ', deep' : '')
      await tx(sql, async (inner) => {
        const query = { ...filters, ...from, limit: LIMIT }
        const before = await readRows(inner)
        const page = await listCards(inner, { tenantId, environment, clockOffsetMs: 0 }, query)
        const after = await readRows(inner)
        t.equal(after.whole, before.whole, where + ' reads no table whole')
        const rows = after.rows - before.rows
        t.ok(rows > 0 && rows <= ROWS_READ_MAX, where + ' reads ' + rows + ' cards')
        if (where === what) t.equal(page.rows.length, most, where)
        else
          t.ok(
            page.rows.every(({ id }) => id < deep),
            where,
          )
      })
    }
  }
})
