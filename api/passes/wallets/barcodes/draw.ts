// Draws barcodes, black on white with their quiet zone, so a scanner can read a screenshot. The
// drawing runs in a wallet thread: it computes for a few milliseconds.
import { type RenderOptions, toSVG } from 'bwip-js/node'
import { assert } from '../../../../shared/assert.ts'
import type { BarcodeFormat } from '../../../../shared/schemas/pass-content.ts'

export interface BarcodeDrawing {
  format: BarcodeFormat
  message: string
}

/**
 * A symbol as an SVG element, and its size in modules, quiet zone included: a whole number of
 * pixels per module keeps it sharp.
 */
export interface Barcode {
  svg: string
  width: number
  height: number
}

interface Look {
  /** The types of bwip-js omit options of a single format. */
  options: Omit<RenderOptions, 'text'> & { eclevel?: 'M' }
  /** Width of a module in units of the drawing. */
  module: 1 | 2
}

/**
 * Quiet zones in units of the drawing: 4 modules of a QR code, 2 of Aztec and PDF417, 10 of Code
 * 128 (ISO/IEC 18004, 15438, 15417).
 */
const LOOKS: { readonly [Format in BarcodeFormat]: Look } = {
  qr: { options: { bcid: 'qrcode', eclevel: 'M', padding: 8 }, module: 2 },
  pdf417: { options: { bcid: 'pdf417', padding: 2 }, module: 1 },
  aztec: { options: { bcid: 'azteccode', padding: 4 }, module: 2 },
  code128: {
    options: { bcid: 'code128', height: 25, paddingwidth: 10, paddingheight: 2 },
    module: 1,
  },
}

const SIZE = /viewBox="0 0 (\d+) (\d+)"/

/**
 * Chosen: a short PDF417 has two columns, so three pixels fit each module on a phone of 390. At
 * two, which the usual shape leaves, ZXing 3.1.4 read it in some surroundings and not in others.
 */
const NARROW_CHARACTERS_MAX = 64
const NARROW = { columns: 2 }

/** The message fits (`BARCODE_BYTES_MAX`). */
export function drawBarcode({ format, message }: BarcodeDrawing): Barcode {
  const { options, module } = LOOKS[format]
  const shape = format === 'pdf417' && message.length <= NARROW_CHARACTERS_MAX ? NARROW : {}
  const look = { ...options, ...shape, scale: 1, backgroundcolor: 'FFFFFF' }
  const svg = toSVG({ ...look, text: message })
  const [, width, height] = SIZE.exec(svg) ?? []
  assert(width !== undefined && height !== undefined, 'a drawing says how large it is')
  return { svg, width: Number(width) / module, height: Number(height) / module }
}
