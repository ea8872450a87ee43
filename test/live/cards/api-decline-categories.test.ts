// Merchant categories of the newest declines: counted over a fixed number of rows.
import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import type { DeclineCategories } from '../../../shared/schemas/decline-categories.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { decidedEntry, drain } from '../../harness/drained.ts'
import { SEEDED_AT_MS } from '../../harness/tenant.ts'

const PATH = '/v1/authorization_statistics/decline_categories'

async function read(api: TestApi, key = api.tenant.keys.read): Promise<DeclineCategories> {
  const answer = await api.call('GET', PATH, { key })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body
}

/** As many transactions at merchants of a category; odd amounts are declined. */
async function seed(
  api: TestApi,
  {
    mcc,
    count,
    amountCents,
    atMs,
  }: { mcc: string; count: number; amountCents: number; atMs: number },
): Promise<void> {
  const entries = Array.from({ length: count }, () => {
    const receivedAtMs = SEEDED_AT_MS + atMs
    const id = newId('txn', receivedAtMs)
    const entry = decidedEntry(api.tenant, { id, receivedAtMs, amountCents })
    return { ...entry, message: { ...entry.message, mcc } }
  })
  await drain(api.sql, ...entries)
}

test('the newest declines stand by category, the most frequent first', async (t) => {
  const api = await startTestApi()
  t.match(await read(api), { declines: 0, since: null, categories: [] })
  await seed(api, { mcc: '5411', count: 2, amountCents: 101, atMs: 1000 })
  await seed(api, { mcc: '7995', count: 3, amountCents: 301, atMs: 2000 })
  await seed(api, { mcc: '5411', count: 4, amountCents: 100, atMs: 3000 })
  const { categories, ...whole } = await read(api)
  t.match(whole, { object: 'decline_categories', declines: 5, since: SEEDED_AT_MS / 1000 + 1 })
  t.match(categories, [
    { mcc: '7995', declines: 3 },
    { mcc: '5411', declines: 2 },
  ])
  t.type(categories[0]?.reason, 'string')
  t.match(await read(api, api.other.keys.read), { declines: 0, categories: [] })
})

test('a thousand declines count, however many there are', async (t) => {
  const api = await startTestApi()
  await seed(api, { mcc: '4111', count: 10, amountCents: 101, atMs: 0 })
  await seed(api, { mcc: '5812', count: 1000, amountCents: 101, atMs: 1000 })
  t.match(await read(api), { declines: 1000, categories: [{ mcc: '5812', declines: 1000 }] })
})
