// Codes of digits and capital letters in four bytes: six characters of an authorization, two of
// field 39.
import { assert } from '../../shared/assert.ts'

const NO_CODE = 0xffffffff
const BASE = 36
const ZERO = 0x30
const NINE = 0x39
const LETTER_A = 0x41
const LETTER_Z = 0x5a

/** Packs this many characters of base 36 into one number; null has a number of its own. */
export function packedCode(code: string | null, characters: number): number {
  if (code === null) return NO_CODE
  assert(code.length === characters, 'a code of so many characters')
  let packed = 0
  for (let at = 0; at < characters; at++) packed = packed * BASE + digitOf(code.charCodeAt(at))
  return packed
}

function digitOf(character: number): number {
  const isDigit = character >= ZERO && character <= NINE
  assert(isDigit || (character >= LETTER_A && character <= LETTER_Z), 'a code of 0-9 and A-Z')
  return isDigit ? character - ZERO : character - LETTER_A + 10
}

/** Returns the code that `packedCode` packed, with this many characters. */
export function codeOf(packed: number, characters: number): string | null {
  if (packed === NO_CODE) return null
  return packed.toString(36).toUpperCase().padStart(characters, '0')
}
