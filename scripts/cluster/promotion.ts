// The name of the standby that is being promoted, in a file that outlives a crash: written before
// the promotion, removed once the name is kept and both others stream from it.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DATABASE_NAMES } from './layout.ts'

export class Promotion {
  readonly #directory: string
  readonly #path: string

  constructor(directory: string) {
    this.#directory = directory
    this.#path = join(directory, 'promoting')
  }

  /** Null where no promotion was begun, or it was finished. */
  read(): string | null {
    if (!existsSync(this.#path)) return null
    const name = readFileSync(this.#path, 'utf8').trim()
    return DATABASE_NAMES.includes(name) ? name : null
  }

  /** On the disk when it returns. */
  write(name: string): void {
    const file = openSync(this.#path + '.tmp', 'w', 0o600)
    writeFileSync(file, name + '\n')
    fsyncSync(file)
    closeSync(file)
    renameSync(this.#path + '.tmp', this.#path)
    this.#sync()
  }

  clear(): void {
    rmSync(this.#path, { force: true })
    this.#sync()
  }

  #sync(): void {
    const folder = openSync(this.#directory, 'r')
    fsyncSync(folder)
    closeSync(folder)
  }
}
