// `journal.json`: which journal the directory holds, how often it was opened, and whether a
// database confirmed it as its own.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from '../../shared/result.ts'
import { replaceFile } from './replace-file.ts'
import { journalBytes } from './segment-files.ts'

const META_FILE = 'journal.json'
const META_FORMAT = 1

export interface JournalMeta {
  journalId: string
  epoch: number
  attached: boolean
}

/** Null where there is no such file yet. */
export function readMeta(directory: string): Result<JournalMeta | null, string> {
  let text: string
  try {
    text = readFileSync(join(directory, META_FILE), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { ok: true, value: null }
    throw error
  }
  const meta = parse(text)
  return meta === null
    ? { ok: false, error: join(directory, META_FILE) + ' cannot be read by this version' }
    : { ok: true, value: meta }
}

function parse(text: string): JournalMeta | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const row = value as { [name: string]: unknown }
  const { format, journal_id: journalId, epoch, attached } = row
  if (format !== META_FORMAT || typeof attached !== 'boolean') return null
  if (typeof journalId !== 'string' || journalBytes(journalId) === null) return null
  if (typeof epoch !== 'number' || !Number.isSafeInteger(epoch) || epoch < 1) return null
  return { journalId, epoch, attached }
}

/** After a power cut either the old or the new one is there, whole. */
export async function writeMeta(directory: string, meta: JournalMeta): Promise<void> {
  const path = join(directory, META_FILE)
  const text = JSON.stringify({
    format: META_FORMAT,
    journal_id: meta.journalId,
    epoch: meta.epoch,
    attached: meta.attached,
  })
  await replaceFile(path, text + '\n')
}
