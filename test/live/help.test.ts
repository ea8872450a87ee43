import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { SUMMARIES } from '../../bench/summaries.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const RECORDER = join(ROOT, 'test/harness/record-loads.cjs')
/** Packages that a help may load: the table of settings checks addresses with it. */
const LIGHT_PACKAGES = ['ipaddr.js']
/** Own modules that a help may load; the api alone is more than 500. */
const OWN_MODULES_MAX = 20
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { readonly [name: string]: string }
}
/** Commands that only join commands of other packages. */
const OTHERS = ['check', 'format', 'postinstall']
/** Commands that npm runs by their name alone. */
const SHORT = ['start', 'test']
const COMMANDS = Object.keys(scripts).filter((name) => !OTHERS.includes(name))

/** The words that each help contains beside the name of its command. */
const WORDS: { readonly [name: string]: RegExp } = {
  start: /--no-burst[\s\S]*SVC_API_PORT/,
  engine: /--take-over[\s\S]*SVC_ENGINE_ISO_PORT/,
  api: /SVC_API_METRICS_PORT/,
  dispatcher: /SVC_WEBHOOK_RETRY_DELAYS/,
  operator: /tenants create[\s\S]*SVC_OPERATOR_KEY/,
  bench: new RegExp(Object.values(SUMMARIES)[0] ?? 'no bench'),
}

/** Runs the command as package.json does; what it printed, and the modules it loaded. */
function help(name: string, directory: string, words: readonly string[] = []) {
  const line = scripts[name] ?? ''
  const parameters = line.slice(line.indexOf('node ') + 'node '.length).split(' ')
  const file = join(directory, name.replaceAll(':', '-'))
  const ended = spawnSync(process.execPath, ['-r', RECORDER, ...parameters, ...words, '--help'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LOADED_MODULES: file },
  })
  return { ...ended, loaded: readFileSync(file, 'utf8').split('\n') }
}

function packagesOf(loaded: readonly string[]): string[] {
  const names = loaded.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1])
  return [...new Set(names.filter((name) => name !== undefined))]
}

t.test('--help of every command prints its text and loads nothing heavy', async (t) => {
  const directory = t.testdir()
  t.ok(COMMANDS.length > 20)
  for (const name of COMMANDS) {
    t.match(scripts[name], /\bnode -*.* \S+\.ts( --watch)?$/, name + ' runs a file of ours')
    const { status, stdout, stderr, loaded } = help(name, directory)
    t.equal(status, 0, name + ' exits with 0')
    t.equal(stderr, '', name + ' complains of nothing')
    t.match(stdout, (SHORT.includes(name) ? 'npm ' : 'npm run ') + name, name + ' names itself')
    if (WORDS[name] !== undefined) t.match(stdout, WORDS[name], name + ' has its text')
    const heavy = packagesOf(loaded).filter((found) => !LIGHT_PACKAGES.includes(found))
    t.same(heavy, [], name + ' loads no package')
    const own = loaded.filter((url) => url.startsWith('file:') && !url.includes('/node_modules/'))
    t.ok(own.length > 0 && own.length <= OWN_MODULES_MAX, name + ' loads ' + own.length + ' files')
  }
})

t.test('the help of one command of operators names its options', async (t) => {
  const { status, stdout, loaded } = help('operator', t.testdir(), ['tenants', 'create'])
  t.match({ status, stdout }, { status: 0, stdout: /^tenants create[\s\S]*--/ })
  t.same(packagesOf(loaded), [])
})
