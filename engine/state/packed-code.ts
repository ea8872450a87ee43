// Codes of digits and capital letters in four bytes: six characters of an authorization, two of field 39.
import { assert } from '../../shared/assert.ts'

const NO_CODE = 0xffffffff

/** So many characters of base 36 as one number; null has one of its own. */
export function packedCode(code: string | null, characters: number): number {
  if (code === null) return NO_CODE
  assert(code.length === characters && /^[0-9A-Z]+$/.test(code), 'a code of characters 0-9 A-Z')
  return Number.parseInt(code, 36)
}

/** The code of so many characters that `packedCode` packed. */
export function codeOf(packed: number, characters: number): string | null {
  if (packed === NO_CODE) return null
  return packed.toString(36).toUpperCase().padStart(characters, '0')
}
