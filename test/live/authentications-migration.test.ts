// 3DS results that were recorded while their ids were everybody's: they count on, under their
// cards, and the old names are gone.
import { test } from 'tap'
import { migrate, readMigrations } from '../../api/database/migrate.ts'
import { authenticationId } from '../../shared/wire/config-records.ts'
import { openUnmigratedDatabase } from '../harness/postgres.ts'

/** The first that names them after their cards. */
const OWNED = 9

test('a 3DS result is known by its card, and the engine is told to forget the old name', async (t) => {
  const { sql, url } = await openUnmigratedDatabase(t)
  const all = readMigrations()
  await migrate(url, () => {}, { migrations: all.filter(({ number }) => number < OWNED) })
  const owner = { tenant_id: 'ten_1', environment: 'sandbox', created_at: 0 }
  await sql`insert into tenants ${sql({ id: 'ten_1', name: 'T', api_version: 'v', created_at: 0 })}`
  await sql`insert into programs ${sql({ ...owner, id: 'prog_1', name: 'P', status: 'active' })}`
  const holder = { ...owner, id: 'ch_1', program_id: 'prog_1', name: 'Ada', status: 'active' }
  await sql`insert into cardholders ${sql(holder)}`
  const number = { token: 't', fingerprint: 'f', sealed_pan: 's', last4: '4242', cvc_verifier: 'v' }
  const card = {
    ...{ ...owner, ...number, id: 'card_1', program_id: 'prog_1', cardholder_id: 'ch_1' },
    ...{ type: 'virtual', status: 'active', exp_month: 12, exp_year: 2030, currency: 'USD' },
  }
  await sql`insert into cards ${sql(card)}`
  const found = { ...owner, id: 'ds-1', card_id: 'card_1', result: 'failed', expires_at: 9 }
  await sql`insert into authentications ${sql(found)}`
  const [{ last = 0 } = {}] = await sql<
    { last: number }[]
  >`select max(seq) as last from config_change`

  await migrate(url, () => {}, { migrations: all })
  const id = authenticationId('card_1', 'ds-1')
  const rows = await sql`select id, three_ds_id, result, expires_at from authentications`
  t.same([...rows], [{ id, three_ds_id: 'ds-1', result: 'failed', expires_at: 9 }])
  const changes = await sql`
    select id, version, removed from config_change
    where seq > ${last} and type = 'authentication' order by seq`
  t.same(
    [...changes],
    [
      { id: 'ds-1', version: 2, removed: true },
      { id, version: 2, removed: false },
    ],
  )
})
