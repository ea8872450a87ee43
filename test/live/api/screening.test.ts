// The share of a real list's people that are found under misspelt names, the share of strangers
// taken for one of them, and that an independent matcher with as few false alarms finds fewer.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fuzzball from 'fuzzball'
import { test } from 'tap'
import { openLists, SAMPLE_LISTS } from '../../../api/issuing/sanctions/lists.ts'
import { readOfac } from '../../../api/issuing/sanctions/ofac.ts'
import { createScreener, HIT_SCORE_MIN } from '../../../api/issuing/sanctions/screener.ts'
import { Random } from '../../simulation/random.ts'

const DIRECTORY = join(import.meta.dirname, '../../fixtures/ofac')
const read = (name: string): string => readFileSync(join(DIRECTORY, name), 'utf8')
const LISTED = readOfac(read('sdn.csv'), read('alt.csv'))
const screener = createScreener(LISTED, 'test')

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const random = new Random(7)
const plain = (name: string): string => {
  const [family = '', given = ''] = name.split(',')
  return (given + ' ' + family).replace(/[.']/g, '').replace(/\s+/g, ' ').trim()
}
const at = (name: string): number => 1 + random.below(Math.max(1, name.length - 2))

const WRITTEN: { readonly [way: string]: (name: string) => string } = {
  'as listed': (name) => name,
  'given name first': plain,
  'in capitals': (name) => plain(name).toUpperCase(),
  'with accents': (name) => plain(name).replace(/a/g, 'á').replace(/o/g, 'ö').replace(/e/g, 'é'),
  'a letter wrong': (name) => {
    const [text, place] = [plain(name), at(name)]
    return text.slice(0, place) + LETTERS[random.below(26)] + text.slice(place + 1)
  },
  'a letter left out': (name) => {
    const [text, place] = [plain(name), at(name)]
    return text.slice(0, place) + text.slice(place + 1)
  },
  'two letters swapped': (name) => {
    const [text, place] = [plain(name), at(name)]
    return (
      text.slice(0, place) + (text[place + 1] ?? '') + (text[place] ?? '') + text.slice(place + 2)
    )
  },
  'two words as one': (name) => {
    const words = plain(name).split(' ')
    const place = words.length < 3 ? 0 : random.below(words.length - 1)
    if (words.length >= 3) words.splice(place, 2, (words[place] ?? '') + (words[place + 1] ?? ''))
    return words.join(' ')
  },
  'without a middle name': (name) => {
    const words = plain(name).split(' ')
    if (words.length >= 4) words.splice(1, 1)
    return words.join(' ')
  },
  'transcribed otherwise': (name) =>
    plain(name)
      .replace(/Mu?o?hamm?[ae]d/i, 'Mohammed')
      .replace(/ou/g, 'u')
      .replace(/kh/g, 'h')
      .replace(/q/g, 'k'),
}

const GIVEN =
  'James Mary Robert Patricia Michael Linda David Elizabeth William Barbara Joseph Jessica Sarah Carlos Maria Juan Ana Luis Carmen Laura Sofia Omar Layla Aisha Ivan Olga Natasha Wei Hiroshi Yuki Pierre Claire Hans Greta Lars Ingrid Giovanni Chiara Kwame Amara Priya Raj Sunita Mehmet Elif Tomasz Agnieszka Emma Oliver Charlotte Noah Amelia'.split(
    ' ',
  )
const FAMILY =
  'Smith Johnson Williams Brown Jones Garcia Miller Davis Martinez Wilson Anderson Thomas Taylor Moore Jackson Martin Perez Thompson White Harris Clark Lewis Robinson Walker Young Allen King Wright Scott Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Kowalski Novak Ivanov Petrov Schmidt Mueller Weber Dubois Laurent Rossi Bianchi Tanaka Suzuki Kumar Sharma Patel Singh Yilmaz Demir Haddad Okafor Mensah Andersson Nielsen Hansen'.split(
    ' ',
  )
function stranger(): string {
  const middle = random.below(3) === 0 ? [random.pick(GIVEN)] : []
  return [random.pick(GIVEN), ...middle, random.pick(FAMILY)].join(' ')
}

const SAMPLES = 150
const PEOPLE = LISTED.filter(({ names }) => names[0]?.includes(',') === true)
const WRONGLY = Object.entries(WRITTEN).flatMap(([way, write]) =>
  Array.from({ length: SAMPLES }, () => {
    const entry = random.pick(PEOPLE)
    return { way, entry, name: write(entry.names[0] ?? '') }
  }),
)
const STRANGERS = Array.from({ length: 2000 }, stranger)

test('at least 95 % of misspelt names are found, and at most 1 % of strangers', (t) => {
  t.ok(LISTED.length > 4000, 'the list is read')
  const found = (name: string, id: string): boolean =>
    screener.screen({ name, dateOfBirth: null }).some(({ listedId }) => listedId === id)
  const hits = WRONGLY.filter(({ name, entry }) => found(name, entry.id)).length
  const alarms = STRANGERS.filter(
    (name) => screener.screen({ name, dateOfBirth: null }).length > 0,
  ).length
  t.ok(hits / WRONGLY.length >= 0.95, 'recall ' + hits / WRONGLY.length)
  t.ok(alarms / STRANGERS.length <= 0.01, 'false alarms ' + alarms / STRANGERS.length)
  t.end()
})

test('an independent matcher finds no more with as few false alarms', (t) => {
  // It compares with every name, therefore both matchers get the same small sample.
  const names = PEOPLE.slice(0, 400)
  const strangers = STRANGERS.slice(0, 250)
  const few = createScreener(names, 'few')
  const asked = WRONGLY.filter(({ entry }) => names.includes(entry)).slice(0, 120)
  const ratio = (one: string, other: string): number => fuzzball.token_sort_ratio(one, other)
  const best = (name: string): number =>
    Math.max(...names.flatMap((entry) => entry.names.map((listed: string) => ratio(name, listed))))
  const alarming = strangers.map(best).sort((one, other) => other - one)
  const threshold = (alarming[Math.floor(strangers.length / 100)] ?? 100) + 1
  const theirs = asked.filter(({ name, entry }) =>
    entry.names.some((listed: string) => ratio(name, listed) >= threshold),
  ).length
  const ours = asked.filter(({ name, entry }) =>
    few.screen({ name, dateOfBirth: null }).some(({ listedId }) => listedId === entry.id),
  ).length
  t.ok(asked.length >= 80)
  t.ok(ours >= theirs, ours + ' of ' + asked.length + ', the other one ' + theirs)
  t.end()
})

test('names in other scripts, with other divisions, titles and dates are found', (t) => {
  const bin = createScreener(
    [
      {
        id: 'x:1',
        kind: 'sanctions',
        names: ['BIN LADEN, Usama', 'BIN LADIN, Osama'],
        birthDates: [{ text: '1957-07-30', circa: false }],
        program: 'SDGT',
      },
      { id: 'x:2', kind: 'pep', names: ['ПУШКИН, Сергей'], birthDates: [], program: 'Minister' },
    ],
    'v',
  )
  const score = (name: string, dateOfBirth: string | null = null): number =>
    bin.screen({ name, dateOfBirth })[0]?.score ?? 0
  for (const name of [
    'osama binladen',
    'Usama bin Ladin',
    'Sheikh Osama BIN-LADEN',
    'Laden, Usama bin',
  ])
    t.ok(score(name) >= HIT_SCORE_MIN, name)
  t.ok(score('Sergey Pushkin') >= HIT_SCORE_MIN, 'transliterated')
  t.equal(bin.screen({ name: 'Sergej Puschkin', dateOfBirth: null })[0]?.kind, 'pep')
  t.equal(score('Osama bin Laden', '1957-07-30'), 100)
  t.equal(score('Osama bin Laden', '1990-01-01'), 0, 'somebody else by the date of birth')
  t.equal(score('Usama'), 0, 'one word of a name is no name')
  t.equal(score(''), 0)
  t.equal(score('Osama Hill'), 0)
  const [hit] = bin.screen({ name: 'Osama bin Laden', dateOfBirth: '1958-01-01' })
  t.match(hit, { name: 'BIN LADEN, Usama', program: 'SDGT' })
  t.match(hit?.reasons, [/^name \d+ of 100$/, 'born within two years'])
  t.end()
})

test('the sample lists are read; a missing or empty list is refused', (t) => {
  const problems: string[] = []
  const lists = openLists(SAMPLE_LISTS, (problem) => problems.push(problem))
  t.ok(lists.ok)
  if (!lists.ok) throw new Error(lists.error)
  const sample = lists.value.current()
  t.ok(sample.size > 200)
  t.equal(lists.value.current(), sample, 'made once')
  t.match(sample.version, /^[0-9a-f]{16}$/)
  t.match(
    openLists([{ format: 'pep', path: '/nowhere' }], () => {}),
    {
      ok: false,
      error: 'the list /nowhere cannot be read',
    },
  )
  t.same(problems, [])
  t.end()
})
