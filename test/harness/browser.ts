// A real browser, and everything that its console complains about.
import { mkdirSync } from 'node:fs'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from './chromium.ts'
import { file } from './per-file.ts'

const PAGE_MS_MAX = 180_000

let latest: Browser | null = null
const kept = new WeakSet<BrowserContext>()

/** Lets a context outlive the test that opened it. */
export function keepContext(context: BrowserContext): void {
  kept.add(context)
}

/**
 * The Chromium of the process, or of the file where files share nothing. It shares nothing between
 * two contexts, and those of a test are closed with the test.
 */
export async function openBrowser(t: { teardown(end: () => unknown): void }): Promise<Browser> {
  if (!latest?.isConnected()) {
    const launched = await launchBrowser()
    file.teardown(() => launched.close())
    latest = launched
  }
  const browser = latest
  const before = new Set(browser.contexts())
  t.teardown(async () => {
    for (const context of browser.contexts())
      if (!before.has(context) && !kept.has(context)) await context.close()
  })
  return browser
}

/** A context whose pages are waited for until they surely never come. */
export async function newContext(
  browser: Browser,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(PAGE_MS_MAX)
  return context
}

/** A page of a context of its own, and the messages of its console. */
export interface Watched {
  page: Page
  errors: string[]
}

export async function openWatched(
  browser: Browser,
  look: {
    width: number
    dark?: boolean
    scripts?: boolean
    /** Takes the certificate of a test, which no authority signed. */
    anyCertificate?: true
  },
): Promise<Watched> {
  const context = await newContext(browser, {
    viewport: { width: look.width, height: 900 },
    colorScheme: look.dark === true ? 'dark' : 'light',
    javaScriptEnabled: look.scripts ?? true,
    ignoreHTTPSErrors: look.anyCertificate === true,
  })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'log') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  return { page, errors }
}

/** Folder for pictures; empty: none are taken. */
export const PICTURES: string = process.env['SVC_TEST_PICTURES'] ?? ''

/** Saves a picture where SVC_TEST_PICTURES names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === '') return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: PICTURES + '/' + name + '.png', fullPage: true })
}
