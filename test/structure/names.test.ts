import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { DECLINE_REASONS } from '../../shared/decline-reason.ts'
import { ERRORS } from '../../shared/error-catalog.ts'
import { EVENT_TYPES } from '../../shared/event-catalog.ts'
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import { SETTINGS } from '../../shared/settings.ts'
import { below, ROOT, SOURCES } from './sources.ts'

const COMMANDS = readFileSync(join(ROOT, 'scripts/README.md'), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { [name: string]: string }
}

// The simulator's scenarios count as tests: test/live plays them all. The files of this folder do
// not count.
const CASES = [...below('test'), ...below('scripts/simulate/scenarios')].filter(
  (source) => !source.path.startsWith('test/structure/'),
)
const WORDS = new Set(CASES.flatMap((source) => source.text.match(/[A-Za-z_]\w*(?:\.\w+)*/g) ?? []))

for (const [what, table] of Object.entries({
  'error code': ERRORS,
  'decline reason': DECLINE_REASONS,
  'event type': EVENT_TYPES,
  rule: RULE_CATALOG,
  setting: SETTINGS,
})) {
  test('every ' + what + ' is named in a test', (t) => {
    const names = Object.keys(table)
    t.ok(names.length > 0)
    t.same(
      names.filter((name) => !WORDS.has(name)),
      [],
    )
    t.end()
  })
}

test("npm passes a terminal's signals on to every script that stays", (t) => {
  // They end by themselves, and some run several commands.
  const finite = ['check', 'test', 'postinstall']
  const kept = Object.entries(scripts).filter(
    ([name, line]) => /\bnode\b/.test(line) && !finite.includes(name),
  )
  t.ok(kept.length > 8)
  t.same(
    kept.filter(([, line]) => !/^(\w+=\S+ )?exec node /.test(line)),
    [],
    'without exec, a SIGTERM to npm leaves the process behind',
  )
  t.end()
})

test('scripts/README.md lists every npm script', (t) => {
  t.same(
    Object.keys(scripts).filter(
      (name) =>
        name !== 'postinstall' &&
        !new RegExp('npm (run )?' + name + '\\b|`' + name + '`').test(COMMANDS),
    ),
    [],
  )
  t.end()
})

test('no test is skipped, run alone, or passed by hand', (t) => {
  const idle = /\bt\.pass\(|\.(only|skip|todo)\(|\{ ?(only|skip|todo):/
  t.same(
    SOURCES.filter((source) => /\.test\.ts$/.test(source.path) && idle.test(source.code)).map(
      (source) => source.path,
    ),
    [],
  )
  t.end()
})

test('no linter rule is switched off in the product', (t) => {
  t.same(
    SOURCES.filter((source) => !source.path.startsWith('test/'))
      .filter((source) => /biome-ignore\S* (?!format)/.test(source.text))
      .map((source) => source.path),
    [],
  )
  t.end()
})
