// A rendered pass must keep these limits for wallets and readers.
import type { BarcodeFormat, PassField } from '../../../shared/schemas/pass-content.ts'
import { FIELD_GROUPS } from '../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import { parseFilterInstant } from '../../database/created-filter.ts'
import { fillTemplate, type PassValues, type RenderedPass } from '../wallets/model/render.ts'

/**
 * Bytes that a symbol holds at its drawn error correction: a QR code at M, a PDF417 at its
 * recommended level, an Aztec code at 23 %. Chosen: a Code 128 of more than 80 characters is wider
 * than any screen.
 */
export const BARCODE_BYTES_MAX: { readonly [Format in BarcodeFormat]: number } = {
  qr: 2331,
  pdf417: 800,
  aztec: 1500,
  code128: 80,
}
/** Apple's limit; Google's is the same. */
const NFC_BYTES_MAX = 64
const PLAIN_TEXT = /^[\x20-\x7e]*$/
const DECIMAL = /^-?[0-9]{1,15}(\.[0-9]{1,8})?$/

/**
 * Returns the pass as wallets and pages show it. Chosen: after a template change, fields that no
 * longer fit are left out, and a value that breaks its format is shown as text.
 */
export function renderPass(content: PassContent, pass: PassValues): RenderedPass {
  const { barcode, nfc, fields, expiresAt } = fillTemplate(content, pass)
  const shownAs = (field: PassField): PassField =>
    valueMisfit(field) === null ? field : { ...field, format: 'text', currency: null }
  const groups = FIELD_GROUPS.map((group) => [group, fields[group].map(shownAs)])
  return {
    fields: Object.fromEntries(groups) as RenderedPass['fields'],
    barcode: barcode && barcodeMisfit(barcode.format, barcode.message) === null ? barcode : null,
    nfc: nfc && Buffer.byteLength(nfc.message) <= NFC_BYTES_MAX ? nfc : null,
    expiresAt,
  }
}

export interface Misfit {
  /** Position in the template, as a JSON pointer. */
  at: string
  /** The problem there, as a sentence. */
  sentence: string
}

/** Returns the first misfit; null if everything fits. */
export function misfitOf({ barcode, nfc, fields }: RenderedPass): Misfit | null {
  if (barcode !== null) {
    const sentence = barcodeMisfit(barcode.format, barcode.message)
    if (sentence !== null) return { at: '/barcode/message', sentence }
  }
  if (nfc !== null) {
    const bytes = Buffer.byteLength(nfc.message)
    if (bytes > NFC_BYTES_MAX)
      return { at: '/nfc/message', sentence: tooLong('An NFC message', NFC_BYTES_MAX, bytes) }
  }
  for (const group of FIELD_GROUPS) {
    for (const [index, field] of fields[group].entries()) {
      const sentence = valueMisfit(field)
      if (sentence !== null) return { at: '/fields/' + group + '/' + index + '/value', sentence }
    }
  }
  return null
}

function barcodeMisfit(format: BarcodeFormat, message: string): string | null {
  const bytes = Buffer.byteLength(message)
  if (bytes === 0) return 'The barcode would hold nothing.'
  const most = BARCODE_BYTES_MAX[format]
  if (bytes > most) return tooLong('A barcode of the format ' + format, most, bytes)
  const unwritable = format === 'code128' && !PLAIN_TEXT.test(message)
  return unwritable ? 'A barcode of the format code128 holds plain ASCII only.' : null
}

function tooLong(what: string, most: number, bytes: number): string {
  return what + ' holds ' + most + ' bytes at most; this would be ' + bytes + '.'
}

/** An empty value fits every format: the pass shows nothing there. */
function valueMisfit({ key, value, format }: PassField): string | null {
  if (value === '' || format === 'text') return null
  const dated = format === 'date' || format === 'date_time'
  if (dated && parseFilterInstant(value) === null)
    return 'The value of ' + key + ' must be an ISO 8601 date, or date and time with a zone.'
  if (!dated && !DECIMAL.test(value)) return 'The value of ' + key + ' must be a decimal number.'
  return null
}
