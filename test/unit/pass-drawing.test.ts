// The drawing of a pass without a browser: its contents, its language, and the wallets it offers.
import { test } from 'tap'
import { pageText } from '../../api/http/pages/page.ts'
import { firstContent } from '../../api/passes/templates/content.ts'
import { renderPass } from '../../api/passes/templates/fits.ts'
import { samplePass } from '../../api/passes/templates/sample.ts'
import { drawBarcode } from '../../api/passes/wallets/barcodes/draw.ts'
import { fieldText } from '../../api/passes/wallets/model/field-text.ts'
import { spokenTo } from '../../api/passes/wallets/model/languages.ts'
import {
  deviceIn,
  type PassPage,
  passEnd,
  passPage,
  previewPage,
} from '../../api/passes/wallets/web/pass-view.ts'
import table from '../../api/passes/wallets/web/pass-words.json' with { type: 'json' }
import { directionOf, wordsFor } from '../../api/passes/wallets/web/pass-words.ts'
import type { PassField } from '../../shared/schemas/pass-content.ts'
import type { PassContentInput } from '../../shared/schemas/pass-template-input.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const FIELD: PassField = {
  key: 'a',
  label: 'A',
  value: '',
  change_message: null,
  format: 'text',
  currency: null,
  alignment: 'natural',
}

test('a value is formatted as people write it', (t) => {
  const table: [more: Partial<PassField>, text: string][] = [
    [{ value: '1234567.5' }, '1234567.5'],
    [{ value: '1234567.5', format: 'number' }, '1,234,567.5'],
    [{ value: '-0.00000001', format: 'number' }, '-0.00000001'],
    [{ value: '999999999999999.12345678', format: 'number' }, '999,999,999,999,999.12345678'],
    [{ value: '12.5', format: 'currency', currency: 'EUR' }, '€12.50'],
    [{ value: '1200', format: 'currency', currency: 'JPY' }, 'JP¥1,200'],
    [{ value: '2027-01-31', format: 'date' }, '31 Jan 2027'],
    [{ value: '2027-01-31T23:30:00-05:00', format: 'date' }, '31 Jan 2027'],
    [{ value: '2027-01-31T20:00:00Z', format: 'date_time' }, '31 Jan 2027, 20:00 UTC'],
    [{ value: '2027-01-31T20:00:00+01:00', format: 'date_time' }, '31 Jan 2027, 20:00 UTC+1'],
    [{ value: '2027-01-31T20:00:00-09:30', format: 'date_time' }, '31 Jan 2027, 20:00 UTC−9:30'],
    [{ value: '', format: 'date_time' }, ''],
  ]
  for (const [more, text] of table) t.equal(fieldText({ ...FIELD, ...more }), text, text)
  t.end()
})

test('a value is formatted by the habits of another language', (t) => {
  const table: [language: string, more: Partial<PassField>, text: string][] = [
    ['de', { value: '1234567.5', format: 'number' }, '1.234.567,5'],
    ['fr', { value: '12.5', format: 'currency', currency: 'EUR' }, '12,50 €'],
    ['de-AT', { value: '2027-01-31', format: 'date' }, '31.01.2027'],
    ['es', { value: '2027-01-31T20:00:00+01:00', format: 'date_time' }, '31 ene 2027, 20:00 UTC+1'],
    ['de', { value: '1234.5' }, '1234.5'],
    ['', { value: '1234.5', format: 'number' }, '1,234.5'],
  ]
  for (const [language, more, text] of table)
    t.equal(fieldText({ ...FIELD, ...more }, language).replaceAll(/\s/g, ' '), text)
  t.end()
})

test('a reader gets the available language that he prefers most', (t) => {
  const base = { style: 'generic', transit_type: null, organization_name: 'Shop' } as const
  const spoken = (languages: string[], accepted: string | undefined) => {
    const translated = languages.map((language) => [language, { Card: language }] as const)
    const localizations = Object.fromEntries(translated)
    const content = firstContent({ ...base, description: 'Card' }, { localizations })
    const { content: shown, language } = spokenTo(content, accepted)
    return shown.description + ' ' + language
  }
  const table: [languages: string[], accepted: string | undefined, shown: string][] = [
    [[], 'de', 'Card en'],
    [['de'], undefined, 'Card en'],
    [['de'], 'de', 'de de'],
    [['de'], 'DE-at', 'de de'],
    [['de'], 'fr, de;q=0.5', 'de de'],
    [['de'], 'fr', 'Card en'],
    [['de'], 'en-US,en;q=0.9,de;q=0.8', 'Card en'],
    [['de'], 'en;q=0.1, de ; q=0.2', 'de de'],
    [['de'], 'de;q=0', 'Card en'],
    [['de'], '*', 'Card en'],
    [['de', 'en'], 'fr', 'Card '],
    [['de', 'en'], 'en-GB', 'en en'],
    [['pt', 'pt-BR', 'zh-Hans'], 'pt-BR', 'pt-BR pt-BR'],
    [['pt', 'pt-BR', 'zh-Hans'], 'pt-PT', 'pt pt'],
    [['zh-Hans'], 'zh', 'zh-Hans zh-Hans'],
    [['de'], 'de;q=2;x, <script>, ,;;q', 'Card en'],
    [['de'], 'x,'.repeat(20) + 'de', 'Card en'],
  ]
  for (const [languages, accepted, shown] of table)
    t.equal(spoken(languages, accepted), shown, languages + ' to ' + accepted)
  t.end()
})

test('a device is recognised by its browser', (t) => {
  const table: [userAgent: string | undefined, device: string][] = [
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)', 'apple'],
    ['Mozilla/5.0 (iPad; CPU OS 12_0 like Mac OS X)', 'apple'],
    ['Mozilla/5.0 (Linux; Android 16; Pixel 10)', 'android'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 'desktop'],
    ['curl/8', 'desktop'],
    [undefined, 'desktop'],
  ]
  for (const [userAgent, device] of table) t.equal(deviceIn(userAgent), device)
  t.end()
})

function pageWith(input: PassContentInput, more: Partial<PassPage> = {}, accepted = 'en'): string {
  const base = {
    style: 'generic',
    transit_type: null,
    organization_name: 'Shop',
    description: 'A pass',
  } as const
  const content = firstContent(base, input)
  const rendered = renderPass(content, samplePass(content, {}, NOW))
  const drawing = {
    content,
    language: 'en',
    ours: wordsFor(accepted),
    rendered,
    pictures: {},
    symbol: null,
    spent: false,
  }
  const page: PassPage = {
    drawing,
    result: 'valid',
    expiresAt: null,
    livemode: true,
    device: 'desktop',
    links: { apple: '/apple', google: '/google' },
    doorway: drawBarcode({ format: 'qr', message: 'https://svc.test/p/pass_1' }),
    ...more,
  }
  return pageText({ ...passPage(page), policy: null })
}

test('each device is offered its wallet, and a desktop the way to a telephone', (t) => {
  const offered = (more: Partial<PassPage>) => {
    const text = pageWith({}, more)
    return ['Apple Wallet', 'Google Wallet', 'on your phone'].map((words) => text.includes(words))
  }
  t.same(offered({ device: 'apple', doorway: null }), [true, false, false])
  t.same(offered({ device: 'android', doorway: null }), [false, true, false])
  t.same(offered({}), [true, true, true])
  t.same(offered({ links: { apple: null, google: null } }), [false, false, true])
  t.same(offered({ device: 'apple', links: { apple: null, google: '/g' } }), [false, false, false])
  for (const result of ['revoked', 'expired', 'replayed'] as const)
    t.same(offered({ result, expiresAt: NOW }), [false, false, false], result)
  t.end()
})

test('the page states the end of a pass plainly, with its moment', (t) => {
  t.match(pageWith({}, { result: 'revoked' }), 'taken back by its issuer and is no longer valid')
  t.match(pageWith({}, { result: 'expired', expiresAt: NOW }), 'on 22 November 2026 at 12:00 UTC')
  t.match(pageWith({}, { result: 'replayed' }), 'has been scanned already')
  t.notMatch(pageWith({}), 'role="status"')
  t.match(pageWith({}, { livemode: false }), 'test environment')
  t.end()
})

test('the page’s own words are in the holder’s language, complete in each language', (t) => {
  const all = (accepted: string) => [
    pageWith({ fields: { back: [{ key: 'a', value: 'x' }] } }, { livemode: false }, accepted),
    pageWith({}, { result: 'revoked' }, accepted),
    pageWith({}, { result: 'expired', expiresAt: NOW }, accepted),
    pageWith({}, { result: 'replayed' }, accepted),
    ...[404, 429, 500].map((status) => passEnd(status, wordsFor(accepted)).content.text),
  ]
  for (const [language, words] of Object.entries(table)) {
    t.same(Object.keys(words), Object.keys(table.en), language)
    const pages = all(language).join()
    for (const text of Object.values(words)) {
      const [begin = '', end = ''] = text.replaceAll("'", '&#39;').split('{moment}')
      t.ok(pages.includes(begin) && pages.includes(end), language + ': ' + text)
    }
    t.match(pages, '<html lang="' + language + '" dir="' + directionOf(language) + '">')
    t.notMatch(pages, '{moment}')
    if (language === 'en') continue
    for (const [name, text] of Object.entries(words))
      if (name !== 'details') t.not(text, table.en[name as keyof typeof words], language)
  }
  t.equal(directionOf('ar-EG'), 'rtl')
  t.equal(directionOf('art'), 'ltr')
  t.match(pageWith({}, {}, 'ar'), '<article class="pass generic" lang="en" dir="ltr"')
  t.match(pageWith({}, { result: 'expired', expiresAt: NOW }, 'de'), '22. November 2026 um 12:00')
  const read = (accepted: string | undefined) => wordsFor(accepted).language
  t.same(['pt-BR', 'ja-JP,en;q=0.5', 'fi', 'fi,nl;q=0.3', 'en,de', undefined].map(read), [
    'pt',
    'ja',
    'en',
    'nl',
    'en',
    'en',
  ])
  t.end()
})

test('an empty field is not drawn, and neither is its label', (t) => {
  const fields = { secondary: [{ key: 'a', label: 'Seat', value: '' }] }
  t.notMatch(pageWith({ fields }), 'Seat')
  t.match(pageWith({ fields: { secondary: [{ key: 'a', label: 'Seat', value: '4' }] } }), 'Seat')
  t.notMatch(pageWith({}), '<section class="back">')
  t.end()
})

test('a preview fills every place, and its payload belongs to no pass', (t) => {
  const fields = {
    primary: [{ key: 'a', value: '{{points}} of {{member_level}}' }],
    secondary: [
      { key: 'b', value: '{{count}}', format: 'number' as const },
      { key: 'c', value: '{{since}}', format: 'date' as const },
    ],
    back: [{ key: 'd', value: '{{holder_name}} {{payload}}' }],
  }
  const base = {
    style: 'coupon',
    transit_type: null,
    organization_name: 'Shop',
    description: 'A pass',
  } as const
  const content = firstContent(base, { fields })
  const invocation = { holder_name: 'Bo', values: { points: '7' } }
  const sample = samplePass(content, invocation, NOW)
  t.same(sample.values, {
    points: '7',
    member_level: 'member level',
    count: '42',
    since: '2026-11-22',
  })
  const drawing = {
    content,
    language: 'en',
    ours: wordsFor('en'),
    rendered: renderPass(content, sample),
    pictures: { strip: 'data:image/png;base64,AA==' },
    symbol: null,
    spent: false,
  }
  const text = pageText(previewPage(drawing))
  for (const words of [
    '7 of member level',
    '42',
    '22 Nov 2026',
    'Bo P1ZZZZ',
    'src="data:image/png',
  ])
    t.match(text, words)
  t.match(text, /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;/)
  t.end()
})
