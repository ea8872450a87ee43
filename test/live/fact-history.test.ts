import { test } from 'tap'
import { readFactHistory } from '../../api/engine-link/fact-history.ts'
import { readFacts } from '../../api/engine-link/fact-rows.ts'
import type { KeptFact } from '../../shared/wire/facts.ts'
import { openTestDatabase } from '../harness/postgres.ts'
import { seedTenant } from '../harness/tenant.ts'

test('every version of what decisions are made by is kept, and nothing sealed with it', async (t) => {
  const { sql } = await openTestDatabase(t)
  const { cardId, programId, cardholderId } = await seedTenant(sql, 'sandbox')
  await sql`update cards set status = 'suspended' where id = ${cardId}`
  await sql`update controls set controls = jsonb_set(controls, '{0,limits,0,amount_cents}', '77')
    where subject_id = ${cardId}`
  await sql`update programs set time_zone = 'Europe/Berlin' where id = ${programId}`
  await sql`update cards set status = 'active' where id = ${cardId}`

  const kept: KeptFact[] = []
  for await (const fact of readFactHistory(sql)) kept.push(fact)
  const ofCard = kept.filter((fact) => fact.type === 'card' && fact.id === cardId)
  t.same(
    ofCard.map((fact) => (fact.type === 'card' ? [fact.version, fact.status] : [])),
    [
      [1, 'active'],
      [2, 'suspended'],
      [3, 'active'],
    ],
  )
  const amounts = kept.flatMap((fact) =>
    fact.type === 'controls' && fact.id === cardId
      ? fact.controls.flatMap((control) => control.limits.map((limit) => limit.amount_cents))
      : [],
  )
  t.same(amounts, [10_000, 77])
  for (const [type, id] of [
    ['card', cardId],
    ['program', programId],
    ['cardholder', cardholderId],
    ['controls', cardId],
  ] as const) {
    const [now] = await readFacts(sql, type, { ids: [id] })
    t.same(kept.filter((fact) => fact.type === type && fact.id === id).at(-1), now, type)
  }
  const [{ text }] = await sql<[{ text: string }]>`
    select string_agg(body::text, '') as text from fact_history`
  t.notMatch(text, /sealed/)
})
