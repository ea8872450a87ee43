// A dispute answered in Chromium: from the inbox to the submission, and again after the bank asked.
import { test } from 'tap'
import { newId } from '../../../shared/id.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { axeProblems } from '../../harness/judge.ts'
import { overflows } from '../../harness/looks.ts'
import { seedOperator } from '../../harness/operator.ts'

const WORDS = 'Signed for at the door <b>by the cardholder</b>'

test('a dispute is answered with evidence, submitted, and answered again', async (t) => {
  const dashboard = await startDashboard()
  const { api, things, root } = dashboard
  const id = things.get('disputes') ?? ''
  const path = '/v1/disputes/' + id
  const read = async (more = '') =>
    (await api.call('GET', path + more, { key: api.tenant.keys.read })).body
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 390, dark: true })
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' })

  await page.goto(api.url + root + '/disputes')
  await page.locator('a.row[href$="' + id + '"]').press('Enter')
  await page.getByLabel('Kind').selectOption('receipt')
  await page.getByLabel('In words').fill(WORDS)
  await page.getByRole('button', { name: 'Add', exact: true }).press('Enter')
  await page.getByText('The evidence is added.').waitFor()
  t.match(await page.locator('main').innerText(), WORDS, 'markup of a person is text')
  const { data } = await read('/evidence')
  t.equal(data.length, 2)
  t.match(data, [{ kind: 'receipt', text: WORDS }])
  t.same(await axeProblems(page), [])

  await page.getByRole('button', { name: 'Submit…' }).press('Enter')
  await page.getByRole('dialog').waitFor()
  await picture(page, 'dispute-submit-390-dark')
  t.equal((await read()).status, 'needs_response', 'an open dialog submits nothing')
  await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).press('Enter')
  await page.getByText('The dispute is submitted.').waitFor()
  t.match(await read(), { status: 'submitted', evidence_count: 2 })
  t.equal(await page.getByLabel('In words').count(), 0, 'nothing can be added now')
  t.equal(await page.getByRole('button', { name: 'Submit…' }).count(), 0)

  const asked = await api.call('POST', '/operator' + path + '/require_evidence', {
    key: await seedOperator(api.sql),
    body: { requested: 'A delivery note with a date' },
  })
  t.equal(asked.status, 200, asked.text)
  await page.goto(api.url + root + '/disputes/' + id)
  t.match(await page.locator('main').innerText(), /The bank asks for\s+A delivery note with a date/)
  await page.getByLabel('Kind').selectOption('shipping')
  await page.getByLabel('In words').fill('Note of 12 November')
  await page.getByRole('button', { name: 'Add', exact: true }).press('Enter')
  await page.getByText('The evidence is added.').waitFor()
  await page.getByRole('button', { name: 'Submit…' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).press('Enter')
  await page.getByText('The dispute is submitted.').waitFor()
  t.match(await read(), { status: 'submitted', evidence_count: 3 })
  t.equal(await overflows(page), false)
  t.same(errors, [])
})

test('disputes that are due stand first, by their deadline, and the list by its age', async (t) => {
  const dashboard = await startDashboard()
  const { api, things, root } = dashboard
  const { sql, tenant, clock } = api
  const made = [
    { reason: 'duplicate', status: 'won', days: -20 },
    { reason: 'fraudulent', status: 'needs_response', days: 9 },
    { reason: 'not_received', status: 'needs_response', days: 2 },
    { reason: 'canceled', status: 'submitted', days: 1 },
  ] as const
  for (const [at, { reason, status, days }] of made.entries())
    await sql`
      insert into disputes (id, tenant_id, environment, transaction_id, card_id, cardholder_id,
        amount_cents, currency, reason, status, outcome, evidence_due_by, created_at)
      values (${newId('dsp', clock.nowMs + at)}, ${tenant.tenantId}, 'sandbox',
        ${things.get('card_transactions') ?? ''}, ${tenant.cardId}, ${tenant.cardholderId},
        ${1250 + at}, 'USD', ${reason}, ${status}, ${status === 'won' ? 'won' : null},
        ${clock.nowMs + days * 86_400_000}, ${clock.nowMs})`
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  const reasons = async () => (await page.locator('a.row').allInnerTexts()).map((one) => one.trim())
  await page.goto(api.url + root + '/disputes')
  const due = page.locator('.panel', { hasText: 'Due next' }).locator('li')
  const texts = await due.allInnerTexts()
  t.same(
    texts.slice(0, 2).map((text) => text.replaceAll(/\s+/g, ' ')),
    ['not received, 12.52 USD in 2 d', 'fraudulent, 12.51 USD in 9 d'],
  )
  t.notMatch(texts.join(' '), /canceled|duplicate/, 'what is answered is not due')
  const newest = ['canceled', 'not received', 'fraudulent', 'duplicate', 'other']
  t.same(await reasons(), newest)
  await picture(page, 'disputes-due')
  await page.getByLabel('Status').selectOption('needs_response')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL(/status=needs_response/)
  t.same(await reasons(), ['not received', 'fraudulent', 'other'], 'by the deadline')
  t.equal(await due.count(), 0, 'the list itself says what is due')
  t.same(errors, [])
})
