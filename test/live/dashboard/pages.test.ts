// Every page of the dashboard in Chromium: three widths, light and dark, large text, forced
// colours, focus, no rule of axe-core broken, and the same pages without scripts.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { PAGES } from '../../../api/dashboard/pages/table.ts'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { addressOf } from '../../harness/dashboard-pages.ts'
import { HOSTILE_ID, makeHostile } from '../../harness/hostile-text.ts'
import { axeProblems } from '../../harness/judge.ts'
import {
  cutTables,
  dialogPictures,
  dialogProblems,
  doubleText,
  focusProblems,
  lowTargets,
  overflows,
} from '../../harness/looks.ts'
import { visit } from '../../harness/visit.ts'

/** Rules of axe-core are asked in both themes, and at both ends of the width. */
const LOOKS = [
  { width: 1280, dark: false, isRuled: true },
  { width: 768, dark: false, isRuled: false },
  { width: 390, dark: true, isRuled: true },
] as const

/** A screen that shows every column of a table at once. */
const WIDE = 1280

/**
 * The number of headings, and the sentences of panels without an answer. A busy machine may be
 * late; any other sentence is a defect.
 */
async function told(page: Page): Promise<{ headings: number; problems: string[] }> {
  const { headings, texts } = await page.evaluate<{ headings: number; texts: string[] }>(`({
    headings: document.querySelectorAll('h1').length,
    texts: [...document.querySelectorAll('.problem')].map((each) => each.textContent),
  })`)
  return { headings, problems: texts.filter((text) => !text.includes('took too long')) }
}

/** Problems of a loaded page at one width and in one theme. */
async function lookProblems(
  page: Page,
  { width, dark, isRuled }: (typeof LOOKS)[number],
  name: string,
): Promise<string[]> {
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
  const called = name + '-' + width + (dark ? '-dark' : '')
  await picture(page, called)
  const wide = (await overflows(page)) ? ['is too wide'] : []
  const broken = isRuled ? await axeProblems(page) : []
  const low = await lowTargets(page, width < 600 ? 44 : 32)
  const cut = width < WIDE ? [] : await cutTables(page)
  return [...wide, ...broken, ...low, ...cut].map((text) => called + ' ' + text)
}

test('each page at three widths, for eyes, keys and readers of screens', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  for (const { path } of PAGES) {
    const name = path.slice(1).replaceAll(/[/:]+/g, '-')
    const answer = await page.goto(dashboard.api.url + addressOf(dashboard, path))
    t.equal(answer?.status(), 200, name)
    const { headings, problems } = await told(page)
    t.equal(headings, 1, name + ' has one heading')
    for (const look of LOOKS) problems.push(...(await lookProblems(page, look, name)))
    problems.push(...(await dialogProblems(page)))
    await dialogPictures(page, name)
    problems.push(...(await focusProblems(page)))
    await page.emulateMedia({ forcedColors: 'active' })
    if (await overflows(page)) problems.push('is too wide with forced colours')
    await page.emulateMedia({ forcedColors: 'none' })
    await doubleText(page)
    if (await overflows(page)) problems.push('is too wide with large text')
    t.same(problems, [], name)
  }
  t.same(errors, [])
})

test('26: each page without scripts, where every text of the tenant is hostile', async (t) => {
  const dashboard = await startDashboard()
  await makeHostile(dashboard.api.sql, dashboard.api.tenant.tenantId)
  const browser = await openBrowser(t)
  const look = { width: 390, dark: true, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  let shown = 0
  for (const { path } of PAGES) {
    const answer = await page.goto(dashboard.api.url + addressOf(dashboard, path))
    t.equal(answer?.status(), 200, path)
    const { headings, problems } = await told(page)
    t.same(problems, [], path)
    t.equal(headings, 1, path)
    t.equal(await overflows(page), false, path + ' fits')
    const found = await page.evaluate<{ alive: number; shown: boolean; dead: number }>(`({
      alive: document.querySelectorAll('#${HOSTILE_ID}').length,
      shown: document.querySelector('main')?.textContent.includes('onerror=alert(1)') ?? false,
      dead: document.querySelectorAll('form:not(:has(button, input[type=search]))').length,
    })`)
    t.equal(found.alive, 0, path + ' shows it as text')
    // Buttons of scripts are hidden; a form without one of its own could not be sent.
    t.equal(found.dead, 0, path)
    shown += found.shown ? 1 : 0
    await picture(page, 'hostile' + path.replaceAll(/[/:]+/g, '-'))
  }
  t.ok(shown > 20, 'the text is on ' + shown + ' pages')
  t.same(errors, [])
})

test('26: a cell of a file is text for a spreadsheet', async (t) => {
  const dashboard = await startDashboard()
  const { api, cookie, root } = dashboard
  await makeHostile(api.sql, api.tenant.tenantId)
  const answer = await visit(api, root + '/cardholders?format=csv', { cookie })
  t.match(answer.headers.get('content-type'), 'text/csv')
  t.match(answer.headers.get('content-disposition'), 'attachment; filename="cardholders.csv"')
  const text = await answer.text()
  t.match(text, '"\'=1+1""\'><img')
  t.notMatch(text, /(?:^|,)"?=/m)
})
