// Which tests run again after a change: those that the change can reach.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'tap'
import { dueTests } from '../harness/due-tests.ts'

const FILES = {
  'package.json': '{}',
  'api/page.css': 'a {}',
  'shared/far.ts': 'export const far = 1\n',
  'shared/near.ts': "export { far } from './far.ts'\n",
  'test/unit/reached.test.ts': "import {\n  far,\n} from '../../shared/near.ts'\n",
  'test/unit/loads.test.ts': "const near = import('../../shared/near.ts')\n",
  'test/unit/typed.test.ts': "import type { Far } from '../../shared/near.ts'\n",
  'test/unit/reader.test.ts': 'readFileSync(address)\n',
}
const ALL = ['loads', 'reached', 'reader', 'typed']

test('a test is due again after a change of anything that it can reach', (t) => {
  const root = t.testdir({})
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const due = () => {
    const found = dueTests(root, 'test/unit')
    const names = found.due.map((path) => path.slice('test/unit/'.length, -'.test.ts'.length))
    t.equal(found.passed + names.length, ALL.length)
    return { ...found, names: names.toSorted() }
  }
  for (const [path, text] of Object.entries(FILES)) write(path, text)
  t.same(due().names, ALL, 'nothing has passed yet')
  t.same(due().names, ALL, 'a run that failed keeps nothing')
  due().keep()
  t.same(due().names, [])
  const changes: [string, string, string[]][] = [
    ['shared/far.ts', 'export const far = 2\n', ['loads', 'reached', 'reader']],
    ['test/unit/typed.test.ts', '// a comment\n', ['reader', 'typed']],
    ['shared/other.ts', '', ['reader']],
    ['api/page.css', 'b {}', ALL],
    ['package.json', '{"version": "2"}', ALL],
  ]
  for (const [path, text, names] of changes) {
    write(path, text)
    const after = due()
    t.same(after.names, names, path)
    after.keep()
  }
  rmSync(join(root, 'shared/far.ts'))
  t.same(due().names, ['loads', 'reached', 'reader'], 'a file that is gone')
  write('node_modules/.cache/tests-passed.json', '{"test/unit/')
  t.same(due().names, ALL, 'half a file of a stopped run')
  t.end()
})
