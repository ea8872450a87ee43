// Each of the sixty scenarios and each story of payments is guarded by a line of our source that
// still exists.
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { guarded } from './guarded.ts'

const rows = guarded()

test('each scenario is guarded by a line', (t) => {
  for (const { number, mutation } of rows) t.not(mutation, null, number + ' is guarded')
  t.end()
})

test('every mutation changes one line that occurs once', (t) => {
  for (const { number, mutation } of rows) {
    if (mutation === null) continue
    const source = readFileSync(new URL('../../' + mutation.path, import.meta.url), 'utf8')
    t.equal(source.split(mutation.before).length, 2, number + ' ' + mutation.path)
    t.not(mutation.before, mutation.after)
  }
  t.end()
})
