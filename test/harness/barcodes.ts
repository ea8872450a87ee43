// An independent decoder for the barcodes we draw.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import type { BarcodeFormat } from '../../shared/schemas/pass-content.ts'

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } })

const READERS = {
  qr: 'QRCode',
  pdf417: 'PDF417',
  aztec: 'Aztec',
  code128: 'Code128',
} as const satisfies { readonly [Format in BarcodeFormat]: string }

/** The contents of all symbols of that format on a picture (PNG), in any rotation. */
export async function readSymbols(png: Uint8Array, format: BarcodeFormat): Promise<string[]> {
  const found = await readBarcodes(png, { formats: [READERS[format]], tryHarder: true })
  return found.map(({ text }) => text)
}
