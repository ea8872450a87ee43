// Passkeys of members in tests: on the pages without a browser, and a device for Chromium.
import type { Page as BrowserPage } from 'playwright-core'
import { createPasskey } from '../../scripts/holder-peer/passkey.ts'
import { PUBLIC_URL, type TestApi } from './api.ts'
import type { Person } from './person.ts'
import { claim, cookieOf, visit } from './visit.ts'

/** The sealed ceremony and the challenge of a page. */
export async function ceremonyOn(answer: Response) {
  const text = (await answer.text()).replaceAll('&quot;', '"')
  const [, ceremony = ''] = text.match(/name="ceremony" value="([^"]*)"/) ?? []
  const [, json = '{}'] = text.match(/data-(?:get|create)="({.*?})"/) ?? []
  const options = JSON.parse(json)
  return { text, ceremony, options, challenge: Buffer.from(options.challenge ?? '', 'base64url') }
}

/** Adds a passkey on the pages, as a browser does; `cookie` is that of the renewed session. */
export async function addPasskey(
  api: TestApi,
  person: Person,
  cookie: string,
  passkey = createPasskey(PUBLIC_URL),
) {
  const form = { ...claim(api, person), name: 'Phone <1>' }
  api.clock.nowMs += 30_000
  const page = await ceremonyOn(await visit(api, '/account/passkeys/new', { cookie, form }))
  const made = { ...passkey.register(page.challenge), ceremony: page.ceremony, name: form.name }
  const answer = await visit(api, '/account/passkeys', { cookie, form: made })
  await api.sql`delete from sign_in_tries`
  return { passkey, answer, page, made, cookie: cookieOf(answer) || cookie }
}

/**
 * A device with a passkey store, for a page of Chromium. It verifies its person at once, therefore
 * a page that offers passkeys by autofill signs in by itself unless `noAutofill` is set.
 */
export async function plugDevice(page: BrowserPage): Promise<void> {
  await page.addInitScript(
    'if (sessionStorage.noAutofill) PublicKeyCredential.isConditionalMediationAvailable = undefined',
  )
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
