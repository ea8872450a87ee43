// The audit log says which rows it checked: the newest at each visit, and all others on request.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { appendAudit, INSTALLATION_LOG } from '../../../api/write/audit.ts'
import { newId } from '../../../shared/id.ts'
import type { TestApi } from '../../harness/api.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { overflows } from '../../harness/looks.ts'
import { startDesk } from '../../harness/operator-desk.ts'
import { visit } from '../../harness/visit.ts'

type Log = typeof INSTALLATION_LOG

async function addRows({ sql, clock }: TestApi, log: Log, count: number): Promise<void> {
  const row = {
    ...{ ...log, createdAt: clock.nowMs, actorType: 'api_key' as const, actorId: 'key_test' },
    ...{ action: 'POST /v1/cards', resourceId: null, requestId: null, address: null },
  }
  await tx(sql, async (inner) => {
    for (let n = 0; n < count; n++)
      await appendAudit(inner, { ...row, id: newId('aud', clock.nowMs) })
  })
}

async function lastRow({ sql }: TestApi, { tenantId, environment }: Log): Promise<number> {
  const [head] = await sql<{ seq: number }[]>`
    select seq::integer as seq from audit_heads
    where tenant_id = ${tenantId} and environment = ${environment}`
  return head?.seq ?? 0
}

const words = (count: number): string => count.toLocaleString('en')

test('the log of a tenant checks its newest rows, and the others by a link', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const log = { tenantId: api.tenant.tenantId, environment: 'sandbox' } as const
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 390 })
  const notice = page.locator('main .notice')
  await page.goto(api.url + root + '/audit')
  const before = await lastRow(api, log)
  t.equal(await notice.innerText(), `The chain is whole: all ${before} rows were checked.`)

  await addRows(api, log, 1200)
  const last = await lastRow(api, log)
  t.equal(last, before + 1200)
  await page.goto(api.url + root + '/audit')
  t.match(
    await notice.innerText(),
    `Rows ${words(last - 999)} to ${words(last)} hang together: none was changed or is missing.`,
  )
  await picture(page, 'audit-checked-390')
  t.equal(await overflows(page), false)
  await page.getByRole('link', { name: 'Check from the first row' }).click()
  await page.waitForURL(/from=1$/)
  t.equal(await notice.innerText(), `The chain is whole: all ${words(last)} rows were checked.`)

  await tx(api.sql, async (inner) => {
    // An administrator of the database switches off what keeps the rows.
    await inner`set local session_replication_role = replica`
    await inner`
      update audit_log set action = 'changed'
      where tenant_id = ${log.tenantId} and environment = 'sandbox' and seq = ${before + 3}`
  })
  await page.goto(api.url + root + '/audit')
  t.match(await notice.innerText(), 'hang together', 'the changed row is none of the newest')
  await page.getByRole('link', { name: 'Check from the first row' }).click()
  await page.waitForURL(/from=1$/)
  t.equal(await notice.innerText(), `The chain is broken at row ${before + 3}: it was changed`)
  t.same(errors, [])
})

test('the log of operators says the same of its rows', async (t) => {
  const { api, cookie } = await startDesk()
  const shown = async (query = '') =>
    (await visit(api, '/operator/audit' + query, { cookie })).text()
  const rows = await lastRow(api, INSTALLATION_LOG)
  t.match(await shown(), `The chain is whole: all ${rows} rows were checked.`)
  await addRows(api, INSTALLATION_LOG, 1001)
  const last = rows + 1001
  t.match(await shown(), `Rows ${words(last - 999)} to ${words(last)} hang together`)
  t.match(await shown('?from=1'), `The chain is whole: all ${words(last)} rows were checked.`)
  t.match(await shown('?from=nothing'), `Rows ${words(last - 999)} to`, 'other words are none')
})
