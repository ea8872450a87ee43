// The page of a pass as its holder's browser shows it, on a telephone and on a desk. What is seen is read by another decoder.
/// <reference lib="dom" />
import { mkdirSync } from 'node:fs'
import sparticuz from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { t as file, test } from 'tap'
import { BARCODE_FORMATS, PASS_STYLES } from '../../shared/schemas/pass-content.ts'
import type { TestApi } from '../harness/api.ts'
import { readSymbols } from '../harness/barcodes.ts'
import { startIssuingApi } from '../harness/issuing.ts'
import { caller, done, issuePass, makeTemplate } from '../harness/passes.ts'

const PICTURES = process.env['SVC_TEST_PICTURES'] ?? ''
const TELEPHONE = { width: 390, height: 844 }
const DESK = { width: 1280, height: 900 }
const PIXEL =
  'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 Chrome/150.0 Mobile Safari/537.36'

const browser: Promise<Browser> = sparticuz
  .executablePath()
  .then((executablePath) =>
    chromium.launch({ executablePath, args: sparticuz.args, headless: true }),
  )
file.teardown(async () => (await browser).close())

interface Looking {
  size: { width: number; height: number }
  density?: number
  dark?: boolean
  userAgent?: string
}

interface Seen {
  page: Page
  /** What the page complained of, and what it loaded from elsewhere. */
  complaints: string[]
}

async function look(url: string, { size, density = 1, dark, userAgent }: Looking): Promise<Seen> {
  const context = await (await browser).newContext({
    viewport: size,
    deviceScaleFactor: density,
    colorScheme: dark ? 'dark' : 'light',
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
  const shot = await page.screenshot({ fullPage: true })
  if (PICTURES === '') return shot
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
const VALUES = { holder_name: 'Ada Lovelace', values: { points: '12480' } }

test('what a telephone and a desk show can be read by another decoder, in every format and style', async (t) => {
  const api = await startIssuingApi()
  const roles = ['logo', 'strip', 'thumbnail', 'background', 'footer'] as const
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
      { size: TELEPHONE, density: 1 + (index % 3), dark: true, userAgent: PIXEL },
      { size: DESK },
    ]) {
      const { page, complaints } = await look(url, looking)
      const name = style + '-' + looking.size.width + '@' + (looking.density ?? 1)
      const shot = await picture(page, name)
      t.ok((await readSymbols(shot, format)).includes(pass.payload), format + ' ' + name)
      t.same(complaints, [], name)
    }
  }
})

/** Words that would be markup, style or script anywhere but in text. */
const HOSTILE = [
  '"><img src=x onerror=alert(1)>',
  '</style><script>alert(1)</script>',
  "'-alert(1)-'",
  '</dd></dl></article><form action=//evil.example><input name=a>',
  '<svg/onload=alert(1)>&lt;&#x3c;script&gt;',
  'javascript:alert(1)//`-alert(1)-`{{7*7}}',
  '*/}body{background:url(//evil.example)}',
]

test('whatever a tenant writes is text', async (t) => {
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
