// A part started alone gets the same process settings as under `npm start`.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import {
  API_HEAP,
  ENGINE_HEAP,
  ENGINE_MEMORY,
  SANDBOX_HEAP,
} from '../../scripts/start/processes.ts'

const { scripts } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { scripts: { [name: string]: string } }

test('npm run engine and npm run api use the heap sizes of npm start', async (t) => {
  const optionsOf = (name: string): string[] =>
    (scripts[name] ?? '').split(' ').filter((word) => word.startsWith('--'))
  t.same(optionsOf('engine'), ENGINE_HEAP)
  t.same(optionsOf('api'), API_HEAP)
})

test('npm start keeps its own heap as small as those of the processes it watches', async (t) => {
  t.same(
    (scripts['start'] ?? '').split(' ').filter((word) => word.startsWith('--')),
    SANDBOX_HEAP,
  )
})

test('npm run engine uses the malloc settings of npm start, unless the operator sets others', async (t) => {
  const tunables = (environment: { [name: string]: string }): string => {
    const [assignment = ''] = (scripts['engine'] ?? '').split(' ')
    const script = assignment + ' exec sh -c \'echo "$GLIBC_TUNABLES"\''
    return execFileSync('sh', ['-c', script], { env: environment, encoding: 'utf8' }).trim()
  }
  const PATH = process.env['PATH'] ?? ''
  t.equal(tunables({ PATH }), ENGINE_MEMORY['GLIBC_TUNABLES'])
  t.equal(tunables({ PATH, GLIBC_TUNABLES: 'glibc.malloc.hugetlb=0' }), 'glibc.malloc.hugetlb=0')
  t.equal(tunables({ PATH, GLIBC_TUNABLES: '' }), '')
})
