// A copy of the sources that a mutation may change.
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../structure/sources.ts'

const COPIED = [
  'engine',
  'shared',
  'api',
  'bench',
  'client',
  'deploy',
  'scripts',
  'test',
  'package.json',
  'tsconfig.json',
]

/** The caller removes the directory. */
export function copyOfSources(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-mutants-'))
  for (const name of COPIED) cpSync(join(ROOT, name), join(directory, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  return directory
}
