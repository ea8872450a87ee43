// Looks at pages in a real browser: three widths, light and dark, large text, forced colors, the
// keyboard, and the rules of axe-core.
import type { Browser, Page } from 'playwright-core'
import type { TestApi } from './api.ts'
import { openWatched, picture } from './browser.ts'
import { axeProblems, doubleText, keyboardProblems, overflows, singleText } from './looks.ts'

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

const LOOKS = [390, 768, 1280].flatMap((width) => [
  { width, dark: false },
  { width, dark: true },
])

/** One page for all: a closed one takes the browser along. */
export async function checkLooks(
  t: { same(found: unknown, wanted: unknown, message: string): unknown },
  { browser, api }: { browser: Browser; api: Pick<TestApi, 'url' | 'sql'> },
  shown: readonly Shown[],
): Promise<void> {
  const { page } = await openWatched(browser, { width: 390 })
  for (const { name, path, cookie = '', more = [], posted } of shown) {
    const [title = '', value = ''] = cookie.split('=')
    const own = cookie === '' ? [] : [{ name: title, value, path: '/' }]
    await page.context().clearCookies()
    await page
      .context()
      .addCookies([...own, ...more].map((each) => ({ ...each, domain: '127.0.0.1' })))
    const problems: string[] = []
    await api.sql`delete from sign_in_tries`
    let isPosted = false
    const load = async (look: { width: number; dark?: boolean; forced?: boolean }) => {
      await page.setViewportSize({ width: look.width, height: 900 })
      await page.emulateMedia({
        colorScheme: look.dark === true ? 'dark' : 'light',
        forcedColors: look.forced === true ? 'active' : 'none',
      })
      // A form is sent once: its answer keeps standing.
      if (isPosted) return singleText(page)
      await page.goto(api.url + path)
      if (posted === undefined) return
      isPosted = true
      t.same(await sendForm(page, path, posted), posted.status, name + ' is answered')
    }
    for (const look of LOOKS) {
      await load(look)
      const called = name + '-' + look.width + (look.dark ? '-dark' : '')
      await picture(page, called)
      if (await overflows(page)) problems.push(called + ' is too wide')
      problems.push(...(await axeProblems(page)).map((text) => called + ': ' + text))
      if (look.width === 390 && !look.dark) problems.push(...(await keyboardProblems(page)))
      await doubleText(page)
      if (await overflows(page)) problems.push(called + ' is too wide with text of 200 %')
      if (look.width === 390 && !look.dark) await picture(page, name + '-200')
    }
    await load({ width: 390, forced: true })
    await picture(page, name + '-forced')
    problems.push(...(await axeProblems(page)).map((text) => 'forced: ' + text))
    t.same(problems, [], name)
  }
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
