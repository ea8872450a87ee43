// The process of test files that share one: half of what most files cost alone is their start. All
// are loaded within the first test, so that tap does not end between two of them.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'tap'
import { testProcesses } from './test-processes.ts'

const ROOT = join(import.meta.dirname, '../..')
const [folder = '', wanted = ''] = process.argv.slice(2)
const all = testProcesses(ROOT, [folder])
const files = all.ok ? all.value.find(({ name }) => name === wanted)?.files : undefined
if (files === undefined) throw new Error('there is no ' + wanted + ' in ' + folder)

test('load the files', async (t) => {
  for (const file of files) {
    await import(pathToFileURL(join(ROOT, file)).href).then(
      () => t.pass(file),
      (error) => t.fail(file, error),
    )
  }
})
