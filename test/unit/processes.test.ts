// Who runs a part by itself gets the same process as who runs everything.
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { API_HEAP, ENGINE_HEAP } from '../../scripts/start/processes.ts'

const { scripts } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { scripts: { [name: string]: string } }

test('npm run engine and npm run api have the heaps that npm start gives them', async (t) => {
  const optionsOf = (name: string): string[] =>
    (scripts[name] ?? '').split(' ').filter((word) => word.startsWith('--'))
  t.same(optionsOf('engine'), ENGINE_HEAP)
  t.same(optionsOf('api'), API_HEAP)
})
