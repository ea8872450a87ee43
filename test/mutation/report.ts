// The findings of a run: a line for each mutant that no test noticed and no row explains, and a
// table at the end.
import { dirname } from 'node:path'
import type { Job } from './judge.ts'
import type { Explained } from './survivors/explained.ts'
import { EXPLAINED } from './survivors.ts'

interface Counts {
  mutants: number
  killed: number
  explained: number
  open: number
}

const COLUMNS = ['mutants', 'killed', 'explained', 'open'] as const
const SHOWN_CHARACTERS_MAX = 60
const WIDTH = 11

export class Report {
  readonly #byFile = new Map<string, Counts>()

  /** Counts a mutant; returns the lines to show. */
  add(job: Job, became: 'killed' | 'explained' | 'open'): readonly string[] {
    const row = this.#byFile.get(job.path) ?? { mutants: 0, killed: 0, explained: 0, open: 0 }
    this.#byFile.set(job.path, row)
    row.mutants += 1
    row[became] += 1
    if (became !== 'open') return []
    const { before, after, line, column } = job.mutant
    return [
      `open  ${job.path}:${line}:${column}  ${shown(before)}  →  ${shown(after)}`,
      '      ' + lineOf(job),
    ]
  }

  get done(): number {
    return this.#total(() => true).mutants
  }

  get open(): number {
    return this.#total(() => true).open
  }

  /** Rows by file, then by folder. */
  table(): readonly string[] {
    const files = [...this.#byFile.keys()].sort()
    const folders = [...new Set(files.map((path) => dirname(path)))]
    return [
      COLUMNS.map((column) => column.padStart(WIDTH)).join(''),
      ...files.map((path) =>
        lineFor(
          path,
          this.#total((other) => other === path),
        ),
      ),
      '',
      ...folders.map((folder) =>
        lineFor(
          folder + '/',
          this.#total((path) => dirname(path) === folder),
        ),
      ),
      lineFor(
        'altogether',
        this.#total(() => true),
      ),
    ]
  }

  #total(counted: (path: string) => boolean): Counts {
    const total: Counts = { mutants: 0, killed: 0, explained: 0, open: 0 }
    for (const [path, row] of this.#byFile)
      if (counted(path)) for (const column of COLUMNS) total[column] += row[column]
    return total
  }
}

function lineFor(name: string, counts: Counts): string {
  return COLUMNS.map((column) => String(counts[column]).padStart(WIDTH)).join('') + '  ' + name
}

function shown(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS_MAX)
}

function lineOf({ text, mutant }: Job, above = 0): string {
  return (text.split('\n')[mutant.line - 1 - above] ?? '').trim()
}

/** True if survivors.ts says why no test can notice the mutant. */
export function isExplained(job: Job): boolean {
  return EXPLAINED.some((row) => explains(row, job))
}

/** True if `row` explains this mutant. */
export function explains(row: Explained, job: Job): boolean {
  return (
    row.path === job.path &&
    [row.line].flat().includes(lineOf(job)) &&
    (row.above === undefined || row.above === lineOf(job, 1)) &&
    row.before === job.mutant.before &&
    row.after === job.mutant.after &&
    (row.nth === undefined || row.nth === job.mutant.nth)
  )
}
