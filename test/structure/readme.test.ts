import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { withSettings } from '../../scripts/readme.ts'
import { ROOT } from './sources.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

test('the README’s settings are those of the validator', (t) => {
  t.equal(withSettings(README), README, 'npm run readme brings it up to date')
  t.end()
})

test('every command of the README exists, and every folder of its map', (t) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const commands = [...README.matchAll(/npm run ([a-z]+)/g)].map((match) => match[1] as string)
  t.ok(commands.length > 5)
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
  const map = README.slice(README.indexOf('## The house'), README.indexOf('## The network port'))
  let room = ''
  const folders = [...map.matchAll(/^( *)([a-z-]+)\/ /gm)].map(([, indent, name]) => {
    if (indent === '') room = name as string
    return indent === '' ? room : join(room, name as string)
  })
  t.ok(folders.length > 15)
  t.same(
    folders.filter((folder) => !existsSync(join(ROOT, folder))),
    [],
  )
  t.end()
})
