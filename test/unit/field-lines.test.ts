import { test } from 'tap'
import { FieldProblem } from '../../api/dashboard/page.ts'
import { fieldsIn, linesOf } from '../../api/dashboard/pages/field-lines.ts'
import { fc } from '../harness/properties.ts'

const TEXT = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('\\', '|', '\n', '\r', '\t', ' ', 'n', 's', 'r', 'a') }),
  fc.string({ unit: fc.constantFrom('\u00a0', '\ufeff', '\u2028', '\v', '\\', 'u', '0', ' ') }),
)
/** Texts that look like the terms of a line. */
const LIKE_TERMS = fc.constantFrom('message: x', '| align: left', 'format:', ' | message: | a')
const TERMS = fc.constantFrom(
  {},
  { format: 'date' } as const,
  { format: 'currency', currency: 'EUR' } as const,
  { alignment: 'right', change_message: 'Now %@ | or not' } as const,
  { format: 'number', alignment: 'center', change_message: 'message: \\ ' } as const,
)
const FIELDS = fc.uniqueArray(
  fc
    .tuple(
      fc.record({
        key: fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/),
        label: fc.oneof(TEXT, LIKE_TERMS),
        value: fc.oneof(TEXT, LIKE_TERMS),
      }),
      TERMS,
    )
    .map(([field, terms]) => ({ ...field, ...terms })),
  { selector: ({ key }) => key, maxLength: 6 },
)

test('fields come back from their lines as they were', (t) => {
  fc.assert(
    fc.property(FIELDS, fc.boolean(), (fields, isBrowser) => {
      const lines = linesOf(fields)
      t.equal(lines.split('\n').length, Math.max(1, fields.length), 'one line a field')
      // Browsers send line breaks as CRLF, and the form is trimmed.
      const sent = isBrowser ? lines.replaceAll('\n', '\r\n').trim() : lines
      t.same(fieldsIn(sent, 'fields_back', []), fields)
    }),
    { numRuns: 500 },
  )
  t.end()
})

test('lines typed by hand need no escapes', (t) => {
  const typed = 'a|A|1 | 2\n\n  b | B |  \nc | C \\| D | C:\\tool \\q'
  t.same(fieldsIn(typed, 'fields_back', [{ key: 'a', label: '', value: '', format: 'text' }]), [
    { key: 'a', label: 'A', value: '1 | 2', format: 'text' },
    { key: 'b', label: 'B', value: '' },
    { key: 'c', label: 'C | D', value: 'C:\tool \\q' },
  ])
  t.same(fieldsIn('a | A | 1 | align: left|message:Now %@', 'fields_back', []), [
    { key: 'a', label: 'A', value: '1', alignment: 'left', change_message: 'Now %@' },
  ])
  t.same(fieldsIn('a | A | message: x', 'fields_back', []), [
    { key: 'a', label: 'A', value: 'message: x' },
  ])
  for (const line of ['a', 'a | A', ' | A | 1', 'a \\| A | 1'])
    t.throws(() => fieldsIn(line, 'fields_back', []), FieldProblem)
  t.end()
})
