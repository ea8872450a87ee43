// Passes for Apple's wallet: their contents, and that independent readers read them as meant.
import { type createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { PKPass } from 'passkit-generator'
import { test } from 'tap'
import { renderPass } from '../../api/passes/templates/index.ts'
import { type BuildRequest, buildPackage } from '../../api/passes/wallets/apple/package.ts'
import { applePassFile } from '../../api/passes/wallets/apple/pass-file.ts'
import { outcomeOf } from '../../api/passes/wallets/apple/push/push-service.ts'
import { openPassSigner } from '../../api/passes/wallets/apple/signature.ts'
import { passStrings } from '../../api/passes/wallets/apple/strings.ts'
import { zip } from '../../api/passes/wallets/apple/zip.ts'
import { integer, oid, time } from '../../api/passes/wallets/der.ts'
import { translationsOf } from '../../api/passes/wallets/model/translations.ts'
import { dueAgain, type PushOutcome } from '../../api/passes/wallets/pushes.ts'
import { issueCertificate } from '../../api/passes/wallets/x509.ts'
import { filesIn, readPass } from '../../scripts/simulate/wallet/archive.ts'
import type { PassContent } from '../../shared/schemas/pass-template.ts'
import { passField as field } from '../harness/pass-field.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 86_400_000
const key = (): ReturnType<typeof createPrivateKey> =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const [authorityKey, passKey] = [key(), key()]
const subject = { CN: 'test authority' }
const issuer = { subject, key: authorityKey }
const life = { issuer, validFrom: NOW - DAY_MS, validUntil: NOW + DAY_MS }
const authority = issueCertificate({ ...life, subject, key: authorityKey, use: 'authority' })
const certificate = issueCertificate({
  ...life,
  subject: { UID: 'pass.test', CN: 'Pass Type ID: pass.test', OU: 'TEAM', O: 'Test' },
  key: passKey,
  use: ['clientAuth', 'passSigning'],
})
const pem = passKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const signer = openPassSigner({ certificate, key: pem, authority })

const CONTENT: PassContent = {
  style: 'event_ticket',
  transit_type: null,
  organization_name: 'Opera',
  description: 'A ticket',
  logo_text: 'Opera',
  colors: { background: '#102030', foreground: '#ffffff', label: '#00ff80' },
  images: { icon: null, logo: null, strip: null, thumbnail: null, background: null, footer: null },
  fields: {
    header: [
      field('seat', '{{seat}}', { change_message: 'Your seat is now %@', alignment: 'right' }),
    ],
    primary: [field('name', 'Hello {{holder_name}}', { alignment: 'right' })],
    secondary: [field('price', '12.50', { format: 'currency', currency: 'EUR' })],
    auxiliary: [
      field('day', '2026-12-24', { format: 'date' }),
      field('doors', '2026-12-24T19:30:00+01:00', { format: 'date_time' }),
      field('count', '3', { format: 'number' }),
      field('gift', '', { format: 'number', label: '' }),
    ],
    back: [field('terms', 'Line one\nline "two" \\')],
  },
  barcode: { format: 'qr', message: '{{payload}}', alt_text: 'No. {{seat}}' },
  nfc: {
    message: '{{payload}}',
    encryption_public_key: 'A'.repeat(80),
    requires_authentication: true,
  },
  one_time: true,
  relevant_at: NOW + 2 * DAY_MS,
  expires_at: NOW + 3 * DAY_MS,
  locations: [{ latitude: 52.5, longitude: 13.4, relevant_text: 'Doors are open' }],
  localizations: {
    de: { 'Hello {{holder_name}}': 'Hallo {{holder_name}}', SEAT: 'PLATZ' },
    fr: {},
  },
}
const PASS = {
  holderName: 'Zoë',
  values: { seat: 'A 7' },
  payload: 'P1' + 'Z'.repeat(42),
  expiresAt: null,
}
const FACTS = { id: 'pass_1', authenticationToken: 'a'.repeat(32), voided: false }
const OURS = {
  passType: 'pass.test',
  team: 'TEAM',
  webServiceUrl: 'https://svc.test/wallets/apple',
}

function fileOf(content: PassContent, facts = FACTS) {
  return applePassFile(content, renderPass(content, PASS), facts, OURS)
}

test('pass.json contains the fields of template and pass under Apple’s names', (t) => {
  const ticket = fileOf(CONTENT)
  t.match(ticket, {
    formatVersion: 1,
    serialNumber: 'pass_1',
    backgroundColor: 'rgb(16, 32, 48)',
    labelColor: 'rgb(0, 255, 128)',
    expirationDate: '2026-11-23T12:00:00Z',
    relevantDate: '2026-11-22T12:00:00Z',
    barcodes: [{ format: 'PKBarcodeFormatQR', messageEncoding: 'iso-8859-1', altText: 'No. A 7' }],
    nfc: { requiresAuthentication: true },
    locations: [{ latitude: 52.5, relevantText: 'Doors are open' }],
  })
  t.equal('voided' in ticket, false)
  const { headerFields, primaryFields, secondaryFields, auxiliaryFields, backFields } = ticket[
    'eventTicket'
  ] as { [group: string]: object[] }
  t.same(headerFields, [
    {
      key: 'seat',
      label: 'SEAT',
      value: 'A 7',
      changeMessage: 'Your seat is now %@',
      textAlignment: 'PKTextAlignmentRight',
    },
  ])
  t.same(primaryFields, [{ key: 'name', label: 'NAME', value: 'Hello Zoë' }])
  t.same(secondaryFields, [{ key: 'price', label: 'PRICE', value: 12.5, currencyCode: 'EUR' }])
  t.match(auxiliaryFields, [
    { value: '2026-12-24T00:00:00Z', timeStyle: 'PKDateStyleNone', ignoresTimeZone: true },
    { value: '2026-12-24T18:30:00Z', timeStyle: 'PKDateStyleShort' },
    { value: 3, numberStyle: 'PKNumberStyleDecimal' },
    { key: 'gift', value: '' },
  ])
  t.same(backFields, [{ key: 'terms', label: 'TERMS', value: 'Line one\nline "two" \\' }])
  t.end()
})

test('a revoked pass is voided, a boarding pass has its transit type, and absent parts are left out', (t) => {
  t.equal(fileOf(CONTENT, { ...FACTS, voided: true }).voided, true)
  const boarding = fileOf({ ...CONTENT, style: 'boarding_pass', transit_type: 'train' })
  t.match(boarding['boardingPass'], { transitType: 'PKTransitTypeTrain' })
  const barcode = { format: 'aztec' as const, message: 'Zoë', alt_text: null }
  const lines = fileOf({ ...CONTENT, barcode, nfc: null, locations: [], logo_text: null })
  t.match(lines.barcodes, [{ format: 'PKBarcodeFormatAztec', messageEncoding: 'utf-8' }])
  for (const name of ['nfc', 'locations', 'logoText']) t.equal(name in lines, false, name)
  t.equal('barcodes' in fileOf({ ...CONTENT, barcode: null }), false)
  t.end()
})

async function built(content: PassContent): Promise<Buffer> {
  const request: BuildRequest = {
    pass: fileOf(content),
    localizations: translationsOf(content, PASS),
    images: [],
    signedAt: NOW,
  }
  return buildPackage(request, signer)
}

test('a package has all files a device needs, and the same pass gives the same bytes', async (t) => {
  const archive = await built(CONTENT)
  t.same(archive, await built(CONTENT))
  t.same(readPass(archive), fileOf(CONTENT))
  t.same(
    [...filesIn(archive).keys()],
    [
      'pass.json',
      'icon.png',
      'icon@2x.png',
      'icon@3x.png',
      'de.lproj/pass.strings',
      'manifest.json',
      'signature',
    ],
  )
})

for (const style of ['generic', 'store_card', 'coupon', 'event_ticket', 'boarding_pass'] as const) {
  test('passkit-generator makes the same files from the same ' + style, async (t) => {
    const warned: unknown[] = []
    t.intercept(console, 'warn', { value: (...words: unknown[]) => void warned.push(...words) })
    const content: PassContent = { ...CONTENT, style, transit_type: 'air' }
    const ours = filesIn(await built(content))
    const theirs = new PKPass(Object.fromEntries(ours), {
      wwdr: authority,
      signerCert: certificate,
      signerKey: pem,
    }).getAsRaw()
    t.same(warned, [], 'every field is one it knows')
    t.same(Object.keys(theirs).sort(), [...ours.keys()].sort())
    const read = (file: Buffer | undefined): unknown => JSON.parse(String(file), plainly)
    t.same(read(theirs['pass.json']), read(ours.get('pass.json')))
    const [own, other] = [read(ours.get('manifest.json')), read(theirs['manifest.json'])]
    const same = Object.keys(own as object).filter((name) => !/\.(json|strings)$/.test(name))
    t.ok(same.length >= 3)
    for (const name of same)
      t.equal((own as never)[name], (other as never)[name], name + ' has the same hash')
    t.same(Object.keys(own as object).sort(), Object.keys(other as object).sort())
  })
}

/** The generator writes milliseconds, and empty lists. */
function plainly(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\.000Z$/, 'Z')
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

test('each language of a translation contains the values of the pass', (t) => {
  t.same(translationsOf(CONTENT, PASS), { de: { 'Hello Zoë': 'Hallo Zoë', SEAT: 'PLATZ' } })
  t.equal(
    passStrings({ 'say "hi"\n': 'sag \\hallo\t' }).toString(),
    '"say \\"hi\\"\\n" = "sag \\\\hallo\\t";\n',
  )
  t.end()
})

test('archives without files, with unusual names and with large files are valid', (t) => {
  t.equal(filesIn(zip([])).size, 0)
  const files = [
    { name: 'ä/ö.txt', bytes: Buffer.from('ü') },
    { name: 'large', bytes: Buffer.alloc(70_000, 'x') },
    { name: 'empty', bytes: Buffer.alloc(0) },
  ]
  const read = filesIn(zip(files))
  t.same([...read.keys()], ['ä/ö.txt', 'large', 'empty'])
  for (const { name, bytes } of files) t.ok(read.get(name)?.equals(bytes), name)
  const damaged = zip(files)
  damaged.writeUInt8(1, 200)
  t.throws(() => filesIn(damaged), /damaged/)
  t.throws(() => filesIn(Buffer.from('no archive')), /no ZIP/)
  t.end()
})

test('numbers, names and moments are encoded as X.690 says', (t) => {
  t.equal(integer(0).toString('hex'), '020100')
  t.equal(integer(127).toString('hex'), '02017f')
  t.equal(integer(128).toString('hex'), '02020080')
  t.equal(integer(256).toString('hex'), '02020100')
  t.equal(oid('1.2.840.113549.1.7.2').toString('hex'), '06092a864886f70d010702')
  t.equal(time(NOW).subarray(2).toString(), '261120120000Z')
  t.equal(
    time(Date.UTC(2050, 0, 1))
      .subarray(2)
      .toString(),
    '20500101000000Z',
  )
  t.end()
})

test('an issued certificate has the right subject, issuer, key and usage', (t) => {
  const [own, above] = [new X509Certificate(certificate), new X509Certificate(authority)]
  t.ok(own.checkIssued(above) && own.verify(above.publicKey))
  t.equal(own.ca, false)
  t.equal(above.ca, true)
  t.match(own.subject, 'UID=pass.test')
  t.ok(own.checkPrivateKey(passKey))
  t.ok(own.keyUsage.includes('1.3.6.1.5.5.7.3.2'))
  t.equal(Date.parse(own.validFrom), NOW - DAY_MS)
  t.end()
})

// Answers of Apple's push service, and their meaning.
const ANSWERS: readonly [number, string, PushOutcome['kind'], retryAfter?: string][] = [
  [200, '', 'taken'],
  [410, '{"reason":"Unregistered","timestamp":1}', 'gone'],
  [410, 'not json', 'gone'],
  [400, '{"reason":"BadDeviceToken"}', 'gone'],
  [400, '{"reason":"DeviceTokenNotForTopic"}', 'gone'],
  [400, '{"reason":"TopicDisallowed"}', 'refused'],
  [403, '{"reason":"BadCertificate"}', 'refused'],
  [413, '{"reason":"PayloadTooLarge"}', 'refused'],
  [429, '{"reason":"TooManyRequests"}', 'later', '7'],
  [500, '', 'later'],
  [503, '{"reason":"Shutdown"}', 'later', 'soon'],
]

for (const [status, body, kind, retryAfter] of ANSWERS) {
  test('a push answered ' + status + ' ' + body + ' is ' + kind, (t) => {
    const headers = { ':status': status as never, ...(retryAfter && { 'retry-after': retryAfter }) }
    const outcome = outcomeOf(headers, body)
    t.equal(outcome.kind, kind)
    if (outcome.kind === 'later') t.equal(outcome.afterMs, retryAfter === '7' ? 7000 : null)
    t.end()
  })
}

test('a failed push is repeated with growing delays for a limited time', (t) => {
  const later: PushOutcome = { kind: 'later', reason: 'ECONNREFUSED', afterMs: null }
  const taken: PushOutcome = { kind: 'taken' }
  t.equal(dueAgain(1, [], NOW), null)
  t.equal(dueAgain(1, [taken, { kind: 'gone' }], NOW), null)
  t.same(dueAgain(1, [taken, later], NOW), { dueAt: NOW + 1000, error: 'ECONNREFUSED' })
  t.same(dueAgain(4, [later], NOW)?.dueAt, NOW + 8000)
  t.same(dueAgain(2, [{ ...later, afterMs: 60_000 }], NOW)?.dueAt, NOW + 60_000)
  t.same(dueAgain(15, [later], NOW)?.dueAt, NOW + 3_600_000)
  t.same(dueAgain(1, [{ kind: 'refused', reason: 'BadCertificate' }], NOW), {
    dueAt: NOW + 300_000,
    error: 'BadCertificate',
  })
  t.equal(dueAgain(16, [later], NOW), null)
  t.end()
})
