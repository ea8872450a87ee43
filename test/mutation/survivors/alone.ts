// Mutants that no test can catch, in files that stand alone.
import type { Explained } from './explained.ts'

const BEHIND_THE_END =
  'behind the last byte stands none, which is neither plain nor a digit, space or quote'

export const ALONE: readonly Explained[] = [
  {
    path: 'engine/plain-json/read.ts',
    line: [
      'while (end < body.length && allowed[body[end] as number] === 1) end += 1',
      'while (at < body.length && isSpace(body[at] as number)) at += 1',
    ],
    before: '<',
    after: '<=',
    reason: BEHIND_THE_END,
  },
  {
    path: 'engine/plain-json/read.ts',
    line: 'for (; end < body.length; end++) {',
    before: '<',
    after: '<=',
    reason: 'a body that ends with a number is no object, whatever number it is',
  },
  {
    path: 'engine/plain-json/read.ts',
    line: 'lastKeys[keys] = word',
    before: 'lastKeys[keys] = word',
    after: ';',
    reason: 'no key is guessed, so each is looked up: slower',
  },
  {
    path: 'engine/plain-json/read.ts',
    line: 'field.lastWord = word',
    before: 'field.lastWord = word',
    after: ';',
    reason: 'no word is guessed, so each is looked up: slower',
  },
  {
    path: 'engine/plain-json/words.ts',
    line: 'for (let at = from; at < body.length && body[at] !== QUOTE; at++)',
    before: '<',
    after: '<=',
    reason: 'only where no quote ends a word its hash becomes another, and then it is none',
  },
  {
    path: 'engine/plain-json/words.ts',
    line: 'for (let count = SLOTS_AT_FIRST; filled(slots) < words.length; count *= 2) {',
    before: '2',
    after: '3',
    reason: 'any number of slots will do in which no two words share one: there are more',
  },
  {
    path: 'engine/plain-json/words.ts',
    line: 'if (end >= body.length || body[end] !== QUOTE) return false',
    before: '>=',
    after: '>',
    reason: BEHIND_THE_END,
  },
  {
    path: 'engine/memory/admission-filter.ts',
    line: 'for (let at = first; at < first + SHARE; at++) if (marks[at] === mark) return true',
    before: '<',
    after: '<=',
    reason: 'a mark stands only among those of its place, never with the first of the next one',
  },
  {
    path: 'engine/memory/admission-filter.ts',
    line: 'for (let at = first + SHARE - 1; at > first; at--) marks[at] = marks[at - 1] as number',
    before: '>',
    after: '>=',
    reason: 'what is put first then is written over at once',
  },
  {
    path: 'engine/memory/admission-filter.ts',
    line: 'for (let at = Math.max(0, name.length - CHARS); at < name.length; at++)',
    before: '<',
    after: '<=',
    reason: 'behind the last letter stands none, so every mark is mixed once more: as good a mark',
  },
  {
    path: 'shared/wire/rows.ts',
    line: 'readers.set(fields, reader)',
    before: 'readers.set(fields, reader)',
    after: ';',
    reason: 'the reader is written anew for each row: slower',
  },
]
