// A person signs in and decides on the page of consent, in a real browser.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { systemClock } from '../../../shared/clock.ts'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { openLocalApi } from '../../harness/local-api.ts'
import { authorizeUrl, newChallenge, registerClient } from '../../harness/oauth.ts'
import { seedPerson } from '../../harness/person.ts'

const LOOKS = [
  { width: 390, dark: false, scripts: true },
  { width: 1280, dark: true, scripts: false },
] as const

/** The platform to which people return; until the test ends. */
async function openPlatform(t: { teardown(end: () => unknown): void }): Promise<string> {
  const server = createServer((_request, answer) => answer.end('<title>Returned</title>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return 'http://127.0.0.1:' + (server.address() as AddressInfo).port + '/return'
}

test('a person signs in, allows or denies, and returns to the platform', async (t) => {
  const api = await startIssuingApi()
  const { url } = await openLocalApi(t, api)
  const redirect_uri = await openPlatform(t)
  const client = await registerClient(api, {
    name: '<b>Ledger</b> & Co',
    redirect_uris: [redirect_uri],
    scopes: ['card:read', 'pass:write'],
  })
  const person = await seedPerson(api.sql, api.tenant.tenantId)
  const browser = await openBrowser(t)
  for (const look of LOOKS) {
    await api.sql`delete from sign_in_tries`
    const { page, errors } = await openWatched(browser, look)
    const { verifier, challenge } = newChallenge()
    const path = authorizeUrl(client, { challenge, more: { redirect_uri } })
    // Without the prompt an agreement of before counts.
    const address = url + path + '&prompt=consent'
    await page.goto(address)
    await page.fill('input[name=email]', person.email)
    await page.fill('input[name=password]', person.password)
    await page.fill('input[name=code]', person.codeAt(systemClock.nowMs()))
    await page.click('button.primary')
    await page.waitForSelector('button[value=approve]')
    await api.sql`update identities set totp_last_step = 0 where id = ${person.identityId}`
    t.match(await page.textContent('h1'), 'Let <b>Ledger</b> & Co act for you?')
    const wide = await page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    t.ok(wide, 'nothing runs over the edge')
    await picture(page, 'consent-' + look.width)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(redirect_uri + '?*')
    const code = new URL(page.url()).searchParams.get('code') ?? ''
    const body = new URLSearchParams({ code, code_verifier: verifier, client_id: client.id })
    const given = await fetch(url + '/oauth/token', { method: 'POST', body })
    t.equal(given.status, 200, page.url())

    await page.goto(address)
    await page.click('button[value=deny]')
    await page.waitForURL(redirect_uri + '?*')
    t.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
    t.same(errors, [], 'no complaint of the console')
  }
})
