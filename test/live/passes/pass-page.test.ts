// The page of a pass as its holder's browser shows it, on a telephone and on a desktop. An
// independent decoder reads the screen.
/// <reference lib="dom" />
import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { t as file, test } from 'tap'
import { BARCODE_FORMATS, PASS_STYLES } from '../../../shared/schemas/pass-content.ts'
import { type Answer, PUBLIC_URL, type TestApi } from '../../harness/api.ts'
import { readSymbols } from '../../harness/barcodes.ts'
import { newContext } from '../../harness/browser.ts'
import { launchBrowser } from '../../harness/chromium.ts'
import { startIssuingApi } from '../../harness/issuing.ts'
import { caller, done, issuePass, makeTemplate, TEMPLATE } from '../../harness/passes.ts'

const PICTURES = process.env['SVC_TEST_PICTURES'] ?? ''
const TELEPHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 900 }
const PIXEL =
  'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36'

const browser: Promise<Browser> = launchBrowser()
file.teardown(async () => (await browser).close())

interface Looking {
  size: { width: number; height: number }
  density?: number
  dark?: boolean
  userAgent?: string
  /** Language of the browser; English if absent. */
  locale?: string
}

interface Seen {
  page: Page
  /** The errors of the page, and its loads from elsewhere. */
  complaints: string[]
}

async function look(url: string, looking: Looking): Promise<Seen> {
  const { size, density = 1, dark, userAgent, locale = 'en-US' } = looking
  const context = await newContext(await browser, {
    viewport: size,
    deviceScaleFactor: density,
    colorScheme: dark ? 'dark' : 'light',
    locale,
    ...(userAgent === undefined ? {} : { userAgent }),
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith('data:'))
      complaints.push('loads ' + request.url())
  })
  await page.goto(url)
  const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  if (Number(tooWide) > 0) complaints.push('is ' + tooWide + ' pixels wider than its screen')
  return { page, complaints }
}

async function picture(page: Page, name: string): Promise<Buffer> {
  if (PICTURES === '') return page.screenshot({ fullPage: true })
  mkdirSync(PICTURES, { recursive: true })
  return page.screenshot({ path: PICTURES + '/' + name + '.png', fullPage: true })
}

async function upload(api: TestApi, role: string, color: string): Promise<string> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1125" height="432"><defs><linearGradient id="g"><stop stop-color="${color}"/>
    <stop offset="1" stop-color="#fff"/></linearGradient></defs><rect width="1125" height="432" fill="url(#g)"/>
    <circle cx="860" cy="180" r="200" fill="${color}"/></svg>`
  sharp.unblock({ operation: ['VipsForeignLoadSvg'] })
  const data = (await sharp(Buffer.from(svg)).png().toBuffer()).toString('base64')
  return done(await caller(api).post('pass_images', { role, data })).id
}

const FIELDS = {
  header: [{ key: 'level', label: 'Level', value: 'Gold' }],
  primary: [{ key: 'points', label: 'Points', value: '{{points}}', format: 'number' }],
  secondary: [
    { key: 'holder', label: 'Member', value: '{{holder_name}}' },
    {
      key: 'since',
      label: 'Member since',
      value: '2021-04-01',
      format: 'date',
      alignment: 'right',
    },
  ],
  auxiliary: [
    { key: 'balance', label: 'Balance', value: '1234.5', format: 'currency', currency: 'EUR' },
    { key: 'next', label: 'Next event', value: '2027-02-03T19:30:00+01:00', format: 'date_time' },
  ],
  back: [
    { key: 'terms', label: 'Terms', value: 'Be kind.\nShow this at the till.' },
    { key: 'help', label: 'Help', value: 'https://shop.example/help' },
  ],
}
const WAY = {
  ...FIELDS,
  primary: [
    { key: 'from', label: 'Lisbon', value: 'LIS' },
    { key: 'to', label: 'Copenhagen', value: 'CPH' },
  ],
}
/** Pixels of the screen per pixel of the page: fewer if a symbol needs many of them. */
const DENSITIES = { qr: 2, pdf417: 1, aztec: 3, code128: 1 } as const
const VALUES = { holder_name: 'Ada Lovelace', values: { points: '12480' } }

test('another decoder reads the page on phone and desktop, in every format and style', async (t) => {
  const api = await startIssuingApi()
  const roles = ['logo', 'strip', 'background'] as const
  const made = await Promise.all(roles.map((role) => upload(api, role, '#1f6feb')))
  const images = Object.fromEntries(roles.map((role, index) => [role, made[index]]))
  for (const [index, style] of PASS_STYLES.entries()) {
    const format = BARCODE_FORMATS[index % BARCODE_FORMATS.length] ?? 'qr'
    const template = await makeTemplate(api, {
      style,
      fields: style === 'boarding_pass' ? WAY : FIELDS,
      colors: { background: '#0b1f3a', foreground: '#ffffff', label: '#8fb4e8' },
      images: style === 'coupon' ? {} : images,
      logo_text: 'Shop',
      barcode: { format, alt_text: '{{holder_name}}' },
    })
    const pass = await issuePass(api, { ...VALUES, template_id: template.id })
    const url = api.url + '/p/' + pass.id
    for (const looking of [
      { size: TELEPHONE, density: DENSITIES[format], dark: true, userAgent: PIXEL },
      // A desktop draws all formats alike: a square one and a wide one suffice.
      ...(format === 'qr' || format === 'code128' ? [{ size: DESK }] : []),
    ]) {
      const { page, complaints } = await look(url, looking)
      const name = style + '-' + looking.size.width + '@' + (looking.density ?? 1)
      const shot = await picture(page, name)
      t.ok((await readSymbols(shot, format)).includes(pass.payload), format + ' ' + name)
      t.same(complaints, [], name)
      if (looking.size === DESK && format === 'qr') {
        await page.getByText('Open it on your phone').click()
        const doorway = await page.locator('.hint').screenshot()
        t.same(await readSymbols(doorway, format), [PUBLIC_URL + '/p/' + pass.id])
      }
      await page.close()
    }
  }
})

/** Texts that would be markup, style or script anywhere but in text. */
const HOSTILE = [
  '"><img src=x onerror=alert(1)>',
  '</style><script>alert(1)</script>',
  "'-alert(1)-'",
  '</dd></dl></article><form action=//evil.example><input name=a>',
  '<svg/onload=alert(1)>&lt;&#x3c;script&gt;',
  'javascript:alert(1)//`-alert(1)-`{{7*7}}',
  '*/}body{background:url(//evil.example)}',
]

test('every text of a tenant is shown as text', async (t) => {
  const api = await startIssuingApi()
  const [one, two, three, four, five, six, seven] = HOSTILE as [string, ...string[]]
  const field = (key: string, value = one) => ({ key, label: two?.slice(0, 60), value })
  const { id: template_id } = await makeTemplate(api, {
    organization_name: one,
    description: three,
    logo_text: '<b>bold</b>',
    fields: {
      header: [field('a', '<u>x</u>')],
      primary: [field('b', four)],
      secondary: [field('c', five), field('d', '{{holder_name}}')],
      auxiliary: [field('e', '{{value}}')],
      back: HOSTILE.map((value, index) => field('back_' + index, value)),
    },
    barcode: { format: 'qr', message: 'x{{payload}}' + one, alt_text: seven },
  })
  const values = { value: six }
  const pass = await issuePass(api, { template_id, holder_name: seven, values })
  const size = TELEPHONE
  const { page, complaints } = await look(api.url + '/p/' + pass.id, { size })
  const main = await page.locator('main').innerText()
  for (const words of HOSTILE) t.ok(main.includes(words), words)
  for (const element of ['main img', 'main form', 'script', 'b', 'u', 'svg[onload]', 'input'])
    t.equal(await page.locator(element).count(), 0, element)
  t.equal(await page.title(), three + ' · ' + one)
  t.equal(await page.locator('article').getAttribute('aria-label'), three)
  const shot = await picture(page, 'hostile')
  t.ok((await readSymbols(shot, 'qr')).includes('x' + pass.payload + one))
  t.same(complaints, [])
})

test('a holder reads a pass in their language, if the template has it', async (t) => {
  const api = await startIssuingApi()
  const secondary = [{ key: 'holder', label: 'Member', value: 'Hello {{holder_name}}' }]
  const primary = [{ key: 'points', label: 'Points', value: '{{points}}', format: 'number' }]
  const de = {
    Points: 'Punkte',
    'Hello {{holder_name}}': 'Hallo {{holder_name}}',
    [TEMPLATE.description]: 'Mitgliedskarte',
    '{{holder_name}}': 'Für {{holder_name}}',
  }
  const template = await makeTemplate(api, {
    fields: { primary, secondary },
    barcode: { format: 'qr', alt_text: '{{holder_name}}' },
    localizations: { de },
  })
  const pass = await issuePass(api, { ...VALUES, template_id: template.id })
  const pageFor = (accepted: string) =>
    api.call('GET', '/p/' + pass.id, { headers: { 'accept-language': accepted } })
  const [german, other] = [await pageFor('de-AT,de;q=0.9,en;q=0.8'), await pageFor('en,de;q=0.9')]
  for (const words of ['lang="de"', 'Punkte', '12.480', 'Hallo Ada', 'Mitgliedskarte', 'Für Ada'])
    t.match(german.text, words)
  for (const words of ['lang="en"', 'Points', '12,480', 'Hello Ada', TEMPLATE.description])
    t.match(other.text, words)
  for (const { headers } of [german, other]) t.equal(headers.get('vary'), 'Accept-Language')
  t.equal((await pageFor('\'"><b>,;q=9,' + 'de,'.repeat(2000))).status, 200)

  const context = await newContext(await browser, { viewport: TELEPHONE, locale: 'de-DE' })
  const page = await context.newPage()
  await page.goto(api.url + '/p/' + pass.id)
  t.match(await page.locator('article:lang(de)').innerText(), 'Hallo Ada Lovelace')
  await picture(page, 'german')
  await page.close()

  const path = 'pass_templates/' + template.id + '/preview'
  t.match((await caller(api).get(path + '?language=de')).text, 'Hallo Ada Lovelace')
  t.match((await caller(api).post(path, { language: 'de-CH' })).text, 'Mitgliedskarte')
  t.match((await caller(api).post(path, { language: 'fr' })).text, TEMPLATE.description)
  const { body } = await caller(api).post(path, { language: 'German' })
  t.match(body.error, { code: 'parameter_invalid', param: 'language' })
})

test('our own words are in the holder’s language too, in both writing directions', async (t) => {
  const api = await startIssuingApi()
  const { id: template_id } = await makeTemplate(api, {
    fields: FIELDS,
    colors: { background: '#0b1f3a', foreground: '#ffffff', label: '#8fb4e8' },
  })
  const pass = await issuePass(api, { ...VALUES, template_id })
  for (const [locale, way, words] of [
    ['fr-FR', 'ltr', ['Ouvrir sur votre téléphone', 'Détails']],
    ['ar-EG', 'rtl', ['افتحها على هاتفك', 'التفاصيل']],
  ] as const)
    for (const size of [TELEPHONE, DESK]) {
      const { page, complaints } = await look(api.url + '/p/' + pass.id, { size, locale })
      const shown = await page.locator('main').innerText()
      for (const text of words) t.ok(shown.includes(text), text)
      const root = page.locator('html')
      const told = [await root.getAttribute('lang'), await root.getAttribute('dir')]
      t.same(told, [locale.slice(0, 2), way])
      t.same(await page.locator('article').getAttribute('dir'), 'ltr', 'its own words are English')
      const shot = await picture(page, 'words-' + locale + '-' + size.width)
      t.ok((await readSymbols(shot, 'qr')).includes(pass.payload))
      t.same(complaints, [])
      const lost = await look(api.url + '/p/x/y', { size, locale })
      t.equal(await lost.page.locator('html').getAttribute('dir'), way)
      await picture(lost.page, 'lost-' + locale + '-' + size.width)
      await page.close()
      await lost.page.close()
    }
})

test('an ended pass shows its state, and no barcode and no wallet', async (t) => {
  const api = await startIssuingApi()
  const { post } = caller(api)
  const scanner = done(await post('scanners', { name: 'Door' })).id
  const once = await makeTemplate(api, { one_time: true })
  const [revoked, expired, used] = [
    await issuePass(api),
    await issuePass(api, { expires_at: '2027-03-01T10:00:00Z' }),
    await issuePass(api, { template_id: once.id }),
  ]
  const size = TELEPHONE
  const before = await look(api.url + '/p/' + expired.id, { size })
  t.equal(await before.page.getByRole('status').count(), 0)
  t.equal(await before.page.locator('.barcode').count(), 1)
  done(await post('passes/' + revoked.id + '/revoke', { reason: 'fraud by Ada' }))
  done(await post('passes/scan', { payload: used.payload, scanner_id: scanner }))
  api.clock.nowMs = Date.UTC(2027, 2, 1, 10)
  for (const [pass, title, more] of [
    [revoked, 'Revoked', 'no longer valid'],
    [expired, 'Expired', '1 March 2027 at 10:00 UTC'],
    [used, 'Used', 'scanned already'],
  ] as const) {
    const { page, complaints } = await look(api.url + '/p/' + pass.id, { size })
    const said = await page.getByRole('status').innerText()
    t.match(said, title)
    t.match(said, more)
    t.equal(await page.locator('.barcode, .add, .hint').count(), 0)
    t.notMatch(await page.content(), pass.payload)
    t.notMatch(await page.content(), 'fraud', 'why is not the holder’s to read')
    await picture(page, title.toLowerCase())
    t.same(complaints, [])
    await page.close()
  }
})

test('the page may not be cached, framed or indexed', async (t) => {
  const api = await startIssuingApi()
  const pass = await issuePass(api)
  const page = await api.call('GET', '/p/' + pass.id)
  t.equal(page.status, 200)
  for (const [name, value] of [
    ['content-type', 'text/html; charset=utf-8'],
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
    ['x-robots-tag', 'noindex, nofollow'],
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['x-ratelimit-resource', 'wallets'],
  ] as const)
    t.equal(page.headers.get(name), value)
  const policy = page.headers.get('content-security-policy') ?? ''
  t.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[^ ]+' 'sha256-[^ ]+'; img-src 'self' data:;/,
  )
  t.match(policy, "form-action 'none'; base-uri 'none'; frame-ancestors 'none'")
  t.notMatch(policy, 'unsafe')
  const head = await api.call('HEAD', '/p/' + pass.id)
  t.same([head.status, head.text], [200, ''])

  for (const path of [
    ...[pass.id + 'x', pass.id.toUpperCase(), '%00', "'", 'pass_nobody', '<b>'],
    ...['', '/', pass.id + '/', 'a/b/c', '%', '%zz', 'x'.repeat(2000), 'images', 'images/a/b'],
  ]) {
    const answer = await api.call('GET', '/p/' + path)
    t.same([answer.status, /No such pass/.test(answer.text)], [404, true], path)
    t.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
    t.match(answer.headers.get('content-security-policy'), /^default-src 'none'; style-src 'self'/)
    t.equal(answer.headers.get('vary'), 'Accept-Language')
    t.equal(answer.headers.get('cache-control'), 'no-store')
  }
  const posted = await api.call('POST', '/p/' + pass.id)
  t.same([posted.status, posted.body.error.code], [405, 'method_not_allowed'])
  const guesses = Array.from({ length: 140 }, (_, index) =>
    fetch(api.url + '/p/pass_' + String(index).padStart(26, '0')),
  )
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  t.ok(statuses.includes(429), 'who tries addresses has to wait')
  t.equal((await fetch(api.url + '/p/' + pass.id)).status, 200, 'who has one has not')
})

test('a preview shows the same drawing, self-contained, of a stored and of a proposed template', async (t) => {
  const api = await startIssuingApi()
  const { post } = caller(api)
  const strip = await upload(api, 'strip', '#e5484d')
  const template = await makeTemplate(api, { fields: FIELDS, images: { strip } })
  const path = 'pass_templates/' + template.id + '/preview'
  const saved = await caller(api).get(path)
  t.equal(saved.headers.get('content-type'), 'text/html; charset=utf-8')
  t.match(saved.headers.get('content-security-policy'), /^default-src 'none'; style-src 'sha256-/)
  t.equal((await post(path)).text, saved.text, 'no change changes nothing')
  const invocation = { holder_name: '<b>Bo</b>', values: { points: '7' } }
  const changed = await post(path, { colors: { background: '#30a46c' }, ...invocation })
  const { name: _, ...content } = TEMPLATE
  const unsaved = await post('pass_templates/preview', { ...content, ...invocation })
  const context = await newContext(await browser, { viewport: TELEPHONE })
  const complaints: string[] = []
  for (const [index, answer] of [saved, changed, unsaved].entries()) {
    t.equal(answer.status, 200)
    const page = await context.newPage()
    page.on('console', (message) => complaints.push(message.text()))
    page.on('request', (request) => complaints.push('loads ' + request.url().slice(0, 20)))
    // The preview in a tenant's own page: without its original headers.
    await page.setContent(answer.text)
    t.match(await page.locator('article').innerText(), index === 0 ? 'Ada Lovelace' : '<b>Bo</b>')
    t.equal(await page.locator('b').count(), 0)
    await picture(page, 'preview-' + index)
    await page.close()
  }
  t.same(
    complaints.filter((said) => !said.startsWith('loads data:')),
    [],
  )
  t.equal(done(await caller(api).get('pass_templates/' + template.id)).version, 1)

  const said = ({ status, body }: Answer) => [status, body.error?.code, body.error?.param]
  t.same(said(await post(path, { images: { logo: strip } })), [
    ...[400, 'parameter_invalid', '/images/logo'],
  ])
  t.same(said(await post(path, { colors: { background: 'red' } })), [
    ...[400, 'parameter_invalid', '/colors/background'],
  ])
  t.same(said(await post(path, { name: 'T' })), [400, 'parameter_unknown', 'name'])
  t.same(said(await post('pass_templates/preview')), [
    400,
    'parameter_missing',
    'organization_name',
  ])
  const { publishable } = api.tenant.keys
  t.equal((await api.call('GET', '/v1/' + path, { key: publishable })).status, 403)
  t.equal((await caller(api, api.other).get(path)).status, 404)
  t.equal((await api.call('GET', '/v1/' + path, { key: api.tenant.keys.read })).status, 200)
})
