import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'tap'
import { withSettings } from '../../scripts/readme.ts'
import { ROOT } from './sources.ts'

const README_LINES_MAX = 120

/** Every document of the tree; each folder that a newcomer opens has one. */
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'engine/README.md',
  'engine/listeners/README.md',
  'engine/journal/README.md',
  'api/README.md',
  'api/webhooks/delivery/README.md',
  'api/passes/wallets/README.md',
  'api/database/README.md',
  'api/payments/README.md',
  'shared/README.md',
  'shared/spec/README.md',
  'scripts/README.md',
  'bench/README.md',
  'bench/NOTES.md',
  'test/README.md',
  'deploy/README.md',
  ...readdirSync(join(ROOT, 'deploy/runbooks')).map((page) => 'deploy/runbooks/' + page),
]

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

test('the documented settings equal those of the validator', (t) => {
  const text = textOf('shared/README.md')
  t.equal(withSettings(text), text, 'npm run readme brings it up to date')
  t.end()
})

test('the root README is short', (t) => {
  const lines = textOf('README.md').trimEnd().split('\n').length
  t.ok(lines <= README_LINES_MAX, lines + ' lines')
  t.end()
})

test('every command of a document exists', (t) => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const commands = DOCUMENTS.flatMap((path) =>
    [...textOf(path).matchAll(/npm run ([a-z]+)/g)].map((match) => match[1] as string),
  )
  t.ok(commands.length > 20)
  t.same(
    commands.filter((name) => !(name in scripts)),
    [],
  )
  const files = Object.values(scripts as Record<string, string>)
    .map((line) => /^exec node .*?(\S+\.ts)$/.exec(line)?.[1])
    .filter((path) => path !== undefined)
  t.same(
    files.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
  t.end()
})

test('every link of a document leads to a file', (t) => {
  const links = DOCUMENTS.flatMap((path) =>
    [...textOf(path).matchAll(/\]\(([^)#:]+)\)/g)].map((match) => [path, match[1] as string]),
  )
  t.ok(links.length > 15)
  t.same(
    links.filter(([path = '', target = '']) => !existsSync(join(ROOT, dirname(path), target))),
    [],
  )
  t.end()
})

test('every folder of the map and every starting point of a task exists', (t) => {
  const text = textOf('README.md')
  const map = text.slice(text.indexOf('## Map'), text.indexOf('## Where to begin'))
  let top = ''
  const folders = [...map.matchAll(/^( *)([a-z-]+)\/ /gm)].map(([, indent, name]) => {
    if (indent === '') top = name as string
    return indent === '' ? top : join(top, name as string)
  })
  t.ok(folders.length > 10)
  const tasks = text.slice(text.indexOf('## Where to begin'), text.indexOf('## Reliability'))
  const files = [...tasks.matchAll(/`([a-z-]+\/[\w/.-]+)`/g)].map((match) => match[1] as string)
  t.ok(files.length > 5)
  t.same(
    [...folders, ...files].filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
  t.end()
})
