// A real browser, and everything that its console complains about.
import { mkdirSync } from 'node:fs'
import sparticuz from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'

/**
 * The packaged Chromium without the arguments that the package has for functions in a cloud: all in
 * one process with a drawn graphics card, where each page makes the next one slower, and without
 * the rules that keep frames of other origins apart.
 */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    headless: true,
  })
}

/** Chromium, until the test ends. */
export async function openBrowser(t: { teardown(end: () => unknown): void }): Promise<Browser> {
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  return browser
}

/** A page of a browser of its own, and the messages of its console. */
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
  const context = await browser.newContext({
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

const PICTURES = process.env['SVC_TEST_PICTURES'] ?? ''

/** Saves a picture where SVC_TEST_PICTURES names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === '') return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: PICTURES + '/' + name + '.png', fullPage: true })
}
