// Small files beside a journal that are replaced as a whole.
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from './segment-files.ts'

/** Replaces the file so that after a power cut either the old or the new one is there, whole. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const handle = await open(path + '.tmp', 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(path + '.tmp', path)
  await syncDirectory(dirname(path))
}
