// The list files of an installation, and the screener made of them. A changed file is read again.
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Result } from '../../../shared/result.ts'
import type { ListFile } from '../../../shared/setting-values.ts'
import type { Listed } from './listed.ts'
import { readOfac } from './ofac.ts'
import { readPep } from './pep.ts'
import { createScreener, type Screener } from './screener.ts'

/** Shipped with the sandbox: it names no real person. */
const SAMPLE = join(import.meta.dirname, 'sample')
export const SAMPLE_LISTS: readonly ListFile[] = [
  { format: 'ofac', path: SAMPLE },
  { format: 'pep', path: join(SAMPLE, 'pep.csv') },
]

/** Part of the version: another way to compare names finds other persons on the same lists. */
const MATCHER = '1'
const VERSION_CHARACTERS = 16

export interface Lists {
  /**
   * The screener of the present files; the previous one if they cannot be read, which is logged
   * once.
   */
  current(): Screener
  /** Time of the last write to the screener's files. */
  changedAt(): EpochMs
}

/**
 * The lists of an installation: the configured ones, or the sample. Refuses, in one sentence, if
 * live has none: the sample names no real person.
 */
export function configuredLists(
  configured: readonly ListFile[],
  installation: 'sandbox' | 'live',
): Result<readonly ListFile[], string> {
  if (configured.length > 0) return { ok: true, value: configured }
  if (installation === 'sandbox') return { ok: true, value: SAMPLE_LISTS }
  return {
    ok: false,
    error: 'SVC_SCREENING_LISTS must be set in live: the sample lists name nobody who exists',
  }
}

/** Refuses, in one sentence, a file that cannot be read or is empty. */
export function openLists(
  files: readonly ListFile[],
  onUnreadable: (problem: string) => void,
): Result<Lists, string> {
  let seen = stampOf(files)
  const first = load(files)
  if (!first.ok) return first
  let screener = first.value
  let changedAt = lastWritten(files)
  return {
    ok: true,
    value: {
      current() {
        const stamp = stampOf(files)
        if (stamp === seen) return screener
        seen = stamp
        const loaded = load(files)
        if (loaded.ok) {
          screener = loaded.value
          changedAt = lastWritten(files)
        } else onUnreadable(loaded.error)
        return screener
      },
      changedAt: () => changedAt,
    },
  }
}

function load(files: readonly ListFile[]): Result<Screener, string> {
  const listed: Listed[] = []
  const digests: string[] = [MATCHER]
  for (const file of files) {
    const texts = textsOf(file)
    if (texts === null) return { ok: false, error: 'the list ' + file.path + ' cannot be read' }
    const read = file.format === 'ofac' ? readOfac(texts[0], texts[1] ?? '') : readPep(texts[0])
    if (read.length === 0) return { ok: false, error: 'the list ' + file.path + ' names nobody' }
    for (const entry of read) listed.push(entry)
    digests.push(...texts.map((text) => hash('sha256', text)))
  }
  const version = hash('sha256', digests.join('\n')).slice(0, VERSION_CHARACTERS)
  return { ok: true, value: createScreener(listed, version) }
}

function pathsOf({ format, path }: ListFile): readonly string[] {
  return format === 'ofac' ? [join(path, 'sdn.csv'), join(path, 'alt.csv')] : [path]
}

function textsOf(file: ListFile): [string, ...string[]] | null {
  try {
    return pathsOf(file).map((path) => readFileSync(path, 'utf8')) as [string, ...string[]]
  } catch {
    return null
  }
}

function lastWritten(files: readonly ListFile[]): EpochMs {
  const written = files
    .flatMap(pathsOf)
    .map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return Math.floor(Math.max(...written))
}

/** Changes when a file is written again; a missing file has no stamp. */
function stampOf(files: readonly ListFile[]): string {
  return files
    .flatMap(pathsOf)
    .map((path) => {
      const found = statSync(path, { throwIfNoEntry: false })
      return found === undefined ? '' : found.ino + ':' + found.size + ':' + found.ctimeMs
    })
    .join(' ')
}
