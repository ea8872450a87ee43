// The reference as a browser and a client see it.
/// <reference lib="dom" />
import type { Browser } from 'playwright-core'
import { type Test, test } from 'tap'
import { ERRORS } from '../../../shared/error-catalog.ts'
import { SETTINGS } from '../../../shared/settings.ts'
import { startTestApi } from '../../harness/api.ts'
import { openBrowser } from '../../harness/browser.ts'

test('the document needs no credential, and its ETag saves sending it again', async (t) => {
  const { call } = await startTestApi()
  const answer = await call('GET', '/openapi.json')
  t.equal(answer.status, 200)
  t.match(answer.body, { openapi: '3.1.0', paths: { '/v1/cards': { get: {} } } })
  const tag = answer.headers.get('etag') ?? ''
  t.match(answer.headers.get('cache-control'), /max-age/)
  for (const header of [tag, 'W/' + tag, '"other", ' + tag]) {
    const again = await call('GET', '/openapi.json', { headers: { 'If-None-Match': header } })
    t.same([again.status, again.text], [304, ''])
  }
  const other = await call('GET', '/openapi.json', { headers: { 'If-None-Match': '"other"' } })
  t.equal(other.status, 200)
  t.equal((await call('GET', '/openapi.json?x=1')).body.error.code, 'parameter_unknown')
})

test('every page of the reference is readable on phone and desktop, and loads nothing else', async (t) => {
  const { url } = await startTestApi()
  const browser = await openBrowser(t)
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1280, 'light'],
  ] as const) {
    await readPages(t, browser, { url, width, colorScheme })
  }
})

/** Without -g, curl takes brackets of a URL for a range and sends nothing. */
function expandsBrackets(call: string): boolean {
  return /^curl (?!-g )[^'\n]*[[{]/m.test(call)
}

async function readPages(
  t: Test,
  browser: Browser,
  { url, width, colorScheme }: { url: string; width: number; colorScheme: 'dark' | 'light' },
): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      complaints.push('loads ' + request.url())
  })
  await page.goto(url + '/docs')
  const paths = await page.$$eval('nav.menu a', (links) =>
    links.map((link) => link.getAttribute('href') ?? ''),
  )
  t.ok(paths.length > 12)
  // A wide screen shows everything: a few pages suffice.
  const read = width < 900 ? paths : ['/docs', '/docs/cards', '/docs/errors', '/docs/webhooks']
  for (const path of read) {
    const answer = await page.goto(url + path)
    t.equal(answer?.status(), 200, path)
    const [isWide, dead] = await page.evaluate(() => [
      document.documentElement.scrollWidth !== document.documentElement.clientWidth,
      [...document.querySelectorAll('a[href^="#"]')]
        .map((link) => (link.getAttribute('href') ?? '').slice(1))
        .filter((id) => document.getElementById(id) === null),
    ])
    t.equal(isWide, false, path + ' fits ' + width)
    const calls = await page.$$eval('pre', (all) => all.map((pre) => pre.textContent ?? ''))
    t.same(calls.filter(expandsBrackets), [], path)
    t.same(dead, [], path)
  }
  await page.goto(url + '/docs/errors')
  const missing = await page.evaluate(
    (codes) => codes.filter((code) => document.getElementById(code) === null),
    Object.keys(ERRORS),
  )
  t.same(missing, [], 'each code has an entry')
  await page.goto(url + '/docs/cards#suspendCard')
  t.match(await page.textContent('#suspendCard .shown pre'), /curl -X POST .*\/v1\/cards\/card_/)
  await page.goto(url + '/docs')
  await page.keyboard.press('Tab')
  t.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content')
  t.same(complaints, [])
}

const BROWSER = { Accept: 'text/html,application/xhtml+xml' }

test('an unknown address leads a browser to the reference, and a program to a JSON error', async (t) => {
  const { url, call } = await startTestApi()
  const root = await fetch(url + '/', { headers: BROWSER, redirect: 'manual' })
  t.same([root.status, root.headers.get('location')], [302, '/docs'])
  const lost = await fetch(url + '/v1/crads?x=<b>', { headers: BROWSER })
  const page = await lost.text()
  t.equal(lost.status, 404)
  t.match(lost.headers.get('content-type'), /^text\/html/)
  t.match(page, /href="\/docs"/)
  t.match(page, /name="q" value="crads"/, 'the search begins with the words of the address')
  t.equal((await call('GET', '/v1/crads')).body.error.code, 'route_not_found')
})

test('the search finds operations, errors, events and decline reasons', async (t) => {
  const { url } = await startTestApi()
  for (const [query, link] of [
    ['suspend card', '/docs/cards#suspendCard'],
    ['idempotency_key_in_use', '/docs/errors#idempotency_key_in_use'],
    ['card.transaction.authorized', '/docs/webhooks#card.transaction.authorized'],
    ['insufficient_funds', '/docs/decline-reasons#insufficient_funds'],
  ] as const) {
    const page = await (await fetch(url + '/docs/search?q=' + encodeURIComponent(query))).text()
    t.match(page, 'href="' + link + '"', query)
  }
  const markup = await (await fetch(url + '/docs/search?q=' + encodeURIComponent('"><b>'))).text()
  t.notMatch(markup, '"><b>')
  const long = await fetch(url + '/docs/search?q=' + 'a'.repeat(101))
  t.equal(long.status, 400)
})

test('the guides state delays of attempts, defaults of parameters and grants of operators', async (t) => {
  const { url } = await startTestApi()
  const guide = async (path: string): Promise<string> => (await fetch(url + path)).text()
  const webhooks = await guide('/docs/webhooks')
  const delays = SETTINGS.SVC_WEBHOOK_RETRY_DELAYS.fallback.split(',')
  const shown = [...webhooks.matchAll(/<th scope="row">\d<\/th><td>([^<]+)<\/td>/g)].map(
    ([, delay = '']) =>
      delay
        .replace(' min', 'm')
        .replace(/ ([sh])/, '$1')
        .replace('at once', '0'),
  )
  t.same(shown, delays)
  t.match(await guide('/docs/lists'), /limit[\s\S]{0,200}10/)
  t.match(await guide('/docs/realtime'), /1\.5 seconds/)
  t.match(await guide('/docs/grants'), /realtime/)
})
