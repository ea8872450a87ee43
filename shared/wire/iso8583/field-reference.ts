// The table of all fields as documents show it: number, name, form and use.
import { FIELDS, type Field, type FieldNumber, PASSED_OVER, type PassedOver } from './fields.ts'

const NOT_READ = 'taken in its form and not read'

/** Uses of the fields that the engine reads, a sentence fragment each. */
const USES: { readonly [Number in FieldNumber]: string } = {
  2: 'the PAN; absent where 35 or a token in 48 names the card',
  3: 'required; the first two digits are the transaction type, 30 asks for the balance',
  4: 'required; the amount, in an approval the approved amount',
  5: NOT_READ,
  6: 'the amount in the currency of 51; needs 51',
  7: 'required; the moment in UTC, part of the id of the message',
  9: NOT_READ,
  10: 'the rate of 6',
  11: 'part of the id of the message; 37 stands in where it is absent, else 000000',
  12: 'repeated in the answer',
  13: 'repeated in the answer',
  14: 'the expiry; absent, that of 35 counts',
  18: 'the merchant category; absent it is 0000, which a control that lists categories does not allow',
  19: NOT_READ,
  22: 'the first two digits are the entry method',
  23: NOT_READ,
  25: '51 asks for a verification, 59 with a keyed number is online',
  28: 'a fee, D for debit; a credit of more than 0 is refused',
  32: 'required; part of the id of the message',
  35: 'PAN and expiry where 2 and 14 are absent; refused where its PAN is not that of 2; the rest is dropped',
  37: 'repeated in the answer; names the transaction where 63 is absent',
  38: NOT_READ,
  39: 'of an advice, required: the code that was answered in our place',
  41: 'required; part of the id of the message',
  42: 'required; the merchant id, without spaces at its end',
  43: 'required; name (25), city (13) and country (2); a blank country is ZZ',
  44: 'only in answers: the number of the field at fault',
  48:
    'elements of ours: two digits of tag, three of length, the value; passed over where it begins otherwise, ' +
    'refused where it begins so and breaks',
  49: 'required; the currency of 4',
  50: NOT_READ,
  51: 'the currency of 6',
  52: 'a PIN block of format 0 in clear; one that does not open is a wrong PIN',
  54: 'cashback (amount type 40); in the answer to an inquiry the balance',
  55: 'taken where it is BER-TLV, and not read',
  60: NOT_READ,
  61: NOT_READ,
  62: NOT_READ,
  63: 'the network’s id of the transaction; absent it is made of 32, 41 and 37, else of 32, 11 and 7 (a reversal: those of 90)',
  64: 'refused: no key for authentication codes is agreed',
  70: 'of an 0800: 001 signs on, 002 signs off, 301 is an echo',
  90: 'names the transaction of a reversal where 63 and 37 are absent',
  95: 'of a reversal: the amount that stays',
  102: NOT_READ,
  103: NOT_READ,
  128: 'refused: no key for authentication codes is agreed',
}

export interface FieldReference {
  readonly number: number
  readonly name: string
  /** Length and content, for example `LL 12–19, digits`. */
  readonly form: string
  readonly use: string
}

/** Every field from 2 to 128, in order. */
export function fieldReference(): FieldReference[] {
  const read = Object.entries(FIELDS).map(([key, field]) => {
    const number = Number(key) as FieldNumber
    return { number, name: field.name, form: formOf(field), use: USES[number] }
  })
  const passed = Object.entries(PASSED_OVER).map(([key, field]) => ({
    number: Number(key),
    name: field.name,
    form: Number(key) === 127 ? 'to the end of the message' : formOf(field),
    use: 'passed over',
  }))
  return [...read, ...passed].sort((one, other) => one.number - other.number)
}

function formOf(field: Field | PassedOver): string {
  const { lengthDigits, bytesMin, bytesMax } = field
  const length =
    lengthDigits === 0
      ? String(bytesMax)
      : 'L'.repeat(lengthDigits) + ' ' + bytesMin + '–' + bytesMax
  if (field.kind === 'passed over') return length
  return length + ', ' + (field.kind === 'text' ? field.content.form : field.form)
}

/** The table in Markdown. */
export function fieldTable(): string {
  const rows = fieldReference().map(
    ({ number, name, form, use }) => `| ${number} | ${name} | ${form} | ${use} |`,
  )
  return ['| Field | Name | Length and content | Use |', '|---|---|---|---|', ...rows].join('\n')
}
