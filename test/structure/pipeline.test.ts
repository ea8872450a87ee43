// The pipeline of the hosted check against the product: commands, files and jobs that it names
// exist.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { parse } from 'yaml'
import { ROOT } from './sources.ts'

interface Job {
  needs?: string | string[]
  strategy?: { matrix: { include: readonly { image: string; node: string }[] } }
  'timeout-minutes'?: number
  steps: readonly { run?: string; uses?: string; with?: { 'fetch-depth'?: number } }[]
}

const text = readFileSync(join(ROOT, '.github/workflows/check.yml'), 'utf8')
const { jobs, permissions } = parse(text) as {
  jobs: { readonly [name: string]: Job }
  permissions: { [right: string]: string }
}
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { readonly [name: string]: string }
}
const lines = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))

test('the pipeline lints, tests on several machines, drills, builds the image, lists advisories and releases', (t) => {
  t.same(Object.keys(jobs), ['lint', 'test', 'drills', 'container', 'packages', 'release'])
  const machines = jobs['test']?.strategy?.matrix.include ?? []
  t.ok(machines.length > 1)
  t.same(permissions, { contents: 'read' })
  const [checkout] = jobs['drills']?.steps ?? []
  t.equal(checkout?.with?.['fetch-depth'], 0, 'drills have the code of earlier versions')
  for (const [name, job] of Object.entries(jobs)) {
    t.ok((job['timeout-minutes'] ?? 0) > 0, name + ' has an end')
    for (const needed of [job.needs ?? []].flat()) t.ok(needed in jobs, name + ' needs ' + needed)
  }
  t.end()
})

test('every command and file of the pipeline exists', (t) => {
  const commands = lines.flatMap((line) =>
    [...line.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name),
  )
  t.ok(commands.length > 4)
  t.same(
    commands.filter((name) => !(name in scripts)),
    [],
  )
  const files = lines.flatMap((line) =>
    [...line.matchAll(/(?:^|\s)((?:\.ci|deploy|api|engine)\/[\w./-]+)/g)].map(
      ([, path = '']) => path,
    ),
  )
  t.ok(files.length > 3)
  t.same(
    files.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
  const actions = Object.values(jobs).flatMap(({ steps }) =>
    steps.flatMap(({ uses }) => uses ?? []),
  )
  t.same(
    actions.filter((name) => !/^actions\/[a-z-]+@v\d+$/.test(name)),
    [],
  )
  t.end()
})
