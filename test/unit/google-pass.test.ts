// Passes for Google's wallet: the signatures of callbacks, and the objects sent to Google.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { test } from 'tap'
import {
  type CallbackProblem,
  type RootKey,
  rootKeysIn,
  signedBytes,
  verifyCallback,
} from '../../api/passes/wallets/google/callback-signature.ts'
import { outcomeOf } from '../../api/passes/wallets/google/outcome.ts'
import { passClass } from '../../api/passes/wallets/google/pass-class.ts'
import { passObject, type Shown } from '../../api/passes/wallets/google/pass-object.ts'
import { saveLink } from '../../api/passes/wallets/google/save-links.ts'
import { CallbackSigner } from '../../scripts/google-wallet-peer/callback-signer.ts'
import { resourceIn } from '../../scripts/google-wallet-peer/resources.ts'
import type { PassContent } from '../../shared/schemas/pass-template.ts'
import { anyText } from '../harness/any-text.ts'
import { passField as field } from '../harness/pass-field.ts'
import { fc } from '../harness/properties.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ISSUER = '3388000000012345678'

const MESSAGE = {
  classId: ISSUER + '.ptpl_1',
  objectId: ISSUER + '.pass_1',
  eventType: 'save',
  expTimeMillis: NOW + HOUR_MS,
  count: 1,
  nonce: '1a9e3df0-ec10-4a17-8b39-89d2d7f48e3b',
}

interface Pair {
  privateKey: KeyObject
  publicKey: KeyObject
}
const pair = (namedCurve = 'prime256v1'): Pair => generateKeyPairSync('ec', { namedCurve })
const spki = ({ publicKey }: Pair): string =>
  publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const [root, formerRoot, intermediate, stranger] = [pair(), pair(), pair(), pair()]
const ROOTS: readonly RootKey[] = [
  { key: root.publicKey, expiresAt: NOW + DAY_MS },
  { key: formerRoot.publicKey, expiresAt: NOW },
]

/** Parts of a callback; each may be made wrongly. */
interface Making {
  root?: Pair
  roots?: readonly Pair[]
  signer?: Pair
  claimed?: Pair
  keyExpiration?: unknown
  signedKey?: string
  message?: object | string
  recipient?: string
  sender?: string
  protocol?: string
  frame?: (parts: readonly string[]) => Buffer
}

function callbackOf(making: Making) {
  const { signer = intermediate, claimed = signer, frame = framed } = making
  const { recipient = ISSUER, sender = 'GooglePayPasses', protocol = 'ECv2SigningOnly' } = making
  const { message = MESSAGE, keyExpiration = String(NOW + HOUR_MS) } = making
  const signedKey = making.signedKey ?? JSON.stringify({ keyValue: spki(claimed), keyExpiration })
  const signedMessage = typeof message === 'string' ? message : JSON.stringify(message)
  const by = (pair: Pair, parts: string[]) =>
    sign('sha256', frame(parts), pair.privateKey).toString('base64')
  return {
    protocolVersion: 'ECv2SigningOnly' as const,
    signature: by(signer, [sender, recipient, protocol, signedMessage]),
    intermediateSigningKey: {
      signedKey,
      signatures: (making.roots ?? [making.root ?? root]).map((one) =>
        by(one, [sender, protocol, signedKey]),
      ),
    },
    signedMessage,
  }
}

/** Written independently of the tested code. */
function framed(parts: readonly string[], endian: 'LE' | 'BE' = 'LE'): Buffer {
  const bytes: number[] = []
  for (const part of parts) {
    const encoded = new TextEncoder().encode(part)
    const length = [0, 8, 16, 24].map((shift) => (encoded.length >>> shift) & 0xff)
    bytes.push(...(endian === 'LE' ? length : length.reverse()), ...encoded)
  }
  return Buffer.from(bytes)
}

const GOOD: readonly [string, Making][] = [
  ['as Google makes it', {}],
  ['by the second of two roots', { roots: [stranger, root] }],
  ['with a number as the key’s end', { keyExpiration: NOW + 1 }],
  ['with text as the message’s end', { message: { ...MESSAGE, expTimeMillis: String(NOW + 1) } }],
  ['with fields that we do not know', { message: { ...MESSAGE, more: { of: 'them' } } }],
]
for (const [name, making] of GOOD)
  test('a callback is taken ' + name, (t) => {
    const result = verifyCallback(callbackOf(making), { roots: ROOTS, recipient: ISSUER, now: NOW })
    t.match(result, { ok: true, value: { objectId: MESSAGE.objectId, eventType: 'save' } })
    t.end()
  })

const unsigned = callbackOf({})
const BAD: readonly [string, CallbackProblem, Making, object?][] = [
  ['whose key no root signed', 'unvouched', { root: stranger }],
  ['whose root is no longer valid', 'unvouched', { root: formerRoot }],
  ['whose key signed itself', 'unvouched', { root: intermediate }],
  [
    'whose key was changed behind its signature',
    'unvouched',
    {},
    {
      intermediateSigningKey: {
        ...unsigned.intermediateSigningKey,
        signedKey: unsigned.intermediateSigningKey.signedKey.replace('keyValue', 'keyvalue'),
      },
    },
  ],
  ['whose key is no JSON', 'unvouched', { signedKey: 'a key' }],
  [
    'whose key has no end',
    'unvouched',
    { signedKey: JSON.stringify({ keyValue: spki(stranger) }) },
  ],
  ['whose key is of another curve', 'unvouched', { claimed: pair('secp384r1') }],
  ['whose key ends now', 'expired', { keyExpiration: String(NOW) }],
  ['that another key signed', 'forged', { signer: stranger, claimed: intermediate }],
  ['for another issuer', 'forged', { recipient: ISSUER + '1' }],
  ['for nobody', 'forged', { recipient: '' }],
  ['of another sender', 'unvouched', { sender: 'GoogleWalletPasses' }],
  ['of another protocol', 'unvouched', { protocol: 'ECv2' }],
  [
    'whose lengths stand the other way round',
    'unvouched',
    { frame: (parts) => framed(parts, 'BE') },
  ],
  ['whose parts have no lengths', 'unvouched', { frame: (parts) => Buffer.from(parts.join('')) }],
  ['whose message was changed', 'forged', {}, { signedMessage: unsigned.signedMessage + ' ' }],
  ['whose signature is cut off', 'forged', {}, { signature: unsigned.signature.slice(0, 40) }],
  [
    'whose signature is the key’s',
    'forged',
    {},
    {
      signature: unsigned.intermediateSigningKey.signatures[0],
    },
  ],
  ['that ends now', 'expired', { message: { ...MESSAGE, expTimeMillis: NOW } }],
  ['that says nothing', 'unreadable', { message: 'nothing' }],
  ['of another event', 'unreadable', { message: { ...MESSAGE, eventType: 'view' } }],
  ['without a nonce', 'unreadable', { message: { ...MESSAGE, nonce: undefined } }],
  ['whose end is no moment', 'unreadable', { message: { ...MESSAGE, expTimeMillis: -1 } }],
  ['whose object has spaces', 'unreadable', { message: { ...MESSAGE, objectId: 'a b' } }],
]
for (const [name, problem, making, change] of BAD)
  test('a callback is refused ' + name, (t) => {
    const callback = { ...callbackOf(making), ...change } as ReturnType<typeof callbackOf>
    const result = verifyCallback(callback, { roots: ROOTS, recipient: ISSUER, now: NOW })
    t.same(result, { ok: false, error: problem })
    t.end()
  })

test('the signed bytes prefix each part with its length, so that no two lists collide', (t) => {
  const parts = fc.array(anyText(300), { maxLength: 6 })
  fc.assert(
    fc.property(parts, (list) => {
      const wellFormed = list.map((part) => part.toWellFormed())
      t.ok(signedBytes(wellFormed).equals(framed(wellFormed)))
    }),
    { numRuns: 200 },
  )
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const [first, second] = [one, other].map((list) => list.map((part) => part.toWellFormed()))
      const alike = JSON.stringify(first) === JSON.stringify(second)
      return signedBytes(first ?? []).equals(signedBytes(second ?? [])) === alike
    }),
    { numRuns: 500 },
  )
  t.end()
})

test('a changed byte anywhere invalidates a callback', (t) => {
  const callback = callbackOf({})
  const verify = (change: object): boolean =>
    verifyCallback({ ...callback, ...change }, { roots: ROOTS, recipient: ISSUER, now: NOW }).ok
  t.ok(verify({}))
  fc.assert(
    fc.property(
      fc.nat(callback.signedMessage.length - 1),
      fc.integer({ min: 32, max: 126 }),
      (at, code) => {
        const { signedMessage: text } = callback
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1)
        return verify({ signedMessage: changed }) === (changed === text)
      },
    ),
    { numRuns: 100 },
  )
  t.end()
})

test('only published keys of our protocol and curve are accepted', (t) => {
  const signer = new CallbackSigner({ nowMs: () => NOW })
  signer.rotate()
  const keys = rootKeysIn(signer.published())
  t.equal(keys?.length, 2, 'the former root, and not the key for another protocol')
  const signed = signer.sign(MESSAGE, ISSUER) as ReturnType<typeof callbackOf>
  const verifying = { roots: keys ?? [], recipient: ISSUER, now: NOW }
  t.equal(verifyCallback(signed, verifying).ok, true, 'two implementations agree')
  for (const document of [null, {}, { keys: 'x' }, [], 'keys']) t.equal(rootKeysIn(document), null)
  const odd = { protocolVersion: 'ECv2SigningOnly', keyExpiration: '1' }
  const wrong = [{ ...odd, keyValue: 'AAAA' }, { ...odd, keyValue: spki(pair('secp384r1')) }, {}, 7]
  t.same(rootKeysIn({ keys: wrong }), [])
  t.end()
})

const NONE = {
  icon: null,
  logo: null,
  strip: null,
  thumbnail: null,
  background: null,
  footer: null,
}
const CONTENT: PassContent = {
  style: 'event_ticket',
  transit_type: null,
  organization_name: 'Opera',
  description: 'A ticket',
  logo_text: null,
  colors: { background: '#102030', foreground: '#ffffff', label: '#00ff80' },
  images: { ...NONE, icon: 'pimg_i', background: 'pimg_b', thumbnail: 'pimg_t' },
  fields: {
    header: [field('seat', '{{seat}}')],
    primary: [field('price', '12.5', { format: 'currency', currency: 'EUR' }), field('act', 'II')],
    secondary: [
      field('day', '2026-12-24', { format: 'date' }),
      field('gate', ''),
      field('row', 'C'),
    ],
    auxiliary: [],
    back: [field('holder', '{{holder_name}}'), field('terms', 'Be kind.')],
  },
  barcode: { format: 'code128', message: '{{payload}}', alt_text: 'No. {{seat}}' },
  nfc: {
    message: '{{payload}}',
    encryption_public_key: 'A'.repeat(80),
    requires_authentication: true,
  },
  one_time: true,
  relevant_at: null,
  expires_at: NOW + DAY_MS,
  locations: [],
  localizations: { de: { SEAT: 'PLATZ' }, 'en-GB': { 'Be kind.': 'Be quiet.' } },
}
const PASS: Shown['pass'] = {
  id: 'pass_1',
  templateId: 'ptpl_1',
  status: 'installed',
  redeemedAt: null,
  holderName: 'Zoë',
  values: { seat: 'A 7' },
  payload: 'P1' + 'Z'.repeat(42),
  expiresAt: null,
}
const object = (pass: Partial<Shown['pass']> = {}, content: Partial<PassContent> = {}, now = NOW) =>
  passObject(
    {
      content: { ...CONTENT, ...content },
      pass: { ...PASS, ...pass },
      now,
      imageUrl: (id) => 'https://svc.test/' + id,
    },
    { issuerId: ISSUER },
  )

test('an object contains the shown fields of a pass under Google’s names', (t) => {
  const ticket = object()
  const words = (value: string) => ({ defaultValue: { language: 'und', value } })
  t.match(ticket, {
    id: ISSUER + '.pass_1',
    classId: ISSUER + '.ptpl_1',
    genericType: 'GENERIC_ENTRY_TICKET',
    subheader: words('PRICE'),
    header: words('€12.50'),
    logo: { sourceUri: { uri: 'https://svc.test/pimg_i' } },
    heroImage: { sourceUri: { uri: 'https://svc.test/pimg_b' } },
    imageModulesData: [{ mainImage: { sourceUri: { uri: 'https://svc.test/pimg_t' } } }],
    barcode: { type: 'CODE_128', value: PASS.payload, alternateText: 'No. A 7' },
    smartTapRedemptionValue: PASS.payload,
    validTimeInterval: { end: { date: '2026-11-21T12:00:00.000Z' } },
  })
  t.same(ticket['textModulesData'], [
    {
      id: 'seat',
      header: 'SEAT',
      localizedHeader: { ...words('SEAT'), translatedValues: [{ language: 'de', value: 'PLATZ' }] },
      body: 'A 7',
    },
    { id: 'act', header: 'ACT', body: 'II' },
    { id: 'day', header: 'DAY', body: '24 Dec 2026' },
    { id: 'row', header: 'ROW', body: 'C' },
    { id: 'holder', header: 'HOLDER', body: 'Zoë' },
  ])
  t.notOk('wideLogo' in ticket || 'renderEncoding' in (ticket['barcode'] as object))
  t.end()
})

test('a pass without a part leaves it out, and is named by its description', (t) => {
  const fields = { header: [], primary: [], secondary: [], auxiliary: [], back: [] }
  const plain = object({}, { fields, images: NONE, barcode: null, nfc: null, expires_at: null })
  t.same(Object.keys(plain).sort(), [
    ...['cardTitle', 'classId', 'genericType', 'header', 'hexBackgroundColor', 'id', 'state'],
  ])
  t.match(plain['header'], { defaultValue: { value: 'A ticket' } })
  t.match(object({}, { fields, logo_text: 'Tosca' })['header'], {
    defaultValue: { value: 'Tosca' },
  })
  t.end()
})

test('an ended pass is shown as ended', (t) => {
  const states = [
    object(),
    object({ status: 'removed' }),
    object({ status: 'revoked', redeemedAt: NOW }),
    object({ redeemedAt: NOW }, {}, NOW + 2 * DAY_MS),
    object({}, {}, NOW + DAY_MS),
    object({ expiresAt: NOW + 3 * DAY_MS }, {}, NOW + DAY_MS),
  ].map(({ state }) => state)
  t.same(states, ['ACTIVE', 'ACTIVE', 'INACTIVE', 'COMPLETED', 'EXPIRED', 'ACTIVE'])
  t.end()
})

test('a class contains the parts common to all passes, and at most three rows of the front', (t) => {
  const own = { templateId: 'ptpl_1', publicUrl: 'https://svc.test' }
  const made = passClass(CONTENT, own, { issuerId: ISSUER })
  const path = (key: string) => "object.textModulesData['" + key + "']"
  const item = (key: string) => ({ firstValue: { fields: [{ fieldPath: path(key) }] } })
  t.match(made, {
    enableSmartTap: true,
    redemptionIssuers: [ISSUER],
    textModulesData: [
      {
        id: 'terms',
        body: 'Be kind.',
        localizedBody: { translatedValues: [{ language: 'en-GB', value: 'Be quiet.' }] },
      },
    ],
  })
  t.same(made['classTemplateInfo'], {
    cardTemplateOverride: {
      cardRowTemplateInfos: [
        { oneItem: { item: item('seat') } },
        { threeItems: { startItem: item('day'), middleItem: item('gate'), endItem: item('row') } },
      ],
    },
  })
  for (const [kind, resource] of [
    ['genericClass', made],
    ['genericObject', object()],
  ] as const)
    t.same(resourceIn(kind, ISSUER, Buffer.from(JSON.stringify(resource))), resource)
  t.end()
})

test('the sandbox’s wallet refuses the same objects as Google', (t) => {
  const said = (change: object): unknown => {
    const bytes = Buffer.from(JSON.stringify({ ...object(), ...change }))
    const { status, body } = resourceIn('genericObject', ISSUER, bytes) as {
      status?: number
      body?: { error: { message: string } }
    }
    return [status, body?.error.message]
  }
  t.same(said({ header: undefined }), [400, 'The field header is required.'])
  t.same(said({ state: 'GONE' }), [400, 'Invalid value at state.'])
  t.same(said({ colour: '#fff' }), [400, 'Unknown name "colour".'])
  t.same(said({ barcode: { type: 'QR_CODE' } }), [400, 'Invalid value at barcode.'])
  t.match(said({ id: '1.pass_1' }), [403])
  t.match(resourceIn('genericObject', ISSUER, Buffer.from('x')), { status: 400 })
  t.end()
})

test('a link stays short, whatever the name of the account', async (t) => {
  for (const modulusLength of [2048, 4096]) {
    const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength })
    const issuer = {
      issuerId: '3'.repeat(32),
      email: 'a'.repeat(30) + '@' + 'b'.repeat(30) + '.iam.gserviceaccount.com',
      keyId: 'c'.repeat(40),
      key,
      payUrl: 'https://pay.google.com',
    }
    const link = await saveLink(issuer, 'pass_' + '0'.repeat(26), NOW)
    const token = link.slice('https://pay.google.com/gp/v/save/'.length)
    t.ok(link.length < 1800 && token.split('.').length === 3, String(link.length))
  }
})

const ANSWERS: readonly [number, unknown, object][] = [
  [200, {}, { kind: 'taken' }],
  [201, null, { kind: 'taken' }],
  [
    429,
    { error: { status: 'RESOURCE_EXHAUSTED' } },
    { kind: 'later', reason: 'RESOURCE_EXHAUSTED', afterMs: 7000 },
  ],
  [500, 'no JSON', { kind: 'later', reason: 'http_500', afterMs: 7000 }],
  [
    503,
    { error: { errors: [{ reason: 'backendError' }] } },
    { kind: 'later', reason: 'backendError' },
  ],
  [400, { error: 'invalid_grant' }, { kind: 'refused', reason: 'invalid_grant' }],
  [
    400,
    { error: { message: 'the body: secret', errors: [] } },
    { kind: 'refused', reason: 'http_400' },
  ],
  [
    404,
    { error: { errors: [{ reason: 'classNotFound' }] } },
    { kind: 'refused', reason: 'classNotFound' },
  ],
]
for (const [status, body, expected] of ANSWERS)
  test('an answer ' + status + ' ' + JSON.stringify(body) + ' is understood', (t) => {
    t.match(outcomeOf({ status, body, headers: { 'retry-after': '7' } }), expected)
    t.end()
  })
