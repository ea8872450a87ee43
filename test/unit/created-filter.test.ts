import { test } from 'tap'
import { createdRange, parseFilterInstant } from '../../api/database/created-filter.ts'

const NOON_MS = Date.UTC(2026, 10, 20, 12)
const NOON = '2026-11-20T12:00:00Z'

function found(filters: Parameters<typeof createdRange>[0], createdMs: number): boolean {
  const { from, before } = createdRange(filters)
  return from <= createdMs && createdMs < before
}

test('filters compare in whole seconds, as created shows', (t) => {
  const late = NOON_MS + 999
  const table: [
    Parameters<typeof createdRange>[0],
    before: boolean,
    at: boolean,
    after: boolean,
  ][] = [
    [{ 'created[gte]': NOON }, false, true, true],
    [{ 'created[gt]': NOON }, false, false, true],
    [{ created_after: NOON }, false, false, true],
    [{ 'created[lte]': NOON }, true, true, false],
    [{ 'created[lt]': NOON }, true, false, false],
    [{ 'created[gte]': NOON, 'created[lte]': NOON }, false, true, false],
    [{}, true, true, true],
  ]
  for (const [filters, before, at, after] of table) {
    t.same(
      [NOON_MS - 1, NOON_MS, late, NOON_MS + 1000].map((moment) => found(filters, moment)),
      [before, at, at, after],
      JSON.stringify(filters),
    )
  }
  t.end()
})

test('an instant is an existing date, or a date and time with a zone', (t) => {
  t.equal(parseFilterInstant('2026-11-20'), Date.UTC(2026, 10, 20))
  t.equal(parseFilterInstant('2026-11-20T13:00:00+01:00'), NOON_MS)
  const refused = [
    '',
    'now',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-02-30T00:00:00Z',
    '1763640000',
  ]
  const unwritable = ['9999-12-31T23:59:59-14:00', '0000-01-01T00:00:00+14:00']
  for (const text of [...refused, '2026-11-20T12:00:00', ...unwritable])
    t.equal(parseFilterInstant(text), null, text)
  t.equal(parseFilterInstant('9999-12-31T23:59:59Z'), Date.UTC(9999, 11, 31, 23, 59, 59))
  t.end()
})
