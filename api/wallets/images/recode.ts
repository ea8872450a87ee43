// Makes of an uploaded image what a pass shows: it is decoded, turned upright, cut to size and written anew, so that nothing of
// the file that came reaches a wallet or a page, what it says of camera and place included. Runs in a wallet thread.
import { hash } from 'node:crypto'
import sharp, { type Sharp } from 'sharp'
import type { Result } from '../../../shared/result.ts'
import type { PassImageRole } from '../../../shared/schemas/pass-content.ts'
import { ROLE_SIZES, type Scale } from './roles.ts'

/** Chosen: more than any telephone takes in this place, and little enough to hold a few of them decoded. */
const PIXELS_MAX = 24_000_000
/** Chosen: a line that is cut to the shape of a pass shows nothing of what it was. */
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

/** An image as it is kept: in every scale. */
export interface PassImage {
  /** Of the largest, 64 hex digits: the same picture has the same. */
  sha256: string
  scales: { readonly [Factor in Scale]: Picture }
}

const OPENERS = ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp']

// What is not opened cannot be broken into: every other decoder is closed to this thread.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: OPENERS })
sharp.cache(false)
sharp.concurrency(1)

/** The first bytes of what is accepted. What a file is called, or says it is, does not count. */
const SIGNATURES: readonly ((bytes: Buffer) => boolean)[] = [
  (bytes) => startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  (bytes) => startsWith(bytes, 0, [0xff, 0xd8, 0xff]),
  (bytes) =>
    startsWith(bytes, 0, [...Buffer.from('RIFF')]) &&
    startsWith(bytes, 8, [...Buffer.from('WEBP')]),
]

/** The image, or why there is none, as the end of a sentence about it. Never throws for what an upload holds. */
export async function recodeImage({ role, bytes }: Upload): Promise<Result<PassImage, string>> {
  if (!SIGNATURES.some((matches) => matches(bytes)))
    return { ok: false, error: 'must be a PNG, JPEG or WebP image' }
  try {
    // Only the head of the file is read.
    const { width, height } = await open(bytes, false).metadata()
    if (width * height > PIXELS_MAX)
      return { ok: false, error: 'has more than ' + PIXELS_MAX + ' pixels' }
    if (width > SHAPE_MAX * height || height > SHAPE_MAX * width)
      return { ok: false, error: 'is more than ' + SHAPE_MAX + ' times as long as it is wide' }
    return { ok: true, value: await inAllScales(role, bytes) }
  } catch {
    // What the decoder says of it is about the decoder.
    return { ok: false, error: 'cannot be decoded: the file is damaged' }
  }
}

/** One frame of what moves. */
function open(bytes: Uint8Array, limitInputPixels: number | false = PIXELS_MAX): Sharp {
  return sharp(bytes, { limitInputPixels, failOn: 'error', pages: 1 })
}

async function inAllScales(role: PassImageRole, bytes: Buffer): Promise<PassImage> {
  // Decoded once, at the largest size; the smaller ones are made of that.
  const largest = await sized(open(bytes).autoOrient(), role, 3)
  const smaller = (scale: Scale): Promise<Picture> => sized(open(largest.png), role, scale)
  return {
    sha256: hash('sha256', largest.png),
    scales: { 1: await smaller(1), 2: await smaller(2), 3: largest },
  }
}

/** sRGB in eight bits, of at most 256 colours: what is shown that small needs no more. */
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
