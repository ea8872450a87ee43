// The verifier that receivers use, against any request that can be sent to them. Spec 6.1.
import { createHmac } from 'node:crypto'
import { test } from 'tap'
import { verifyWebhook, WebhookError } from '../../client/index.ts'
import { signatureHeader, verifySignature } from '../../shared/signature.ts'
import { fc } from '../harness/properties.ts'

const NOW = 1_795_176_000

/** `verified`, or the reason of the refusal. */
function verdictOf(...given: Parameters<typeof verifyWebhook>): string {
  const [body, header, secrets, options = {}] = given
  try {
    verifyWebhook(body, header, secrets, { nowS: NOW, ...options })
    return 'verified'
  } catch (error) {
    return error instanceof WebhookError ? error.code : (error as Error).name
  }
}

const bodies = fc.json().map((text) => Buffer.from(text))
const secrets = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 60 }), {
  minLength: 1,
  maxLength: 4,
})

test('a body signed by one or two of the secrets verifies within the tolerance, and not beyond', (t) => {
  fc.assert(
    fc.property(
      bodies,
      secrets,
      fc.nat(),
      fc.integer({ min: -900, max: 900 }),
      fc.integer({ min: 0, max: 600 }),
      (body, known, at, ageS, toleranceS) => {
        const signing = [known[at % known.length]!, 'a secret we were not told'].slice(
          0,
          1 + (at % 2),
        )
        const header = signatureHeader(signing.reverse(), NOW - ageS, body)
        const expected = Math.abs(ageS) <= toleranceS ? 'verified' : 'timestamp_out_of_tolerance'
        return verdictOf(body, header, known, { toleranceS }) === expected
      },
    ),
  )
  t.end()
})

test('a changed byte in the body, the time or a signature fails verification', (t) => {
  fc.assert(
    fc.property(
      bodies,
      secrets,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (body, known, at, by) => {
        const header = signatureHeader([known[0]!], NOW, body)
        const other = Buffer.from(body)
        other[at % other.length] = other[at % other.length]! ^ by
        const digit = 't='.length + (at % String(NOW).length)
        const turned =
          header.slice(0, digit) + ((Number(header[digit]) + 1) % 10) + header.slice(digit + 1)
        const hex = header.length - 1 - (at % 64)
        const nibble = ((Number.parseInt(header[hex]!, 16) + 1) % 16).toString(16)
        const bent = header.slice(0, hex) + nibble + header.slice(hex + 1)
        return (
          verdictOf(other, header, known) === 'invalid_signature' &&
          // A time with a leading zero is not written as numbers are.
          ['invalid_signature', 'malformed_header'].includes(verdictOf(body, turned, known)) &&
          verdictOf(body, bent, known) === 'invalid_signature' &&
          verdictOf(body, header, ['another secret']) === 'invalid_signature'
        )
      },
    ),
  )
  t.end()
})

/** Parts of headers, valid ones and near misses. */
const SIGNED = ['0', 'a'].map((digit) => 'v1=' + digit.repeat(64))
const part = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('t=' + NOW, 't=0') },
  { weight: 6, arbitrary: fc.constantFrom(...SIGNED, 'v0=abc') },
  fc.constantFrom('t=', 't', '=', '', 'v1=', 't=+1', 't=-1', 't=1e3', 't=0x1', 't=01', ' t=1'),
  fc.constantFrom('t=1234567890123', 't= 1', 't=1 ', 'T=1', 't=١', 'v1=' + 'A'.repeat(64)),
  fc.constantFrom('v1=' + 'a'.repeat(63), 'v1=' + 'a'.repeat(65)),
  fc.string({ maxLength: 12 }),
)

test('a header has one time and one to eight signatures, and near misses are refused', (t) => {
  const known = ['whsec_1']
  let wellFormed = 0
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const header = parts.join(',')
      const pieces = header.split(',')
      const times = pieces.filter((piece) => piece.startsWith('t='))
      const signatures = pieces.filter((piece) => piece.startsWith('v1='))
      const right =
        !/[^\x21-\x7e]/.test(header) &&
        pieces.every((piece) => /^[^=]+=/.test(piece)) &&
        times.length === 1 &&
        /^t=(0|[1-9][0-9]{0,11})$/.test(times[0]!) &&
        signatures.length > 0 &&
        signatures.length <= 8 &&
        signatures.every((piece) => /^v1=[0-9a-f]{64}$/.test(piece))
      if (right) wellFormed += 1
      return verdictOf('{}', header, known) === (right ? 'invalid_signature' : 'malformed_header')
    }),
    { numRuns: 5000 },
  )
  t.ok(wellFormed > 50, wellFormed + ' were well formed')
  for (const absent of [null, undefined, [], ['t=1'], 'x'.repeat(2000)])
    t.equal(verdictOf('{}', absent, known), 'malformed_header')
  const signature =
    ',v1=' +
    createHmac('sha256', 'whsec_1')
      .update('0' + NOW + '.{}')
      .digest('hex')
  t.equal(verdictOf('{}', 't=0' + NOW + signature, known), 'malformed_header')
  const twice = signatureHeader(known, NOW, '{}')
  t.equal(
    verdictOf('{}', twice + ', ' + twice, known),
    'malformed_header',
    'a header that came twice',
  )
  t.equal(
    verdictOf('{}', 'v0=1,' + twice + ',v2=z', known),
    'verified',
    'other schemes are skipped',
  )
  t.end()
})

test('the verifier agrees with that of our own listeners', (t) => {
  fc.assert(
    fc.property(
      bodies,
      secrets,
      fc.integer({ min: -900, max: 900 }),
      fc.nat(),
      (body, known, ageS, cut) => {
        const whole = signatureHeader(known.slice(0, 2), NOW - ageS, body)
        const header = cut % 3 === 0 ? whole.slice(0, cut % whole.length) : whole
        const asked = known.slice(cut % 2)
        const own = verifySignature({ header, body, secrets: asked, nowS: NOW })
        return verdictOf(body, header, asked) === (own ?? 'verified')
      },
    ),
  )
  t.end()
})

test('a wrong call of the verifier throws, and never verifies', (t) => {
  const forged =
    't=' +
    NOW +
    ',v1=' +
    createHmac('sha256', '')
      .update(NOW + '.{}')
      .digest('hex')
  t.equal(verdictOf('{}', forged, ['']), 'TypeError', 'anybody signs with an empty secret')
  t.equal(verdictOf('{}', forged, ''), 'TypeError')
  t.equal(verdictOf('{}', forged, [undefined] as unknown as string[]), 'TypeError')
  t.equal(verdictOf('{}', forged, []), 'invalid_signature')
  const header = signatureHeader(['w'], NOW, '{}')
  t.equal(
    verdictOf('{}', header, 'whsec_1'),
    'invalid_signature',
    'one secret is not a list of letters',
  )
  t.equal(verdictOf('{}', header, 'w'), 'verified')
  for (const toleranceS of [-1, 601, Number.NaN, Number.POSITIVE_INFINITY])
    t.equal(verdictOf('{}', header, 'w', { toleranceS }), 'RangeError')
  t.equal(verdictOf('{}', header, 'w', { nowS: Number.NaN }), 'timestamp_out_of_tolerance')
  t.equal(verdictOf('{}', header, 'w', { nowS: NOW + 300 }), 'verified')
  t.equal(verdictOf('{}', header, 'w', { nowS: NOW - 301 }), 'timestamp_out_of_tolerance')
  t.equal(verdictOf('{}', header, 'w', { nowS: NOW + 600, toleranceS: 600 }), 'verified')
  t.end()
})
