// Looks at pages in a real browser: three widths, light and dark, large text, forced colors, the
// keyboard, and the rules of axe-core. A page is loaded once and keeps standing through its looks.
import type { Browser, Page } from 'playwright-core'
import type { TestApi } from './api.ts'
import { openWatched, PICTURES, picture } from './browser.ts'
import { axeProblems } from './judge.ts'
import { doubleText, keyboardProblems, overflows, singleText } from './looks.ts'

export interface Shown {
  name: string
  path: string
  /** The session of the visitor; absent: nobody is signed in. */
  cookie?: string
  /** Further cookies, as `name=value; path`. */
  more?: readonly { name: string; value: string; path: string }[]
  /** A form of the page, whose answer is the page that is looked at. */
  posted?: Posted
}

interface Posted {
  /** Path of the form's action; absent: that of the page. */
  action?: string
  /** Values by name; a name of a button chooses it. */
  fields: () => { [name: string]: string }
  status: number
}

const WIDTHS = [390, 768, 1280]
/** Rules of axe-core that depend on the look depend on its width or its colors, not on both. */
const JUDGED = ['390', '1280-dark']

/** Looks at each page, with its own cookies and no others. */
export async function checkLooks(
  t: { same(found: unknown, wanted: unknown, message: string): unknown },
  { browser, api }: { browser: Browser; api: Pick<TestApi, 'url' | 'sql'> },
  shown: readonly Shown[],
): Promise<void> {
  const { page } = await openWatched(browser, { width: 390 })
  for (const { name, path, cookie = '', more = [], posted } of shown) {
    await page.context().clearCookies()
    const [title = '', value = ''] = cookie.split('=')
    const own = cookie === '' ? [] : [{ name: title, value, path: '/' }]
    await page
      .context()
      .addCookies([...own, ...more].map((each) => ({ ...each, domain: '127.0.0.1' })))
    await api.sql`delete from sign_in_tries`
    await page.goto(api.url + path)
    if (posted !== undefined)
      t.same(await sendForm(page, path, posted), posted.status, name + ' is answered')
    t.same(await lookProblems(page, name), [], name)
  }
  await page.context().close()
}

/** Problems of a loaded page in every look. */
async function lookProblems(page: Page, name: string): Promise<string[]> {
  const problems: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    for (const dark of [false, true]) {
      const look = width + (dark ? '-dark' : '')
      if (PICTURES === '' && !JUDGED.includes(look)) continue
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', forcedColors: 'none' })
      await picture(page, name + '-' + look)
      if (!JUDGED.includes(look)) continue
      problems.push(...(await axeProblems(page)).map((text) => look + ': ' + text))
    }
    if (await overflows(page)) problems.push(width + ' is too wide')
    await doubleText(page)
    if (await overflows(page)) problems.push(width + ' is too wide with text of 200 %')
    if (width === 390) await picture(page, name + '-200')
    await singleText(page)
  }
  await page.setViewportSize({ width: 390, height: 900 })
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
  await picture(page, name + '-forced')
  problems.push(...(await keyboardProblems(page)))
  return problems
}

/** Fills a form as it stands, sends it, and returns the status of its answer. */
async function sendForm(page: Page, path: string, { action, fields }: Posted): Promise<number> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.waitForEvent('load'),
    page.evaluate(`((action, fields) => {
      const form = [...document.forms].find((each) => new URL(each.action).pathname === action)
      form.noValidate = true
      for (const [name, value] of Object.entries(fields)) {
        const field = form.elements.namedItem(name)
        if (field instanceof RadioNodeList || !(field instanceof HTMLButtonElement)) field.value = value
      }
      const isChosen = ({ name, value }) => name !== '' && fields[name] === value
      form.requestSubmit([...form.querySelectorAll('button')].find(isChosen))
    })(${JSON.stringify(action ?? path)}, ${JSON.stringify(fields())})`),
  ])
  return answer.status()
}
