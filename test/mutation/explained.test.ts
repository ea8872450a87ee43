// An explained mutant must exist: no explanation outlives its line.
import { test } from 'tap'
import { SOURCES } from '../structure/sources.ts'
import { mutantsOf, type SourceMutant } from './mutate.ts'
import { explains } from './report.ts'
import type { Explained } from './survivors/explained.ts'
import { EXPLAINED } from './survivors.ts'

test('every explained mutant exists', (t) => {
  for (const row of EXPLAINED) {
    const text = SOURCES.find(({ path }) => path === row.path)?.text ?? ''
    const mutants = mutantsOf(row.path, text)
    for (const line of [row.line].flat()) {
      const one: Explained = { ...row, line }
      const job = (mutant: SourceMutant) => ({ path: row.path, text, mutant })
      t.ok(
        mutants.some((mutant) => explains(one, job(mutant))),
        `${row.path}: take what survivors say of "${line}" away, or write it as the line is now`,
      )
    }
  }
  t.end()
})
