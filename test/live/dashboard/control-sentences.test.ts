// Each control stands as a sentence in its list, on its page, and on the page of its subject.
import { test } from 'tap'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { axeProblems } from '../../harness/judge.ts'
import { overflows } from '../../harness/looks.ts'

test('controls are sentences wherever they are listed', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { keys, cardId, cardholderId, programId } = api.tenant
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  const daily = { interval: 'daily', amount_cents: 20_000, currency: 'USD' }
  const filters = { categories: ['eating_places_restaurants'] }
  const places = 'up to 200.00 USD a day at eating places restaurants'
  for (const [scope, subject_id, path, sentence] of [
    ['card', cardId, '/cards/', 'U' + places.slice(1) + ', on this card.'],
    [
      ...(['cardholder', cardholderId, '/cardholders/'] as const),
      'U' + places.slice(1) + ' (cards and payments in USD), by this cardholder in all.',
    ],
    [
      ...(['program', programId, '/programs/'] as const),
      'Once active: ' + places + ' (cards and payments in USD), in this program as a whole.',
    ],
  ] as const) {
    const body = {
      ...{ scope, subject_id, limits: [{ ...daily, filters }] },
      state: scope === 'program' ? 'draft' : 'active',
    }
    const made = await api.call('POST', '/v1/spending_controls', { key: keys.admin, body })
    t.equal(made.status, 201)
    for (const [name, shown] of [
      ['list', '/controls?subject_id=' + subject_id],
      ['page', '/controls/' + made.body.id],
      [scope, path + subject_id],
    ] as const) {
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.goto(api.url + root + shown)
      const text = await page.locator('main').innerText()
      t.ok(text.includes(sentence), name + ' of ' + scope + ' has: ' + sentence)
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 })
        t.equal(await overflows(page), false, name + ' fits in ' + width)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          await picture(page, 'sentence-' + scope + '-' + name + '-' + width + '-' + colorScheme)
        }
      }
      t.same(await axeProblems(page), [], name + ' of ' + scope)
    }
  }
  t.same(errors, [])
})
