import { test } from 'tap'
import { FieldProblem } from '../../api/dashboard/page.ts'
import { fieldsIn, linesOf } from '../../api/dashboard/pages/field-lines.ts'
import { fc } from '../harness/properties.ts'

const TEXT = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('\\', '|', '\n', '\r', '\t', ' ', 'n', 's', 'r', 'a') }),
  fc.string({ unit: fc.constantFrom('\u00a0', '\ufeff', '\u2028', '\v', '\\', 'u', '0', ' ') }),
)
const FIELDS = fc.uniqueArray(
  fc.record({ key: fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/), label: TEXT, value: TEXT }),
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
  for (const line of ['a', 'a | A', ' | A | 1', 'a \\| A | 1'])
    t.throws(() => fieldsIn(line, 'fields_back', []), FieldProblem)
  t.end()
})
