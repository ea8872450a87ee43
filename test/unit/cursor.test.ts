import { test } from 'tap'
import {
  CURSOR_LENGTH_MAX,
  CURSOR_LISTS,
  type CursorList,
  decodeCursor,
  encodeCursor,
  isIdOf,
} from '../../api/database/cursor.ts'
import { newId } from '../../shared/id.ts'
import { fc } from '../harness/properties.ts'

const LISTS = Object.keys(CURSOR_LISTS) as CursorList[]
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const lists = fc.constantFrom(...LISTS)
const seqs = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const moments = fc.integer({ min: 0, max: 2 ** 47 })
const cursors = fc.tuple(lists, seqs, moments).map(([list, seq, moment]) => {
  const { key, prefix } = CURSOR_LISTS[list]
  const position = key === 'id' ? newId(prefix.slice(0, -1), moment) : seq
  return { list, position, text: encodeCursor(list, position) }
})

test('a cursor leads back to its position, in its own list only', (t) => {
  fc.assert(
    fc.property(cursors, ({ list, position, text }) => {
      const elsewhere = LISTS.filter((other) => other !== list)
      return (
        decodeCursor(list, text) === position &&
        text.length <= CURSOR_LENGTH_MAX &&
        elsewhere.every((other) => decodeCursor(other, text) === null)
      )
    }),
  )
  t.end()
})

test('a cursor with one character changed, lost or added is refused', (t) => {
  fc.assert(
    fc.property(
      cursors,
      fc.nat(),
      fc.constantFrom(...BASE64URL, '=', ' ', 'é'),
      ({ list, text }, where, character) => {
        const at = where % text.length
        const changed = text.slice(0, at) + character + text.slice(at + 1)
        const damaged = [
          text.slice(0, at) + text.slice(at + 1),
          text.slice(0, at) + character + text.slice(at),
        ].filter((candidate) => decodeCursor(list, candidate) !== null)
        return (changed === text || decodeCursor(list, changed) === null) && damaged.length === 0
      },
    ),
    { numRuns: 2000, seed: 7 },
  )
  t.end()
})

test('any other text is refused without an exception', (t) => {
  fc.assert(
    fc.property(lists, fc.string({ maxLength: 200 }), (list, text) => {
      return decodeCursor(list, text) === null
    }),
    { seed: 7 },
  )
  t.end()
})

test('an id of the list is distinguished from a cursor', (t) => {
  const mixed = LISTS.map((list) => [
    isIdOf(list, newId(CURSOR_LISTS[list].prefix.slice(0, -1), 1_700_000_000_000)),
    isIdOf(list, newId('other', 1_700_000_000_000)),
    isIdOf(list, CURSOR_LISTS[list].prefix),
  ])
  t.same(mixed, Array(LISTS.length).fill([true, false, false]))
  t.end()
})
