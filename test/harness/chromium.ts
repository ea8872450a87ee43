// The packaged Chromium, for tests and benches.
import sparticuz from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/**
 * Starts it without the arguments that the package has for functions in a cloud: all in one process
 * with a drawn graphics card, where each page makes the next one slower, and without the rules that
 * keep frames of other origins apart.
 */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    headless: true,
  })
}
