// Draws barcodes, black on white with their quiet zone, so that a screenshot can be read. Runs in a wallet thread: it is a few
// milliseconds of pure computing.
import { type RenderOptions, toBuffer, toSVG } from 'bwip-js/node'
import type { BarcodeFormat } from '../../../shared/schemas/pass-content.ts'

export interface BarcodeDrawing {
  format: BarcodeFormat
  message: string
  form: 'svg' | 'png'
}

/** The types of bwip-js leave out what only one format has. */
type Look = Omit<RenderOptions, 'text'> & { eclevel?: 'M' }

/** Quiet zones in modules (ISO/IEC 18004, 15438, 15417; Aztec needs none, and gets a little). */
const LOOKS: { readonly [Format in BarcodeFormat]: Look } = {
  qr: { bcid: 'qrcode', eclevel: 'M', padding: 4 },
  pdf417: { bcid: 'pdf417', padding: 2 },
  aztec: { bcid: 'azteccode', padding: 2 },
  code128: { bcid: 'code128', height: 12, paddingwidth: 10, paddingheight: 2 },
}

/** Pixels of a module. */
const SCALE = 4

/** The message fits (`BARCODE_BYTES_MAX`). */
export async function drawBarcode(drawing: BarcodeDrawing): Promise<Buffer> {
  const { format, message, form } = drawing
  const options = { ...LOOKS[format], text: message, scale: SCALE, backgroundcolor: 'FFFFFF' }
  return form === 'svg' ? Buffer.from(toSVG(options)) : toBuffer(options)
}
