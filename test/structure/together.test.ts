import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { ROOT } from './sources.ts'

const TOGETHER = join(ROOT, 'test/grouped')
const IMPORTED = /^import '\.\.\/(live\/[\w-]+\.test\.ts)'$/gm
const EXCLUDED = /^ {2}- "?test\/(live\/[\w-]+\.test\.ts)"?$/gm

test('every test file that tap excludes runs once in test/grouped', (t) => {
  const imported = readdirSync(TOGETHER).flatMap((name) =>
    named(IMPORTED, readFileSync(join(TOGETHER, name), 'utf8')),
  )
  const excluded = named(EXCLUDED, readFileSync(join(ROOT, '.taprc'), 'utf8'))
  t.not(excluded.length, 0)
  t.same(imported.toSorted(), excluded.toSorted())
  for (const name of excluded) t.ok(existsSync(join(ROOT, 'test', name)), name)
  t.end()
})

function named(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name as string)
}
