import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { compileContracts } from '../../../scripts/contracts.ts'
import { CONTRACTS, hasForge, runForge } from '../../harness/forge.ts'
import { ROOT } from '../../structure/sources.ts'

const FORGE_OUT = join(ROOT, 'node_modules/.cache/contracts/out')
const artifact = (file: string): string =>
  readFileSync(join(ROOT, CONTRACTS, 'artifacts', file), 'utf8')

test('the artifacts are the compiled sources', (t) => {
  const compiled = Object.entries(compileContracts())
  t.equal(compiled.length, 3)
  for (const [file, text] of compiled)
    t.ok(artifact(file) === text, file + ': `npm run contracts` brings it up to date')
  t.end()
})

test('every test of forge passes, on the code that is deployed', async (t) => {
  if (!hasForge)
    return t.comment('The tests of the contracts need forge, which npm has for Linux x64 only.')
  const { code, output } = await runForge(join(ROOT, CONTRACTS))
  t.equal(code, 0, 'forge', { output: output.slice(-4000) })
  t.match(output, /\b4[0-6] tests passed, 0 failed, 0 skipped/)
  for (const name of ['HolderAccount', 'Settlement', 'UsdToken']) {
    const tested = JSON.parse(readFileSync(join(FORGE_OUT, name + '.sol', name + '.json'), 'utf8'))
    t.equal(tested.bytecode.object, JSON.parse(artifact(name + '.json')).bytecode, name)
  }
})
