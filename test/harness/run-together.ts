// The process of test files that share one: half of what most files cost alone is their start. Each
// is loaded within a test, and the next one after its tests, so that tap does not end between two.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'tap'
import { beginFile } from './per-file.ts'
import { testProcesses } from './test-processes.ts'

const ROOT = join(import.meta.dirname, '../..')
const [folder = '', wanted = ''] = process.argv.slice(2)
const all = testProcesses(ROOT, [folder])
const found = all.ok ? all.value.find(({ name }) => name === wanted) : undefined
if (found === undefined) throw new Error('there is no ' + wanted + ' in ' + folder)
const { files, apart } = found
load(0)

function load(at: number): void {
  const file = files[at]
  if (file === undefined) return
  test('load ' + file, async (t) => {
    if (apart) await beginFile()
    await import(pathToFileURL(join(ROOT, file)).href).then(
      () => t.pass(file),
      (error) => t.fail(file, error),
    )
    load(at + 1)
  })
}
