// The rules of passes that need no database: states, the result of a scan, templates and sizes.
import { createHmac } from 'node:crypto'
import { toBuffer } from 'bwip-js/node'
import { test } from 'tap'
import { payloadOf, readPayload } from '../../api/passes/passes/payload.ts'
import { PASS_MOVES } from '../../api/passes/passes/states.ts'
import { resultOf } from '../../api/passes/scans/scan.ts'
import { firstContent } from '../../api/passes/templates/content.ts'
import { BARCODE_BYTES_MAX, misfitOf, renderPass } from '../../api/passes/templates/fits.ts'
import { TEMPLATE_MOVES } from '../../api/passes/templates/states.ts'
import { encodeId, newId } from '../../shared/id.ts'
import { PASS_STATUSES } from '../../shared/schemas/pass.ts'
import type { BarcodeFormat } from '../../shared/schemas/pass-content.ts'
import type { PassContentInput } from '../../shared/schemas/pass-template-input.ts'
import { fc } from '../harness/properties.ts'

test('a pass moves only as this table says', (t) => {
  const table: { readonly [Move in keyof typeof PASS_MOVES]: string } = {
    //        active installed removed revoked
    install: 'yes    -         yes     -',
    remove: ' -      yes       -       -',
    revoke: ' yes    yes       yes     -',
  }
  for (const [move, { from, to, event }] of Object.entries(PASS_MOVES)) {
    const cells = (table[move as keyof typeof PASS_MOVES] ?? '').trim().split(/\s+/)
    t.same(
      PASS_STATUSES.filter((_, column) => cells[column] === 'yes'),
      [...from],
      move,
    )
    t.match(event, to === 'installed' ? 'pass.installed' : 'pass.' + to)
  }
  t.same(TEMPLATE_MOVES.archive, {
    from: ['active'],
    to: 'archived',
    event: 'pass_template.archived',
  })
  t.end()
})

test('revoked is the end of a pass and removed follows installed, in any order of moves', (t) => {
  const moves = fc.array(fc.constantFrom('install', 'remove', 'revoke' as const), { maxLength: 30 })
  fc.assert(
    fc.property(moves, (steps) => {
      let status: string = 'active'
      const told: string[] = []
      for (const step of steps) {
        const move = PASS_MOVES[step as keyof typeof PASS_MOVES]
        if (!(move.from as readonly string[]).includes(status)) continue
        status = move.to
        told.push(move.event)
      }
      const wallets = told.filter((event) => event !== 'pass.revoked')
      const alternate = wallets.every(
        (event, place) => event === (place % 2 === 0 ? 'pass.installed' : 'pass.removed'),
      )
      const last = told.indexOf('pass.revoked')
      return alternate && (last === -1 || last === told.length - 1)
    }),
  )
  t.end()
})

const KEYS = {
  payloadCheck: (id: string) =>
    encodeId(createHmac('sha256', 'key').update(id).digest().subarray(0, 16)).slice(-16),
  authenticationToken: () => '',
}

test('a payload names its pass and is accepted only unchanged', (t) => {
  const id = newId('pass', 1_795_176_000_000)
  const payload = payloadOf(KEYS, id)
  t.match(payload, /^P1[0-9A-HJKMNP-TV-Z]{42}$/)
  t.equal(payload.length, 44)
  for (const text of [payload, payload.toLowerCase(), 'https://x.test/' + payload + '?a=1'])
    t.same(readPayload(KEYS, text), { passId: id, authentic: true })
  for (const text of [
    '',
    'P1',
    payload.slice(1),
    payload + 'A',
    'x' + payload,
    'P2' + payload.slice(2),
  ])
    t.equal(readPayload(KEYS, text), null, text)
  const alphabet = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ']
  const places = fc.integer({ min: 2, max: 43 })
  fc.assert(
    fc.property(places, fc.constantFrom(...alphabet), (place, letter) => {
      const other = payload.slice(0, place) + letter + payload.slice(place + 1)
      return other === payload || readPayload(KEYS, other)?.authentic === false
    }),
  )
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => readPayload(KEYS, text) === null))
  t.end()
})

test('a scan names the most lasting reason', (t) => {
  const pass = { status: 'installed', expiresAt: null, oneTime: false, redeemedAt: null } as const
  const table: [more: object, result: string][] = [
    [{}, 'valid'],
    [{ status: 'active' }, 'valid'],
    [{ status: 'removed' }, 'valid'],
    [{ redeemedAt: 50 }, 'valid'],
    [{ oneTime: true }, 'valid'],
    [{ oneTime: true, redeemedAt: 50 }, 'replayed'],
    [{ expiresAt: 101 }, 'valid'],
    [{ expiresAt: 100 }, 'expired'],
    [{ expiresAt: 99, oneTime: true, redeemedAt: 50 }, 'expired'],
    [{ status: 'revoked', expiresAt: 99 }, 'revoked'],
  ]
  for (const [more, result] of table)
    t.equal(resultOf({ ...pass, ...more }, 100), result, JSON.stringify(more))
  t.end()
})

const BASE = {
  style: 'generic',
  transit_type: null,
  organization_name: 'Shop',
  description: 'A pass',
} as const
const P256 = 'MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgAD4TgUCddYCKKZpHtoZd6MkKhjyIA263cIw1+0K+ni/XI='
const VALUES = { holderName: 'Ada', values: { points: '7' }, payload: 'P1X', expiresAt: null }

test('default colours are readable on the background', (t) => {
  const table: [input: PassContentInput, foreground: string, label: string][] = [
    [{}, '#000000', '#666666'],
    [{ colors: { background: '#003366' } }, '#ffffff', '#cccccc'],
    [{ colors: { background: '#F0F0F0' } }, '#000000', '#666666'],
    [{ colors: { background: '#808080' } }, '#000000', '#000000'],
    [{ colors: { background: '#707070' } }, '#ffffff', '#ffffff'],
    [{ colors: { background: '#003366', label: '#AA0000' } }, '#ffffff', '#aa0000'],
    [{ colors: { foreground: '#00ff00' } }, '#00ff00', '#666666'],
  ]
  for (const [input, foreground, label] of table)
    t.match(firstContent(BASE, input).colors, { foreground, label }, JSON.stringify(input))
  t.end()
})

test('a template is filled with the values of a pass', (t) => {
  const content = firstContent(BASE, {
    fields: {
      primary: [{ key: 'a', value: '{{holder_name}} has {{points}}{{unknown}}{{ points }}' }],
      back: [{ key: 'b', value: '{{__proto__}}{{constructor}}{{toString}}' }],
    },
    barcode: { format: 'qr', message: 'x:{{payload}}', alt_text: '{{points}}' },
    expires_at: '2027-01-01',
  })
  const rendered = renderPass(content, VALUES)
  t.equal(rendered.fields.primary[0]?.value, 'Ada has 7{{ points }}')
  t.equal(
    rendered.fields.back[0]?.value,
    '{{__proto__}}{{toString}}',
    'what no pass holds is nothing',
  )
  t.match(rendered.barcode, { message: 'x:P1X', alt_text: '7' })
  t.equal(rendered.expiresAt, Date.UTC(2027, 0, 1))
  t.equal(renderPass(content, { ...VALUES, expiresAt: 5 }).expiresAt, 5)
  const bare = renderPass(firstContent(BASE, {}), { ...VALUES, holderName: null })
  t.same([bare.barcode, bare.nfc, bare.expiresAt], [null, null, null])
  t.end()
})

/** Format names of the drawing library. */
const SYMBOLS: { readonly [Format in BarcodeFormat]: string } = {
  qr: 'qrcode',
  pdf417: 'pdf417',
  aztec: 'azteccode',
  code128: 'code128',
}

test('the longest text of a barcode can be drawn, and one byte more is refused', async (t) => {
  for (const [format, bcid] of Object.entries(SYMBOLS)) {
    const most = BARCODE_BYTES_MAX[format as BarcodeFormat]
    const text = Array.from({ length: most }, (_, at) => String.fromCharCode(97 + (at % 26))).join(
      '',
    )
    const barcode = { format: format as BarcodeFormat, message: text, alt_text: null }
    const rendered = { ...renderPass(firstContent(BASE, {}), VALUES), barcode }
    t.equal(misfitOf(rendered), null, format)
    const picture = await toBuffer({ bcid, text, scale: 1 })
    t.ok(picture.length > 100, format + ' of ' + most + ' bytes')
    t.match(misfitOf({ ...rendered, barcode: { ...barcode, message: text + 'x' } }), {
      at: '/barcode/message',
    })
  }
})

test('parts of a later template that do not fit a pass are left out', (t) => {
  const content = firstContent(BASE, {
    fields: { primary: [{ key: 'until', value: '{{until}}', format: 'date' }] },
    barcode: { format: 'code128', message: '{{payload}}{{long}}' },
    nfc: { message: '{{payload}}{{long}}', encryption_public_key: P256 },
  })
  const fits = renderPass(content, { ...VALUES, values: { until: '2027-01-31' } })
  t.match(fits, { barcode: { message: 'P1X' }, nfc: { message: 'P1X' } })
  t.equal(fits.fields.primary[0]?.format, 'date')
  const values = { until: 'soon', long: 'x'.repeat(90) }
  const shown = renderPass(content, { ...VALUES, values })
  t.same([shown.barcode, shown.nfc], [null, null])
  t.match(shown.fields.primary[0], { value: 'soon', format: 'text' })
  t.end()
})
