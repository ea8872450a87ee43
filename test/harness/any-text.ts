// Texts of any code points, for properties.
import { fc } from './properties.ts'

const LAST_CODE_POINT = 0x10ffff

/**
 * Texts of up to `maxLength` code points of any plane, lone surrogates included, and the awkward
 * ones that fast-check knows. Its own unit `binary` indexes every code point first: 3 s a process.
 */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  const points = fc.array(fc.integer({ min: 0, max: LAST_CODE_POINT }), { maxLength })
  return fc.oneof(
    points.map((codes) => String.fromCodePoint(...codes)),
    fc.string({ maxLength }),
  )
}
