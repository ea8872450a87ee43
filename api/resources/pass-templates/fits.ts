// What a rendered pass must be for wallets and readers to take it.
import type { BarcodeFormat, PassField } from '../../../shared/schemas/pass-content.ts'
import { FIELD_GROUPS } from '../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import { parseFilterInstant } from '../../created-filter.ts'
import { fillTemplate, type PassValues, type RenderedPass } from './render.ts'

/**
 * Bytes that a symbol holds at the error correction it is drawn with: a QR code at M, a PDF417 at its recommended level, an
 * Aztec code at 23 %. Chosen: a Code 128 of more than 80 characters is wider than any screen.
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
 * What wallets and pages show of a pass. Chosen: what does not fit, because the template was changed after the pass was looked at,
 * is left out, and a value that is not of its format is shown as text.
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
  /** Where in the template, as a JSON pointer. */
  at: string
  /** What is wrong there, as a sentence about it. */
  sentence: string
}

/** The first thing that does not fit; null where everything does. */
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

/** Nothing at all fits every format: the pass says nothing there. */
function valueMisfit({ key, value, format }: PassField): string | null {
  if (value === '' || format === 'text') return null
  const dated = format === 'date' || format === 'date_time'
  if (dated && parseFilterInstant(value) === null)
    return 'The value of ' + key + ' must be an ISO 8601 date, or date and time with a zone.'
  if (!dated && !DECIMAL.test(value)) return 'The value of ' + key + ' must be a decimal number.'
  return null
}
