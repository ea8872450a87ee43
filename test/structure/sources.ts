// Every source file with its imports, read once for the structure tests.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const SOURCE_FOLDERS = ['engine', 'api', 'shared', 'client', 'scripts', 'bench', 'test'] as const

export interface Source {
  /** Path below the root, with slashes. */
  path: string
  text: string
  /** The text without comments and the contents of strings. */
  code: string
  /** Paths below the root of the project's own files it imports. */
  imports: readonly string[]
  /** Packages and node modules it imports. */
  packages: readonly string[]
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^'"\n]*?(?:\{[^}]*\}[^'"\n]*)?from\s+'([^']+)'|(?:^|\n)import\s+'([^']+)'|import\('([^']+)'\)/g

function readSource(path: string): Source {
  const text = readFileSync(path, 'utf8')
  const names = [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
  return {
    path: relative(ROOT, path),
    text,
    code: text
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/(^|[^:'"`])\/\/.*$/gm, '$1')
      .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
      .replace(/"(?:[^"\\\n]|\\.)*"/g, '""'),
    imports: names
      .filter((name) => name.startsWith('.'))
      .map((name) => relative(ROOT, resolve(dirname(path), name))),
    packages: names.filter((name) => !name.startsWith('.')),
  }
}

export const SOURCES: readonly Source[] = SOURCE_FOLDERS.map((folder) => join(ROOT, folder))
  // Git keeps no empty folder: a fresh clone may lack one.
  .filter((folder) => existsSync(folder))
  .flatMap(filesBelow)
  .filter((path) => path.endsWith('.ts'))
  // Style rules do not apply to generated files.
  .filter((path) => !path.includes('/client/dist/') && !path.endsWith('/client/generated.ts'))
  .map(readSource)

/** Sources below a folder. */
export function below(folder: string): readonly Source[] {
  return SOURCES.filter((source) => source.path.startsWith(folder + '/'))
}
