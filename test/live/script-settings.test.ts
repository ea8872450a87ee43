// Commands name settings that do not exist, as the processes of the service do in their logs.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { COMPILED } from '../harness/compiled.ts'

const ROOT = join(import.meta.dirname, '../..')
const SENTENCE = 'SVC_API_PRT is no setting: SVC_API_PORT is meant?'

/** Each with words that bring it to its settings; none finds a service or a database. */
const COMMANDS: { readonly [name: string]: readonly string[] } = {
  migrate: [],
  seed: [],
  reset: ['--yes'],
  backup: ['--to', 'backup', '--keys-to', 'keys'],
  restore: ['--from', 'backup', '--keys-from', 'keys'],
  rekey: [],
  operator: ['tenants', 'list'],
  simulate: ['--rate', '1', '--seconds', '1'],
  cluster: ['status'],
  audit: ['verify'],
  explain: ['latest'],
  code: [],
  placement: [],
  replay: [],
  journal: ['verify'],
}

for (const [name, words] of Object.entries(COMMANDS))
  t.test(name + ' names a misspelt setting once on stderr, without its value', (t) => {
    const directory = t.testdir()
    const parameters = ['-r', './scripts/require-node.cjs', 'scripts/' + name + '.ts', ...words]
    const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
      cwd: ROOT,
      encoding: 'utf8',
      env: {
        ...COMPILED,
        PATH: process.env['PATH'],
        SVC_DATA_DIR: directory,
        SVC_API_PRT: 'secret-1',
      },
    })
    t.not(status, 0, stdout + stderr)
    t.equal(stderr.split('\n').filter((line) => line === SENTENCE).length, 1, stderr)
    t.notMatch(stdout + stderr, 'secret-1')
    t.end()
  })
