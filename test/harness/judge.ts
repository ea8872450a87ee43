// The rules of axe-core, loaded once for a whole browser: in a page that they are new to, loading
// and compiling them takes longer than all the rest of its looks. They judge a copy of each page.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { keepContext, newContext } from './browser.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  id: string
  nodes: { target: string[]; failureSummary: string }[]
}

const judges = new WeakMap<Browser, Promise<Page>>()

/**
 * Broken rules of WCAG 2.2 AA and of good practice, with the elements that break them, at the width
 * and in the theme that the page has now. Frames are documents of their own.
 */
export async function axeProblems(page: Page): Promise<string[]> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('a page without a browser')
  let opened = judges.get(browser)
  if (opened === undefined) {
    opened = openJudge(browser)
    judges.set(browser, opened)
  }
  const judge = await opened
  const { isDark, copy } = await page.evaluate<{ isDark: boolean; copy: object }>(COPY)
  const size = page.viewportSize()
  if (size !== null) await judge.setViewportSize(size)
  await judge.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' })
  // Rules that hold are thousands of elements, which would travel to this process.
  const violations = await judge.evaluate<Violation[]>(
    `(${SHOW})(${JSON.stringify(copy)}),
      axe.run(document, { iframes: false, resultTypes: ['violations'] })
        .then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary),
  )
}

async function openJudge(browser: Browser): Promise<Page> {
  const context = await newContext(browser, { reducedMotion: 'reduce' })
  keepContext(context)
  const judge = await context.newPage()
  await judge.setContent('<!doctype html>')
  await judge.evaluate(AXE)
  return judge
}

/** Elements and attributes as they stand; the text of each style sheet in place of its link. */
const COPY = `(() => {
  const root = document.documentElement.cloneNode(true)
  for (const each of root.querySelectorAll('script, style, link, meta[http-equiv]')) each.remove()
  for (const frame of root.querySelectorAll('iframe'))
    for (const name of ['src', 'srcdoc']) frame.removeAttribute(name)
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules])
  const copy = {
    attributes: [...root.attributes].map(({ name, value }) => [name, value]),
    markup: root.innerHTML,
    style: rules.map(({ cssText }) => cssText).join('\\n'),
  }
  return { isDark: matchMedia('(prefers-color-scheme: dark)').matches, copy }
})()`

const SHOW = `({ attributes, markup, style }) => {
  const root = document.documentElement
  for (const { name } of [...root.attributes]) root.removeAttribute(name)
  for (const [name, value] of attributes) root.setAttribute(name, value)
  root.innerHTML = markup
  document.head.append(Object.assign(document.createElement('style'), { textContent: style }))
}`
