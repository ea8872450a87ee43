// The hosted pages of payments in a real browser with a virtual authenticator: a holder enrols and
// approves, denies, and refuses the prompt.
import type { Browser, Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, openWatched, picture } from '../../harness/browser.ts'
import { fundAccount, openPayments } from '../../harness/payments.ts'
import { seedCardholder } from '../../harness/tenant.ts'

const LOOKS = [390, 1280].flatMap((width) => [false, true].map((dark) => ({ width, dark })))
/** The page that leads nowhere; and a hint to offer RSA too, which the chain cannot check. */
const EXPECTED = /404|pubKeyCredParams/
const FUNDED_CENTS = 100_000

interface Holder {
  page: Page
  errors: string[]
  /** Whether the person passes the check of finger or face from now on. */
  verifies(passes: boolean): Promise<void>
}

async function openHolder(browser: Browser): Promise<Holder> {
  const { page, errors } = await openWatched(browser, { width: 390 })
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = {
    ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const),
    ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  }
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', { options })
  return {
    page,
    errors,
    async verifies(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}

/** Each look of the page: no part is wider than the screen, each button as large as a finger. */
async function problems(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const { width, dark } of LOOKS) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
    await picture(page, width + (dark ? '-dark-' : '-light-') + name)
    const { wide, small } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
      small: [...document.querySelectorAll('button')].filter(
        (button) => button.getBoundingClientRect().height < 44,
      ).length,
    }))
    if (wide) found.push(name + ' is too wide at ' + width)
    if (small > 0) found.push(name + ' has ' + small + ' small buttons at ' + width)
  }
  return found
}

test('a holder enrols and approves in a real browser', async (t) => {
  const api = await openPayments(t)
  const payee = await api.seedPayee()
  const browser = await openBrowser(t)
  const { page, errors, verifies } = await openHolder(browser)
  const cardholder_id = await seedCardholder(api.sql, api.tenant)
  const account = (await api.post('payment_accounts', { cardholder_id })).body
  await page.goto(account.enrolment_url)
  t.same(await problems(page, 'enrol'), [])
  await page.getByRole('button', { name: 'Create passkey' }).click()
  await page.getByRole('heading', { name: 'Passkey created' }).waitFor()
  t.same(await problems(page, 'enrolled'), [])
  const { status, address } = await api.get('payment_accounts/' + account.id)
  t.equal(status, 'active')
  t.match(address, /^0x[0-9a-fA-F]{40}$/)
  await fundAccount(api, { id: account.id, cents: FUNDED_CENTS })

  const pay = async (description: string) =>
    (
      await api.post('payments', {
        ...{ payment_account_id: account.id, settlement_account_id: payee, description },
        amount_cents: 1234,
      })
    ).body
  const payment = await pay('Three books and a pen, delivered on Friday')
  await page.goto(payment.confirmation.url)
  t.same(await problems(page, 'payment'), [])
  t.match(await page.locator('.sum').textContent(), '$12.34')

  await verifies(false)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.locator('#passkey-problem').waitFor()
  t.same(await problems(page, 'refused'), [])
  t.equal((await api.get('payments/' + payment.id)).status, 'needs_confirmation')
  t.ok(await page.getByRole('button', { name: 'Approve' }).isEnabled(), 'it can be tried again')

  await verifies(true)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('heading', { name: 'Approved' }).waitFor()
  t.same(await problems(page, 'approved'), [])
  const confirmed = await api.get('payments/' + payment.id)
  t.match(confirmed, { status: 'confirmed', confirmation: { by: 'passkey' } })

  const unwanted = await pay('Something else')
  await page.goto(unwanted.confirmation.url)
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByRole('heading', { name: 'Denied' }).waitFor()
  t.same(await problems(page, 'denied'), [])
  t.match(await api.get('payments/' + unwanted.id), {
    ...{ status: 'voided', void_cause: 'holder_denied' },
  })

  await page.goto(account.enrolment_url)
  await page.getByRole('heading', { name: 'Nothing here' }).waitFor()
  t.same(await problems(page, 'nowhere'), [])
  t.same(
    errors.filter((error) => !EXPECTED.test(error)),
    [],
    'the console is silent',
  )
})

test('a page without its script says so, and a payment that has ended shows its end', async (t) => {
  const api = await openPayments(t)
  const payee = await api.seedPayee()
  const { id } = await api.openAccount()
  const browser = await openBrowser(t)
  const { page } = await openWatched(browser, { width: 390, scripts: false })
  const made = await api.post('payments', {
    ...{ payment_account_id: id, settlement_account_id: payee, amount_cents: 500 },
  })
  await page.goto(made.body.confirmation.url)
  t.match(await page.locator('noscript').textContent(), 'needs JavaScript')
  const approve = page.getByRole('button', { name: 'Approve' })
  t.ok(await approve.isDisabled(), 'it would send a form without a passkey')
  t.ok(await page.getByRole('button', { name: 'Deny' }).isEnabled())
  await picture(page, '390-no-script')
  await api.post('payments/' + made.body.id + '/void')
  await page.goto(made.body.confirmation.url)
  await page.getByRole('heading', { name: 'Too late' }).waitFor()
  await picture(page, '390-ended')
})
