// `npm run explain`: the whole life of a transaction as text, from the API, the journal and the
// database.
import { test } from 'tap'
import { readTransactionStory } from '../../../scripts/explain/story.ts'
import { plainText } from '../../../scripts/explain/style.ts'
import { timeline } from '../../../scripts/explain/timeline.ts'
import { TRANSACTION_FLAGS } from '../../../shared/transaction-sums.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { addDelivery } from '../../harness/deliveries.ts'
import { entryFor } from '../../harness/drain.ts'
import { drain } from '../../harness/drained.ts'
import { ENTRY_TIME_MS, lateReplyEntry } from '../../harness/entries.ts'
import { STEP_MS, Story } from '../../harness/story.ts'

async function told(api: TestApi, id: string, databaseUrl: string | null = null): Promise<string> {
  const sources = { apiUrl: api.url, key: api.tenant.keys.read, dataDir: '/nowhere', databaseUrl }
  const story = await readTransactionStory(sources, id)
  return story.ok ? timeline(story.value, plainText) : story.error
}

/** The steps of the text, in order. */
function stepsOf(text: string): string[] {
  return [...text.matchAll(/^ {0,8}[\d.]* ?m?s? +([a-z]+(?: [a-z]+)?) {1,}\S/gm)].map(
    ([, step]) => step ?? '',
  )
}

test('the text shows every message, its effect, its event and its webhooks', async (t) => {
  const api = await startTestApi()
  const { sql, tenant } = api
  const story = new Story(tenant)
  const asked = { ...entryFor(tenant).decision, standIn: true, decidedBy: 'stand_in' as const }
  await drain(
    sql,
    story.message('authorization', {
      event: 'authorized',
      amountCents: 1000,
      sums: { authorized: 1000 },
      decision: { ...asked, approvedAmountCents: 1000, holdCents: 1000 },
    }),
    story.message('incremental', { event: 'declined', amountCents: 9000 }),
    story.message('capture', { event: 'captured', amountCents: 400, sums: { captured: 400 } }),
    story.message('refund', { event: 'refunded', amountCents: 100, sums: { refunded: 100 } }),
    story.expiry({ amountCents: 600, sums: { expired: 600 }, flags: TRANSACTION_FLAGS.final }),
  )
  await drain(
    sql,
    lateReplyEntry({
      transactionId: story.id,
      repliedAtMs: ENTRY_TIME_MS + STEP_MS + 1800,
      latencyMs: 1800,
      disagrees: true,
    }),
  )
  const [event] =
    await sql`select id from events where resource_id = ${story.id} order by seq limit 1`
  const { endpointId } = tenant
  const state = 'succeeded'
  await addDelivery(sql, { id: 'del_1', eventId: event?.['id'], endpointId, state, attempts: 2 })
  await sql`
    insert into delivery_attempts (delivery_id, cycle, n, started_at, duration_ms, status, error_class)
    values ('del_1', 1, 1, 1, 15000, null, 'timeout'), ('del_1', 1, 2, 2, 31, 200, null)`
  const text = await told(api, story.id, databaseUrlOf(sql))
  t.match(text, story.id + '  partially_refunded')
  t.match(text, 'held 0.00 USD, captured 4.00 USD, refunded 1.00 USD')
  const steps = stepsOf(text)
  t.same(
    steps.filter((step) => ['message', 'capture', 'refund', 'expiry', 'event'].includes(step)),
    [
      'message',
      'event',
      'message',
      'event',
      'capture',
      'event',
      'refund',
      'event',
      'expiry',
      'event',
    ],
  )
  for (const part of [
    /^10\.00 USD at Corner shop/m,
    /initial of 10\.00 USD/,
    /incremental of 90\.00 USD/,
    /approved 10\.00 USD/,
    /late_approve after 1800 ms, which disagrees/,
    /declined limit_daily/,
    /capture +message-\d+ from simnet, 0220, at 2026-11-20T12:03:00\.000Z/,
    /4\.00 USD, now partially_captured/,
    /the hold ran out, at 2026-11-20T12:05:00\.000Z/,
    /6\.00 USD, now partially_refunded, final/,
    /evt_\w+ card\.transaction\.declined/,
    new RegExp(
      'webhook to ' +
        tenant.endpointId +
        ' succeeded: #1 timeout in 15000 ms, #2 HTTP 200 in 31 ms',
    ),
    /no endpoint was told/,
  ])
    t.match(text, part)
})

/** The database of this test's pool. */
function databaseUrlOf({ options }: TestApi['sql']): string {
  const { user, pass, host, port, database } = options
  return 'postgres://' + user + ':' + String(pass) + '@' + host[0] + ':' + port[0] + '/' + database
}

test('a missing database, a missing journal and an unknown id are one sentence each', async (t) => {
  const api = await startTestApi()
  const story = new Story(api.tenant)
  await drain(api.sql, story.message('capture', { event: 'captured', amountCents: 5 }))
  t.match(await told(api, story.id), /deliveries unknown: no database is known here/)
  t.match(await told(api, story.id, 'postgres://nobody@127.0.0.1:1/none'), /does not answer/)
  t.match(await told(api, 'txn_unknown'), /^No transaction txn_unknown in this sandbox\./)
})
