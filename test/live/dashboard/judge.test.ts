// The judge of pages finds in a copy what is wrong with the page, at its width and in its theme.
import { test } from 'tap'
import { openBrowser } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { axeProblems } from '../../harness/judge.ts'

test('the rules that a page breaks are found in its copy', async (t) => {
  const dashboard = await startDashboard()
  const browser = await openBrowser(t)
  const { page } = await openSignedIn(browser, dashboard, { width: 390, dark: true })
  await page.goto(dashboard.api.url + dashboard.root + '/cards')
  t.same(await axeProblems(page), [])
  await page.evaluate(`
    const [sheet] = document.styleSheets
    for (const rule of [
      '@media (prefers-color-scheme: dark) { h1 { color: #444 !important } }',
      '@media (width <= 390px) { main p { color: #444 !important } }',
    ])
      sheet.insertRule(rule, sheet.cssRules.length)
    const sentence = document.createElement('p')
    sentence.id = 'sentence'
    sentence.textContent = 'A sentence.'
    document.querySelector('main').append(document.createElement('button'), sentence)
    document.documentElement.removeAttribute('lang')`)
  const hasProblem = (found: readonly string[], rule: string, element: string): boolean =>
    found.some((text) => text.startsWith(rule + ' ') && text.includes(element))
  const narrow = await axeProblems(page)
  t.ok(hasProblem(narrow, 'html-has-lang', 'html'))
  t.ok(hasProblem(narrow, 'button-name', 'button'))
  t.ok(hasProblem(narrow, 'color-contrast', 'h1'), 'a color of the theme')
  t.ok(hasProblem(narrow, 'color-contrast', '#sentence'), 'a color of the width')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
  const wide = await axeProblems(page)
  t.ok(hasProblem(wide, 'button-name', 'button'))
  t.notOk(wide.some((text) => text.startsWith('color-contrast')))
})
