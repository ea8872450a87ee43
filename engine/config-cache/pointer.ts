// The file `current` names the generation in use. A rename replaces it, so it always names a whole
// one.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'

const POINTER = 'current'
const GENERATION_NAME = /^generation-\d{1,15}$/

/** The current generation's name, or null if there is none or the file is not ours. */
export function readPointer(directory: string): string | null {
  try {
    const name = readFileSync(join(directory, POINTER), 'utf8').trim()
    return GENERATION_NAME.test(name) ? name : null
  } catch {
    return null
  }
}

/** Durable when it resolves. */
export async function writePointer(directory: string, name: string): Promise<void> {
  const aside = join(directory, POINTER + '.next')
  const file = await open(aside, 'w', 0o600)
  try {
    await file.writeFile(name + '\n')
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(aside, join(directory, POINTER))
  const parent = await open(directory, 'r')
  try {
    await parent.sync()
  } finally {
    await parent.close()
  }
}

/** Drops the current generation: the next start begins empty. Never throws. */
export function dropPointer(directory: string): void {
  try {
    rmSync(join(directory, POINTER), { force: true })
  } catch {
    // The disk is gone as well: a start has nothing left to misread.
  }
}

/** A name that no generation in the directory has had. */
export function nextName(directory: string, current: string | null): string {
  const numbers = [...readdirSync(directory), current ?? '']
    .filter((name) => GENERATION_NAME.test(name))
    .map((name) => Number(name.slice('generation-'.length)))
  return 'generation-' + (Math.max(0, ...numbers) + 1)
}

/** Leaves only the kept generation (null: none) in the directory, which exists afterwards. */
export function sweep(directory: string, kept: string | null): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(directory)) {
    if (name === kept || (kept !== null && name === POINTER)) continue
    rmSync(join(directory, name), { recursive: true, force: true })
  }
}
