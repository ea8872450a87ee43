// Barcodes that independent readers can read, and images without hidden data.

import sharp from 'sharp'
import { test } from 'tap'
import { BARCODE_BYTES_MAX } from '../../api/passes/templates/fits.ts'
import { drawBarcode } from '../../api/passes/wallets/barcodes/draw.ts'
import { recodeImage } from '../../api/passes/wallets/images/recode.ts'
import { ROLE_SIZES, SCALES } from '../../api/passes/wallets/model/image-roles.ts'
import {
  BARCODE_FORMATS,
  type BarcodeFormat,
  PASS_IMAGE_ROLES,
} from '../../shared/schemas/pass-content.ts'
import { readSymbols } from '../harness/barcodes.ts'
import { fc } from '../harness/properties.ts'

/** The text that an independent reader finds in our drawing, at this many pixels a module. */
async function read(
  format: BarcodeFormat,
  message: string,
  pixels = 3,
): Promise<string | undefined> {
  const { svg, width, height } = drawBarcode({ format, message })
  // SVG, which the reader needs here, is blocked for uploads.
  sharp.unblock({ operation: ['VipsForeignLoadSvg'] })
  const size = { width: width * pixels, height: height * pixels }
  const sized = svg.replace('<svg', '<svg width="' + size.width + '" height="' + size.height + '"')
  const { data: png, info } = await sharp(Buffer.from(sized))
    .png()
    .toBuffer({ resolveWithObject: true })
  sharp.block({ operation: ['VipsForeignLoadSvg'] })
  if (info.width !== size.width) throw new Error('drawn at another size')
  const [found] = await readSymbols(png, format)
  return found
}

for (const format of BARCODE_FORMATS) {
  test('a ' + format + ' barcode says its message to another reader', async (t) => {
    const message = 'svc1.PASS-0123456789.abcdefABCDEF_-'
    for (const pixels of [1, 2, 5]) t.equal(await read(format, message, pixels), message)
  })
}

test('a text beyond ASCII reads back unchanged', async (t) => {
  const message = 'Zoë Müller 東京 🎫'
  for (const format of ['qr', 'aztec', 'pdf417'] as const)
    t.equal(await read(format, message), message)
})

test('markup in a message is drawn as text', async (t) => {
  const message = '"><script>alert(1)</script>^029'
  t.notMatch(drawBarcode({ format: 'qr', message }).svg, /script|alert/)
  t.equal(await read('qr', message), message)
})

test('the longest message of a format is drawn and read', async (t) => {
  for (const format of BARCODE_FORMATS) {
    const message = 'a'.repeat(BARCODE_BYTES_MAX[format])
    t.equal(await read(format, message), message)
  }
})

test('a symbol has the white margin of its standard', (t) => {
  const message = 'P101M7WDGZF0FS28N3488HCBJT71ABCDEFGHJKMNPQRS'
  // Modules of the symbol alone, for this message.
  t.match(drawBarcode({ format: 'qr', message }), { width: 29 + 2 * 4, height: 29 + 2 * 4 })
  t.match(drawBarcode({ format: 'aztec', message }), { width: 27 + 2 * 2 })
  t.end()
})

test('any mixture of characters up to that length can be drawn', (t) => {
  let drawn = 0
  const piece = fc.constantFrom('1234567', 'ABC', 'abc', 'é', '€', '🎫', '"{}', ' ', '9', 'x')
  const mixture = fc.array(piece, { minLength: 60, maxLength: 600 })
  fc.assert(
    fc.property(fc.constantFrom('qr', 'pdf417', 'aztec'), mixture, (format, pieces) => {
      let message = ''
      for (const next of pieces)
        if (Buffer.byteLength(message + next) <= BARCODE_BYTES_MAX[format]) message += next
      drawBarcode({ format, message })
      drawn += 1
    }),
    { numRuns: 20 },
  )
  t.equal(drawn, 20)
  t.end()
})

function picture(width: number, height: number, color = 'red') {
  return sharp({ create: { width, height, channels: 4, background: color } })
}

async function refusal(bytes: Buffer): Promise<string> {
  const read = await recodeImage({ role: 'logo', bytes })
  return read.ok ? 'accepted' : read.error
}

test('an image is stored in the sizes of its role', async (t) => {
  const bytes = await picture(400, 200).jpeg().toBuffer()
  for (const role of PASS_IMAGE_ROLES) {
    const read = await recodeImage({ role, bytes })
    if (!read.ok) throw new Error(read.error)
    t.match(read.value.sha256, /^[0-9a-f]{64}$/)
    for (const scale of SCALES) {
      const { width, height, format } = await sharp(read.value.scales[scale].png).metadata()
      const room = ROLE_SIZES[role]
      t.equal(format, 'png')
      t.match(read.value.scales[scale], { width, height })
      t.ok(width <= room.width * scale && height <= room.height * scale, role)
      if (room.fit === 'filled')
        t.same({ width, height }, { width: room.width * scale, height: room.height * scale })
      else t.equal(Math.round(width / height), 2, 'its shape is kept')
    }
  }
})

test('the same image has the same name in the same role, without metadata of the file', async (t) => {
  const told = { exif: { IFD0: { Copyright: 'SECRET-PLACE' } } }
  const bytes = await picture(300, 300).withExif(told.exif).withIccProfile('p3').jpeg().toBuffer()
  t.match(bytes.toString('latin1'), 'SECRET-PLACE')
  const [first, again] = [
    await recodeImage({ role: 'icon', bytes }),
    await recodeImage({ role: 'icon', bytes }),
  ]
  if (!first.ok || !again.ok) throw new Error('refused')
  t.equal(first.value.sha256, again.value.sha256)
  for (const scale of SCALES) {
    const { exif, icc, xmp } = await sharp(first.value.scales[scale].png).metadata()
    t.same([exif, icc, xmp], [undefined, undefined, undefined])
    t.notMatch(Buffer.from(first.value.scales[scale].png).toString('latin1'), 'SECRET-PLACE')
  }
})

test('a rotated image is turned upright before it is cut', async (t) => {
  const bytes = await picture(100, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const read = await recodeImage({ role: 'logo', bytes })
  if (!read.ok) throw new Error(read.error)
  const { width, height } = await sharp(read.value.scales[3].png).metadata()
  t.equal(width, 3 * height)
})

test('a file of another kind, a damaged one and a bomb are refused with a sentence', async (t) => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  t.equal(await refusal(svg), 'must be a PNG, JPEG or WebP image')
  t.equal(
    await refusal(await picture(20, 20).gif().toBuffer()),
    'must be a PNG, JPEG or WebP image',
  )
  t.equal(await refusal(Buffer.alloc(0)), 'must be a PNG, JPEG or WebP image')
  const png = await picture(200, 200, 'blue').png().toBuffer()
  t.match(await refusal(png.subarray(0, png.length - 60)), 'damaged')
  t.match(await refusal(Buffer.concat([png.subarray(0, 16), svg])), 'damaged')
  const jpeg = await picture(300, 300).jpeg().toBuffer()
  t.match(await refusal(jpeg.subarray(0, jpeg.length >> 1)), 'damaged')
  // A few kilobytes that would be thirty million pixels.
  const bomb = await picture(6000, 5000).png({ compressionLevel: 9 }).toBuffer()
  t.ok(bomb.length < 1024 * 1024)
  t.match(await refusal(bomb), 'more than 24000000 pixels')
  t.match(await refusal(await picture(2100, 100).png().toBuffer()), 'as long as it is wide')
})

test('no bytes make the decoder throw', async (t) => {
  const png = await picture(64, 64, 'green').webp().toBuffer()
  await fc.assert(
    fc.asyncProperty(fc.nat(png.length - 1), fc.uint8Array({ maxLength: 8 }), async (at, noise) => {
      const broken = Buffer.concat([png.subarray(0, at), noise, png.subarray(at + noise.length)])
      await recodeImage({ role: 'thumbnail', bytes: broken })
    }),
    { numRuns: 60 },
  )
  t.ok(true)
})
