// The id of a member: made with its journal directory, never from a host name. A member whose disk
// was replaced is another member, because it holds nothing of what the former one had synced.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../shared/id.ts'
import type { Result } from '../../shared/result.ts'
import { replaceFile } from '../journal/replace-file.ts'

const MEMBER_FILE = 'member.json'
const MEMBER_FORMAT = 1

/** Returns the id of the directory's member, made at the first call, or why it cannot be read. */
export async function memberIdOf(
  journalDir: string,
  nowMs: number,
): Promise<Result<string, string>> {
  const path = join(journalDir, MEMBER_FILE)
  if (existsSync(path)) {
    const id = parsed(readFileSync(path, 'utf8'))
    if (id !== null) return { ok: true, value: id }
    return { ok: false, error: path + ' cannot be read by this version.' }
  }
  mkdirSync(journalDir, { recursive: true, mode: 0o700 })
  const id = newId('mem', nowMs)
  await writeMemberId(journalDir, id)
  return { ok: true, value: id }
}

/** Writes the id durably. */
export async function writeMemberId(journalDir: string, memberId: string): Promise<void> {
  const path = join(journalDir, MEMBER_FILE)
  await replaceFile(path, JSON.stringify({ format: MEMBER_FORMAT, member_id: memberId }) + '\n')
}

function parsed(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return null
    const row: { readonly [name: string]: unknown } = { ...value }
    const { format, member_id: id } = row
    return format === MEMBER_FORMAT && typeof id === 'string' && /^mem_\w{1,60}$/.test(id)
      ? id
      : null
  } catch {
    return null
  }
}
