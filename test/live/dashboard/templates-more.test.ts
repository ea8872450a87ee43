// Moments, places, NFC and translations of a template in its editor, with the preview of a form
// that is not saved.
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'tap'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { axeProblems } from '../../harness/judge.ts'
import { overflows } from '../../harness/looks.ts'
import { makeTemplate } from '../../harness/passes.ts'
import { visit } from '../../harness/visit.ts'

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')

const MORE = {
  ...{ relevant_at: '2026-12-24T18:00:00.250Z', expires_at: '2027-01-31T23:59:59.000Z' },
  one_time: true,
  locations: [
    { latitude: 38.7223, longitude: -9.1393, relevant_text: 'Door | left' },
    { latitude: -33, longitude: 151.2, relevant_text: null },
  ],
  nfc: { message: '{{payload}}', encryption_public_key: KEY, requires_authentication: true },
  localizations: {
    de: { Points: 'Punkte | Zahl', Member: 'Mitglied' },
    'pt-PT': { Points: 'Pontos' },
  },
}

/** Fields of the form as a browser would send them. */
function fieldsOf(page: string): { [name: string]: string } {
  const fields: { [name: string]: string } = {}
  const unescaped = (text: string): string =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const [, form = ''] = /<section class="panel"><form([\s\S]*?)<\/form>/.exec(page) ?? []
  for (const [, attributes = ''] of form.matchAll(/<input([^>]*)>/g)) {
    const named = (name: string) => new RegExp(' ' + name + '="([^"]*)"').exec(attributes)?.[1]
    if (attributes.includes('checkbox') && !attributes.includes(' checked')) continue
    fields[named('name') ?? ''] = unescaped(named('value') ?? '')
  }
  for (const [, name = '', text = ''] of form.matchAll(
    /<textarea name="([^"]*)"[^>]*>([^<]*)<\/textarea>/g,
  ))
    fields[name] = unescaped(text)
  for (const [, name = '', options = ''] of form.matchAll(
    /<select name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g,
  ))
    fields[name] = /value="([^"]*)" selected/.exec(options)?.[1] ?? ''
  return fields
}

test('a form that nobody changed saves what was there, and each part can be changed', async (t) => {
  const { api, root, cookie } = await startDashboard()
  const { id } = await makeTemplate(api, MORE)
  const path = root + '/templates/' + id + '/edit'
  const key = api.tenant.keys.read
  const read = async () => (await api.call('GET', '/v1/pass_templates/' + id, { key })).body
  const before = await read()
  t.match(before, MORE)
  const form = fieldsOf(await (await visit(api, path, { cookie })).text())
  t.match(form, { relevant_at: '2026-12-24T18:00:00', locations: /^38\.7223 \| -9\.1393 \| Door / })
  t.equal((await visit(api, path, { cookie, form })).status, 303)
  t.same(await read(), before)
  const changed = {
    ...{ ...form, form_id: 'a'.repeat(24), relevant_at: '2026-12-25T18:00', expires_at: '' },
    ...{ locations: '1 | 2\r\n\r\n-3.5 | 4 | Here', nfc_key: PEM, nfc_message: 'm-{{payload}}' },
    ...{ localizations: 'fr | Points | Des points', nfc_unlocked: '', one_time: '' },
  }
  t.equal((await visit(api, path, { cookie, form: changed })).status, 303)
  t.match(await read(), {
    ...{ version: 2, relevant_at: '2026-12-25T18:00:00.000Z', expires_at: null, one_time: false },
    locations: [
      { latitude: 1, longitude: 2, relevant_text: null },
      { latitude: -3.5, longitude: 4, relevant_text: 'Here' },
    ],
    nfc: { encryption_public_key: KEY, message: 'm-{{payload}}', requires_authentication: false },
  })
  t.same((await read()).localizations, { fr: { Points: 'Des points' } })
  const wrongs: [object, RegExp][] = [
    [{ relevant_at: 'soon' }, /Type a date and a time in UTC/],
    [{ locations: 'Lisbon' }, /needs a latitude and a longitude[\s\S]*Lisbon/],
    [{ locations: '91 | 0' }, /locations/],
    [{ nfc_key: 'AAAA' }, /encryption_public_key/],
    [{ localizations: 'de | Points' }, /a text and its translation/],
    [{ localizations: 'German | Points | Punkte' }, /localizations/],
  ]
  for (const [at, [wrong, told]] of wrongs.entries()) {
    const sent = { ...changed, version: '2', ...wrong, form_id: 'b'.repeat(20) + at }
    const answer = await visit(api, path, { cookie, form: sent })
    t.ok([400, 422].includes(answer.status), JSON.stringify(wrong))
    t.match(await answer.text(), told)
  }
  t.equal((await read()).version, 2)
  const older = { ...changed, version: '2', more: '', form_id: 'c'.repeat(24), name: 'Older' }
  t.equal((await visit(api, path, { cookie, form: older })).status, 303)
  t.match(await read(), { name: 'Older', localizations: { fr: {} } }, 'a form without the parts')
})

test('a preview speaks the language of the form, which is not saved', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const { id } = await makeTemplate(api)
  const browser = await openBrowser(t)
  const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280 })
  await page.goto(api.url + root + '/templates/' + id + '/edit')
  for (const part of ['Time and place', 'NFC', 'Translations'])
    await page.locator('summary', { hasText: part }).press('Enter')
  await page.getByLabel('Relevant at').fill('2026-12-24T18:00')
  await page.getByLabel('Translations').fill('de | Points | Punkte <b>')
  await page.getByLabel('Language of the preview').fill('de')
  await page.getByRole('button', { name: 'Preview' }).press('Enter')
  const body = page.frameLocator('iframe').locator('body')
  await body.getByText('Punkte <b>').first().waitFor()
  for (const [width, dark] of [
    [1280, false],
    [390, true],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
    await picture(page, 'template-editor-more-' + width)
    t.equal(await overflows(page), false)
    t.same(await axeProblems(page), [])
  }
  const { body: kept } = await api.call('GET', '/v1/pass_templates/' + id, {
    key: api.tenant.keys.read,
  })
  t.match(kept, { version: 1, relevant_at: null })
  t.same(
    errors.filter((text) => !text.includes('Blocked script execution')),
    [],
  )
})
