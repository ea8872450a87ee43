import { test } from 'tap'
import { exempt } from './exemptions.ts'
import { below, SOURCES, type Source } from './sources.ts'

const PRODUCT = SOURCES.filter((source) => !/^(test|bench)\//.test(source.path))

/** `path: what` for every line of code in which a banned pattern stands. */
function uses(sources: readonly Source[], pattern: RegExp, rule: string): string[] {
  return sources
    .filter((source) => !exempt(source.path, rule))
    .flatMap((source) =>
      source.code
        .split('\n')
        .filter((line) => pattern.test(line))
        .map((line) => source.path + ': ' + line.trim()),
    )
}

test('files and folders have names that say something', (t) => {
  const empty =
    /(^|\/)(utils?|helpers?|common|misc|lib|core|manager|service|types|constants)(\/|\.[a-z]+$)/i
  t.same(
    SOURCES.filter((source) => empty.test(source.path)).map((source) => source.path),
    [],
  )
  t.end()
})

test('time and chance come from shared/clock.ts and shared/id.ts', (t) => {
  t.same(
    uses(
      PRODUCT,
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|(?<![.\w])set(Timeout|Interval)\(/,
      'clock',
    ),
    [],
  )
  t.end()
})

test('the environment is read in config files only', (t) => {
  t.same(
    uses(
      PRODUCT.filter((source) => !source.path.endsWith('/config.ts')),
      /\bprocess\.env\b/,
      'environment',
    ),
    [],
  )
  t.end()
})

test('words that are banned everywhere', (t) => {
  t.same(
    uses(PRODUCT, /\bconsole\.|\bparseFloat\b|\.toFixed\(|\bexport default\b|^\s*enum\b/, 'words'),
    [],
  )
  const leftOver = new RegExp(
    ['TO' + 'DO', 'FIX' + 'ME', '@ts-' + 'ignore', '@ts-' + 'expect-error'].join('|'),
  )
  t.same(
    SOURCES.filter((source) => leftOver.test(source.text)).map((source) => source.path),
    [],
  )
  t.end()
})

test('names that a term of the field replaced stay out', (t) => {
  const names = [
    ...[
      'isFactKind',
      'postFact',
      'OwnData',
      'ownData',
      'OWN_DATA',
      'decideQuestion',
      'metByFact',
      'metByQuestion',
      'objectionTo',
    ],
    ...['unpostable', 'letGo', 'tellLimits', 'tellReady', 'changedSaid', 'renewLife', 'showLife'],
    ...['endLife', 'engineCovers', 'keptAnswer', 'openToPages', 'wish', 'wished', 'Inapplicable'],
  ]
  const replaced = new RegExp('\\b(' + names.join('|') + ')\\b')
  t.same(
    SOURCES.filter(({ path }) => !path.startsWith('test/structure/'))
      .filter((source) => replaced.test(source.code))
      .map((source) => source.path),
    [],
  )
  t.end()
})

test('a transaction is opened by the guard only', (t) => {
  t.same(
    uses(
      below('api').filter((source) => source.path !== 'api/database/transaction.ts'),
      /\bsql\.begin\(/,
      'begin',
    ),
    [],
  )
  t.end()
})

const HOT = [...below('engine/line'), ...below('engine/rules')]
const stepOf = (source: Source): string => source.path.split('/').at(-1)?.slice(0, -3) ?? ''

test('the authorization line neither throws nor waits', (t) => {
  t.ok(HOT.length > 15)
  t.same(uses(HOT, /\bthrow\b/, 'throw'), [])
  t.same(
    uses(
      HOT.filter((source) => !['decode', 'ask'].includes(stepOf(source))),
      /\btry\b/,
      'try',
    ),
    [],
  )
  t.same(
    uses(
      HOT.filter((source) => !['ask', 'conclude', 'answer'].includes(stepOf(source))),
      /\basync\b|\bawait\b/,
      'async',
    ),
    [],
  )
  t.same(
    uses(
      HOT.filter((source) => stepOf(source) !== 'decode'),
      /JSON\.parse/,
      'parse',
    ),
    [],
  )
  t.same(
    uses(
      HOT.filter((source) => !['order', 'list-rule'].includes(stepOf(source))),
      /`|\.(map|filter|forEach)\(/,
      'allocation',
    ),
    [],
  )
  t.same(uses(HOT, /\{ ?\.\.\.|^\s*\.\.\.[a-z]\w*,$/, 'spread'), [])
  t.end()
})

test('files stay readable', (t) => {
  const long = PRODUCT.filter(
    (source) => source.text.split('\n').length > 330 && !exempt(source.path, 'length'),
  )
  t.same(
    long.map((source) => source.path + ' has more than 330 lines'),
    [],
  )
  const headless = PRODUCT.filter((source) => !/^(#!.*\n)?\/\//.test(source.text))
  t.same(
    headless.map((source) => source.path + ' opens without saying its place and promise'),
    [],
  )
  t.end()
})
