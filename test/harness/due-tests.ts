// Tests that need to run: each passes again with the same bytes of itself, of everything that it
// imports, and of the files beside the sources. `npm run test:unit` leaves those out; `npm test`
// runs everything.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const FOLDERS = ['api', 'bench', 'client', 'deploy', 'engine', 'scripts', 'shared', 'test']
const BESIDE = ['package.json', 'package-lock.json', 'README.md']
/** Imports but those of types, which no run sees, and files of which a source has the address. */
const USED =
  /^(?:import|export) (?!type )(?:[^'"]*?from )?'(\.[^']+)'|(?:import|new URL)\(\s*'(\.[^']+)'/gm
/** A test with such a helper may read any file, or start any program of ours. */
const READS_FILES = /node:child_process|node:worker_threads|\breaddirSync|\breadFileSync/

/** Where the digests of the last runs that passed are kept, below the root. */
const KEPT = 'node_modules/.cache/tests-passed.json'

export interface DueTests {
  /** Test files below the root, with slashes. */
  due: readonly string[]
  /** Number of test files that passed with the same sources. */
  passed: number
  /** Keeps that those that were due have passed with the sources as they were read. */
  keep(): void
}

/** Reads the sources below `root`; `folder` holds the tests. */
export function dueTests(root: string, folder: string): DueTests {
  const sources = new Sources(root)
  const kept = readKept(root)
  const tests = sources.below(folder).filter((path) => path.endsWith('.test.ts'))
  const digests = new Map(tests.map((path) => [path, sources.digestOf(path)]))
  const due = tests.filter((path) => kept[path] !== digests.get(path))
  return {
    due,
    passed: tests.length - due.length,
    keep() {
      mkdirSync(dirname(join(root, KEPT)), { recursive: true })
      writeFileSync(join(root, KEPT), JSON.stringify(Object.fromEntries(digests)))
    },
  }
}

function readKept(root: string): { readonly [path: string]: string } {
  try {
    return JSON.parse(readFileSync(join(root, KEPT), 'utf8'))
  } catch {
    // Nothing is kept yet, or a stopped run left half a file: everything is due.
    return {}
  }
}

class Sources {
  /** Digest of each file by its path below the root. */
  readonly #digests = new Map<string, string>()
  readonly #used = new Map<string, readonly string[]>()
  readonly #readsFiles = new Set<string>()
  /** Digest of everything that is no source. */
  readonly #beside: string
  readonly #all: string

  constructor(root: string) {
    const found = [...BESIDE, ...FOLDERS.flatMap((folder) => filesBelow(root, folder))]
    for (const path of found) this.#read(root, path)
    const isSource = (path: string) => path.endsWith('.ts')
    this.#beside = this.#digestOfAll(found.filter((path) => !isSource(path)))
    this.#all = this.#digestOfAll(found)
  }

  below(folder: string): string[] {
    return [...this.#digests.keys()].filter((path) => path.startsWith(folder + '/'))
  }

  digestOf(test: string): string {
    const reached = new Set([test])
    for (const path of reached) for (const used of this.#used.get(path) ?? []) reached.add(used)
    const isOpen = [...reached].some((path) => this.#readsFiles.has(path))
    return isOpen ? this.#all : this.#digestOfAll([...reached].sort()) + this.#beside
  }

  #read(root: string, path: string): void {
    const bytes = contentOf(join(root, path))
    this.#digests.set(path, createHash('sha256').update(bytes).digest('hex'))
    if (!path.endsWith('.ts')) return
    const text = bytes.toString('utf8')
    if (path.startsWith('test/') && READS_FILES.test(text)) this.#readsFiles.add(path)
    const from = dirname(join(root, path))
    const used = [...text.matchAll(USED)].map((match) => resolve(from, match[1] ?? match[2] ?? ''))
    this.#used.set(
      path,
      used.map((one) => one.slice(resolve(root).length + 1)),
    )
  }

  #digestOfAll(paths: readonly string[]): string {
    const lines = paths.map((path) => path + ' ' + this.#digests.get(path))
    return createHash('sha256')
      .update([process.version, ...lines].join('\n'))
      .digest('hex')
  }
}

function filesBelow(root: string, folder: string): string[] {
  return entriesOf(join(root, folder))
    .filter((entry) => entry.name !== 'node_modules')
    .flatMap((entry) => {
      const path = folder + '/' + entry.name
      return entry.isDirectory() ? filesBelow(root, path) : [path]
    })
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Git keeps no empty folder: a fresh clone may lack one.
    return []
  }
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}
