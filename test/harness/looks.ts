// Checks of how a page looks and works for everybody: width, large text, and the keyboard.
import type { Page } from 'playwright-core'
import { picture } from './browser.ts'

/** Controls that are less high than they should be, in pixels; links inside text are none. */
export function lowTargets(page: Page, least: number): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll(
      'button, a.button, summary, select, textarea, input:not([type=checkbox], [type=radio]), nav a')]
    .filter((each) => each.checkVisibility() && each.type !== 'hidden')
    .map((each) => [each, each.getBoundingClientRect().height])
    .filter(([, height]) => height > 0 && height < ${least} - 0.5)
    .map(([each, height]) => each.tagName + ' ' + (each.name || each.textContent).trim().slice(0, 60) +
      ' is ' + height + ' high')`)
}

/** True where something stands beside the page. */
export function overflows(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
}

/** Tables that are wider than their place: the reader has to find their last columns. */
export function cutTables(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('.scroll')]
    .filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth)
    .map((each) => 'table ' + each.getAttribute('aria-label') + ' is cut off')`)
}

/** Doubles the size of every text. */
export async function doubleText(page: Page): Promise<void> {
  await page.evaluate(`
    const sizes = [...document.body.querySelectorAll('*')]
      .map((each) => [each, 2 * parseFloat(getComputedStyle(each).fontSize)])
    for (const [each, size] of sizes) each.style.fontSize = size + 'px'`)
}

/** Gives every text its own size again. */
export async function singleText(page: Page): Promise<void> {
  await page.evaluate(`
    for (const each of document.body.querySelectorAll('*')) each.style.fontSize = ''`)
}

/**
 * Controls that no key reaches or that show no focus, by focusing each: for many pages, where a
 * walk would take long.
 */
export function focusProblems(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => [...document.querySelectorAll(
      'a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter((each) => each.checkVisibility() && !each.disabled && each.type !== 'hidden')
    .flatMap((each) => {
      each.focus({ focusVisible: true })
      const name = each.tagName + ' ' + (each.name || each.href || each.textContent).trim().slice(0, 60)
      if (document.activeElement !== each || each.tabIndex < 0) return [name + ' is not reached']
      return getComputedStyle(each).outlineStyle === 'none' ? [name + ' has no visible focus'] : []
    }))()`)
}

/** Opens each dialog of the page: one that is cut off, or that takes or loses the focus. */
export function dialogProblems(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('[command=show-modal]')]
    .filter((opener) => opener.checkVisibility())
    .flatMap((opener) => {
      const dialog = document.getElementById(opener.getAttribute('commandfor'))
      opener.focus()
      opener.click()
      const { left, top, right, bottom } = dialog.getBoundingClientRect()
      const found = [
        [!dialog.open, 'does not open'],
        [left < 0 || top < 0 || right > innerWidth || bottom > innerHeight, 'stands beside the screen'],
        [dialog.scrollWidth > dialog.clientWidth, 'is cut off'],
        [!dialog.contains(document.activeElement), 'takes no focus'],
      ]
      dialog.close()
      found.push([document.activeElement !== opener, 'does not give the focus back'])
      return found.flatMap(([is, text]) => is ? [dialog.id + ' ' + text] : [])
    })`)
}

/** Saves a picture of each dialog of the page where pictures are asked for. */
export async function dialogPictures(page: Page, name: string): Promise<void> {
  const ids = await page.evaluate<string[]>(`[...document.querySelectorAll('[command=show-modal]')]
    .map((opener) => opener.getAttribute('commandfor'))`)
  for (const id of ids) {
    await page.evaluate(`document.getElementById('${id}').showModal()`)
    await picture(page, name + '-' + id)
    await page.evaluate(`document.getElementById('${id}').close()`)
  }
}

/** Problems of a walk with the Tab key: elements it misses, and such without a visible focus. */
export async function keyboardProblems(page: Page): Promise<string[]> {
  const names = `(each) => each.tagName + ' ' + (each.name || each.href || each.textContent).trim().slice(0, 60)`
  const expected = await page.evaluate<string[]>(`
    (() => { const radios = new Set()
    return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
      .filter((each) => each.checkVisibility() && !each.disabled && each.type !== 'hidden')
      .filter((each) => each.type !== 'radio' || (!radios.has(each.name) && radios.add(each.name)))
      .map(${names}) })()`)
  const problems: string[] = []
  const reached = new Set<string>()
  await page.evaluate('document.activeElement?.blur()')
  for (let step = 0; step < expected.length + 2; step++) {
    await page.keyboard.press('Tab')
    const [name, hasOutline] = await page.evaluate<[string, boolean]>(`
      (() => { const each = document.activeElement
      return [(${names})(each), each === document.body || getComputedStyle(each).outlineStyle !== 'none'] })()`)
    reached.add(name)
    if (!hasOutline) problems.push(name + ' has no visible focus')
  }
  return [
    ...problems,
    ...expected.filter((name) => !reached.has(name)).map((name) => name + ' is not reached'),
  ]
}
