// Templates of passes in a browser: drawn beside their preview, with pictures.
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, picture } from '../../harness/browser.ts'
import { openSignedIn, startDashboard } from '../../harness/dashboard.ts'
import { axeProblems } from '../../harness/judge.ts'
import { makeTemplate } from '../../harness/passes.ts'
import { OWN_SITE, visit } from '../../harness/visit.ts'

/** A PNG of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const EDGE = '----WebKitFormBoundary0123456789abcdef'
const UPLOAD = 'multipart/form-data; boundary=' + EDGE

/** Presses Preview and returns the text of the frame once it has this text. */
async function previewed(page: Page, expected: string): Promise<string> {
  await page.getByRole('button', { name: 'Preview' }).press('Enter')
  const body = page.frameLocator('iframe').locator('body')
  await body.getByText(expected).first().waitFor()
  return body.innerText()
}

for (const scripts of [true, false])
  test('a template beside its preview, scripts: ' + scripts, async (t) => {
    const dashboard = await startDashboard()
    const { api, root } = dashboard
    const made = await makeTemplate(api)
    const read = async () =>
      (await api.call('GET', '/v1/pass_templates/' + made.id, { key: api.tenant.keys.read })).body
    const browser = await openBrowser(t)
    const { page, errors } = await openSignedIn(browser, dashboard, { width: 1280, scripts })
    await page.goto(api.url + root + '/templates/' + made.id)
    await page.getByRole('link', { name: 'Change' }).click()
    const primary = page.getByLabel('Fields: primary')
    t.equal(await primary.inputValue(), 'points | Points | {{points}} | message: Now %@')
    await primary.fill('points | Stars <b> | {{points}} | align: right | message: Now %@!')
    await page.getByLabel('Organization').fill('Other Shop')
    await previewed(page, 'Stars <b>')
    await picture(page, 'template-editor-1280')
    t.equal((await read()).version, 1, 'a preview saves nothing')
    await page.getByLabel('Color: background').fill('blue')
    t.match(await previewed(page, 'colors'), /Field: \/colors\/background/)
    await page.getByLabel('Color: background').fill('#102030')
    await previewed(page, 'Stars <b>')
    if (scripts) t.same(await axeProblems(page), [])
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    await page.waitForURL(/done=/)
    t.match(
      await page.locator('main').innerText(),
      'The template is saved, and goes to its passes.',
    )
    const after = await read()
    t.match(after, {
      ...{ version: 2, organization_name: 'Other Shop', colors: { background: '#102030' } },
      fields: {
        primary: [
          { key: 'points', label: 'Stars <b>', alignment: 'right', change_message: 'Now %@!' },
        ],
        back: made.fields.back,
      },
    })
    t.same(
      errors.filter((text) => !text.includes('Blocked script execution')),
      [],
    )
  })

test('a template of several lines and bars is saved as it was', async (t) => {
  const { api, root, cookie } = await startDashboard()
  const field = { key: 'terms', label: 'Terms | Rules' }
  const value = 'One | two\nC:\\new \\n\n  three '
  const made = await makeTemplate(api, { fields: { back: [{ ...field, value }] } })
  const path = root + '/templates/' + made.id + '/edit'
  const text = await (await visit(api, path, { cookie })).text()
  const shown = /name="fields_back"[^>]*>([^<]*)</.exec(text)?.[1] ?? ''
  t.equal(shown.split('\n').length, 1, 'one line a field')
  const form = {
    ...{ form_id: 'c'.repeat(24), version: '1', name: 'Other', organization_name: 'Shop' },
    ...{ description: 'A card', fields_back: shown + '\r\n' },
  }
  t.equal((await visit(api, path, { cookie, form })).status, 303)
  const { body } = await api.call('GET', '/v1/pass_templates/' + made.id, {
    key: api.tenant.keys.read,
  })
  t.match(body, { version: 2, name: 'Other' })
  t.same(body.fields.back, made.fields.back)
})

test('a wrong line comes back with what was typed; an old version is not overwritten', async (t) => {
  const { api, root, cookie } = await startDashboard()
  const { id } = await makeTemplate(api)
  const path = root + '/templates/' + id + '/edit'
  const form = {
    ...{ form_id: 'a'.repeat(24), version: '1', name: 'New name', organization_name: 'Shop' },
    ...{ description: 'A card', fields_primary: 'points, Points', color_background: '#000000' },
  }
  const wrong = await visit(api, path, { cookie, form })
  t.equal(wrong.status, 422)
  t.match(await wrong.text(), /needs a key, a label and a value[\s\S]*points, Points/)
  const right = { ...form, fields_primary: 'points | Points | 1' }
  t.equal((await visit(api, path, { cookie, form: right })).status, 303)
  const stale = await visit(api, path, { cookie, form: { ...right, form_id: 'b'.repeat(24) } })
  t.equal(stale.status, 422)
  const text = await stale.text()
  t.match(text, /version/)
})

test('a picture is uploaded without scripts, and a new template names it', async (t) => {
  const dashboard = await startDashboard()
  const { api, root } = dashboard
  const browser = await openBrowser(t)
  const look = { width: 390, dark: true, scripts: false }
  const { page, errors } = await openSignedIn(browser, dashboard, look)
  await page.goto(api.url + root + '/images')
  const before = await page.locator('img.thumb').count()
  await page.getByLabel('Place on the pass').selectOption('logo')
  await page
    .getByLabel('Picture')
    .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: DOT })
  await page.getByRole('button', { name: 'Upload' }).press('Enter')
  await page.waitForURL(/done=/)
  t.match(await page.locator('main').innerText(), 'The picture is there')
  t.equal(await page.locator('img.thumb').count(), before + 1)
  await picture(page, 'images-uploaded-390-dark')
  await page.goto(api.url + root + '/templates/new')
  const drawn = page.frameLocator('iframe').locator('body')
  await drawn.getByText('Membership card of Test').first().waitFor()
  t.match(await drawn.innerText(), /points/i, 'a new template is drawn as it is opened')
  await page.getByLabel('Name', { exact: false }).first().fill('Members')
  await page.getByLabel('Organization').fill('Shop')
  await page.getByLabel('Description').fill('A card of Shop')
  await page.getByLabel('Image: logo').selectOption({ index: 1 })
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await page.waitForURL(/done=/)
  const id = new URL(page.url()).pathname.split('/').at(-1)
  const { keys } = api.tenant
  const { body } = await api.call('GET', '/v1/pass_templates/' + id, { key: keys.read })
  const named = await api.call('GET', '/v1/pass_images/' + body.images.logo, { key: keys.read })
  t.match(named, { status: 200, body: { role: 'logo' } })
  t.same(errors, [])
})

test('rubbish instead of a form with a file does nothing', async (t) => {
  const { api, root, cookie } = await startDashboard()
  const count = async () => (await api.sql`select 1 from pass_images`).length
  const before = await count()
  const send = (body: string, type: string, headers: object = OWN_SITE) =>
    fetch(api.url + root + '/images/upload', {
      method: 'POST',
      headers: { cookie, 'content-type': type, ...headers },
      body,
      redirect: 'manual',
    })
  for (const body of ['', 'x', '--' + EDGE + '\r\nContent-Disposition: form-data; name="data"\r\n'])
    t.equal((await send(body, UPLOAD)).status, 400, body)
  t.equal((await send('x', 'multipart/form-data')).status, 400, 'no boundary')
  t.equal((await send('x'.repeat(800_000), UPLOAD)).status, 400, 'too large')
  const part = (name: string, more: string, content: string): string =>
    '--' +
    EDGE +
    '\r\nContent-Disposition: form-data; name="' +
    name +
    '"' +
    more +
    '\r\n\r\n' +
    content +
    '\r\n'
  const file = '; filename="a.svg"\r\nContent-Type: image/svg+xml'
  const svg =
    part('form_id', '', 'f'.repeat(24)) +
    part('role', '', 'icon') +
    part('data', file, '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>') +
    ('--' + EDGE + '--\r\n')
  const refused = await send(svg, UPLOAD)
  t.equal(refused.status, 400)
  t.match(await refused.text(), /\/docs\/errors#/, 'the API refuses what is no picture')
  const foreign = await send(svg, UPLOAD, { origin: 'https://evil.example' })
  t.equal(foreign.status, 403, '18: a form of another site')
  t.equal(await count(), before)
})
