// Turns an uploaded image into a pass image: decodes it, turns it upright, cuts it to size and
// encodes it again, so no byte of the upload reaches a wallet or a page, including its data on
// camera and place. Runs in a wallet thread.
import { hash } from 'node:crypto'
import sharp, { type Sharp } from 'sharp'
import type { Result } from '../../../../shared/result.ts'
import type { PassImageRole } from '../../../../shared/schemas/pass-content.ts'
import { ROLE_SIZES, type Scale } from '../model/image-roles.ts'

/** Chosen: larger than any phone's photo, and small enough to hold a few decoded images. */
const PIXELS_MAX = 24_000_000
/** Chosen: a very long image cut to a pass's shape would be unrecognizable. */
const SHAPE_MAX = 20
const SECONDS_MAX = 10

export interface Upload {
  role: PassImageRole
  bytes: Buffer
}

/** A picture in one scale. */
export interface Picture {
  width: number
  height: number
  png: Uint8Array
}

/** An image in its stored form: in every scale. */
export interface PassImage {
  /** Hash of the largest scale, 64 hex digits: the same picture has the same hash. */
  sha256: string
  scales: { readonly [Factor in Scale]: Picture }
}

const OPENERS = ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp']

// Blocking every other decoder in this thread reduces the attack surface.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: OPENERS })
sharp.cache(false)
sharp.concurrency(1)

/** The first bytes of accepted formats. The file's name and declared type do not count. */
const SIGNATURES: readonly ((bytes: Buffer) => boolean)[] = [
  (bytes) => startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  (bytes) => startsWith(bytes, 0, [0xff, 0xd8, 0xff]),
  (bytes) =>
    startsWith(bytes, 0, [...Buffer.from('RIFF')]) &&
    startsWith(bytes, 8, [...Buffer.from('WEBP')]),
]

/**
 * Returns the image, or the problem as the end of a sentence. Never throws because of an upload's
 * content.
 */
export async function recodeImage({ role, bytes }: Upload): Promise<Result<PassImage, string>> {
  if (!SIGNATURES.some((matches) => matches(bytes)))
    return { ok: false, error: 'must be a PNG, JPEG or WebP image' }
  try {
    // Only the head of the file is decoded here.
    const { width, height } = await open(bytes, false).metadata()
    if (width * height > PIXELS_MAX)
      return { ok: false, error: 'has more than ' + PIXELS_MAX + ' pixels' }
    if (width > SHAPE_MAX * height || height > SHAPE_MAX * width)
      return { ok: false, error: 'is more than ' + SHAPE_MAX + ' times as long as it is wide' }
    return { ok: true, value: await inAllScales(role, bytes) }
  } catch {
    // The decoder's message describes the decoder, not the file.
    return { ok: false, error: 'cannot be decoded: the file is damaged' }
  }
}

/** Opens one frame of an animation. */
function open(bytes: Uint8Array, limitInputPixels: number | false = PIXELS_MAX): Sharp {
  return sharp(bytes, { limitInputPixels, failOn: 'error', pages: 1 })
}

async function inAllScales(role: PassImageRole, bytes: Buffer): Promise<PassImage> {
  // The file is decoded once, at the largest size; the smaller sizes come from that.
  const largest = await sized(open(bytes).autoOrient(), role, 3)
  const smaller = (scale: Scale): Promise<Picture> => sized(open(largest.png), role, scale)
  return {
    sha256: hash('sha256', largest.png),
    scales: { 1: await smaller(1), 2: await smaller(2), 3: largest },
  }
}

/** sRGB in eight bits, at most 256 colours: enough at that size. */
async function sized(image: Sharp, role: PassImageRole, scale: Scale): Promise<Picture> {
  const room = ROLE_SIZES[role]
  const { data: png, info } = await image
    .resize({
      width: room.width * scale,
      height: room.height * scale,
      fit: room.fit === 'filled' ? 'cover' : 'inside',
    })
    .timeout({ seconds: SECONDS_MAX })
    .toColourspace('srgb')
    .png({ palette: true, colours: 256, effort: 4, compressionLevel: 9 })
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, png }
}

function startsWith(bytes: Buffer, at: number, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[at + index] === byte)
}
