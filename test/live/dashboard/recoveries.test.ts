// Deliveries that failed are sent again by a filter: counted first, then sent, each once.
import { test } from 'tap'
import { recoveryPump } from '../../../api/webhooks/deliveries/index.ts'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import { MASTER_KEYS } from '../../harness/api.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard, type TestDashboard } from '../../harness/dashboard.ts'
import { startDispatch } from '../../harness/dispatched.ts'
import { runJob } from '../../harness/jobs.ts'
import { until } from '../../harness/until.ts'
import { visit } from '../../harness/visit.ts'

const FAILED = 312
const TYPE = 'card.transaction.declined'

/** Failed deliveries of declines, and others that the filter leaves out. */
async function seedFailed({ api }: TestDashboard): Promise<void> {
  const { sql, tenant, clock } = api
  const { tenantId, endpointId } = tenant
  const at = clock.nowMs
  const make = async (count: number, type: string, state: string): Promise<void> => {
    const made = Array.from({ length: count }, () => newId('evt', at))
    await sql`
      with first as (
        insert into tenant_sequences as s (tenant_id, environment, event_seq)
        values (${tenantId}, 'sandbox', ${count})
        on conflict (tenant_id, environment) do update set event_seq = s.event_seq + ${count}
        returning event_seq - ${count} as seq
      )
      insert into events (id, tenant_id, environment, seq, type, api_version, resource_id,
        created_at, body)
      select id, ${tenantId}, 'sandbox', first.seq + n, ${type}, 'v', 'card_1', ${at}, '{"a":1}'
      from first, unnest(${made}::text[]) with ordinality as made (id, n)`
    await sql`
      insert into ended_deliveries (id, event_id, endpoint_id, tenant_id, environment, type, cause,
        lane, state, cycle, attempts, epoch, last_status, created_at, finished_at)
      select 'dlv_' || substr(id, 5), id, ${endpointId}, ${tenantId}, 'sandbox', ${type}, 'event',
        0, ${state}, 1, 5, 1, 500, ${at}, ${at} from unnest(${made}::text[]) as made (id)`
  }
  await sql`update webhook_endpoints set event_types = '{card.created,card.transaction.declined}'
    where id = ${endpointId}`
  await sql`
    insert into webhook_secrets (id, endpoint_id, slot, sealed, created_at)
    values (${newId('wsec', 1)}, ${endpointId}, 0,
      ${seal(MASTER_KEYS, SEAL_CONTEXTS.webhookSecret, 'whsec_a')}, 0)`
  await make(FAILED, TYPE, 'failed')
  await make(3, TYPE, 'succeeded')
  await make(4, 'card.created', 'failed')
}

test('312 failed deliveries are sent again by a filter', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { sql, tenant } = api
  // The recovery of the furnished tenant would compete with this one.
  await sql`delete from recoveries`
  await sql`delete from open_deliveries`
  await sql`delete from event_outbox`
  await seedFailed(dashboard)
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, {
    ...{ width: 1280, scripts: false },
  })
  await page.goto(api.url + root + '/deliveries')
  await page.locator('select[name=state]').selectOption('failed')
  await page.getByLabel('Event type').selectOption(TYPE)
  await page.getByLabel('Endpoint id').fill(tenant.endpointId)
  await page.getByRole('button', { name: 'Filter' }).press('Enter')
  t.equal(await page.locator('tbody tr').count(), 25, 'a page of them')
  await page.locator('summary', { hasText: 'Send all that match again' }).click()
  await picture(page, 'deliveries-filtered-1280')
  await page.getByRole('button', { name: 'Count first' }).press('Enter')
  await page.waitForURL('**/deliveries/count')
  t.match(await page.locator('main').innerText(), FAILED + ' events match')
  t.equal((await sql`select 1 from recoveries`).length, 0, 'a count sends nothing')
  await picture(page, 'deliveries-counted-1280')
  await page.getByRole('button', { name: 'Send ' + FAILED + ' again' }).press('Enter')
  await page.waitForURL(/webhooks\/.*done=/)
  t.match(await page.locator('main').innerText(), 'The events are sent again.')

  const sent: string[] = []
  const dispatch = await startDispatch(sql, {
    send: async ({ eventId, cause }) => {
      sent.push(eventId)
      t.equal(cause, 'recovery')
      return {}
    },
  })
  const isDone = async () => {
    await runJob(recoveryPump, { sql, now: api.clock.nowMs })
    const [row] = await sql`select status from recoveries`
    return row?.['status'] === 'completed' && sent.length >= FAILED
  }
  await until(isDone)
  await until(async () => (await sql`select 1 from open_deliveries`).length === 0)
  await dispatch.stop(1000)
  t.equal(sent.length, FAILED)
  t.equal(new Set(sent).size, FAILED, 'each once')
  const [left] = await sql`
    select count(*)::int as count from ended_deliveries
    where endpoint_id = ${tenant.endpointId} and type = ${TYPE} and state = 'failed'`
  t.equal(left?.['count'], 0)
  await page.reload()
  t.match(await page.locator('main').innerText(), FAILED + ' events')
  await page.goto(api.url + root + '/deliveries?state=failed&endpoint_id=' + tenant.endpointId)
  t.equal(await page.locator('tbody tr').count(), 4, 'those of another type stay failed')
  await picture(page, 'deliveries-after-1280')
  t.same(errors, [])
})

test('chosen deliveries are sent again, each once', async (t) => {
  const dashboard = await startDashboard()
  const { api, root, cookie } = dashboard
  const { sql } = api
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, {
    ...{ width: 1280, scripts: false },
  })
  const boxes = page.locator('input[name=chosen]')
  await page.goto(api.url + root + '/deliveries')
  t.equal(await page.locator('tbody tr').count(), 1)
  t.equal(await boxes.count(), 0, 'the event of a test is none of the tenant’s')
  await sql`delete from open_deliveries`
  await seedFailed(dashboard)
  await page.goto(api.url + root + '/deliveries?state=failed')
  t.equal(await boxes.count(), 25)
  const chosen: string[] = []
  for (const at of [0, 3, 24]) {
    await boxes.nth(at).check()
    chosen.push((await boxes.nth(at).getAttribute('value')) ?? '')
  }
  await picture(page, 'deliveries-chosen-1280')
  await page.getByRole('button', { name: 'Send the chosen again' }).click()
  await page.waitForURL(/done=/)
  t.match(await page.locator('main').innerText(), 'The chosen events are sent again.')
  const waiting = async () => {
    const rows = await sql<{ pair: string }[]>`
      select endpoint_id || ' ' || event_id as pair from open_deliveries order by 1`
    return rows.map(({ pair }) => pair)
  }
  t.same(await waiting(), chosen.toSorted())
  const send = async (form: { [name: string]: string }) =>
    visit(api, root + '/deliveries/replay', { cookie, form })
  const form = { form_id: 'f'.repeat(24), chosen: chosen.slice(0, 2).join(',') }
  t.same([(await send(form)).status, (await send(form)).status], [303, 303])
  t.equal((await waiting()).length, 3, 'a form that is sent twice acts once')
  const other = { ...form, chosen: [chosen[2], 'we_0 evt_0'].join(',') }
  const partly = await send(other)
  t.not(partly.status, 303)
  t.match(await partly.text(), '1 of 2 were done', 'another choice under the form that came back')
  for (const chosen of ['', 'rubbish', 'we_x', Array(26).fill('we_a evt_b').join(',')]) {
    const answer = await send({ form_id: 'g'.repeat(24), chosen })
    t.ok([404, 422].includes(answer.status), chosen.slice(0, 10) + ' ' + answer.status)
  }
  t.equal((await waiting()).length, 3)
  const file = await (await visit(api, root + '/deliveries?format=csv', { cookie })).text()
  t.notMatch(file.split('\r\n', 1)[0], 'Choose', 'a file has no boxes')
  t.same(errors, [])
})
