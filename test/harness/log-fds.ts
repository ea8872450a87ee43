// Descriptors for a process's log that accept little or nothing: real files, devices and pipes.
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../shared/clock.ts'

interface Teardown {
  teardown(task: () => unknown): void
}

/** Opens descriptors in a directory of the test; the test closes them at its end. */
export type OpenLog = (t: Teardown, directory: string) => number

function kept(t: Teardown, fd: number): number {
  t.teardown(() => closeSync(fd))
  return fd
}

/** A blocking pipe that is full, and the end from which it can be read. */
export function fullPipe(t: Teardown, directory: string): { fd: number; reader: number } {
  const path = join(directory, 'log.fifo')
  spawnSync('mkfifo', [path])
  const reader = kept(t, openSync(path, constants.O_RDWR | constants.O_NONBLOCK))
  // The kernel keeps a pipe in pages: the last bytes fit only one by one.
  for (const bytes of [64 * 1024, 4096, 1]) fill(reader, Buffer.alloc(bytes, '\n'))
  return { fd: kept(t, openSync(path, 'r+')), reader }
}

function fill(fd: number, bytes: Buffer): void {
  for (;;) {
    try {
      writeSync(fd, bytes)
    } catch {
      return
    }
  }
}

/** Everything that can be read now. */
export function drainPipe(reader: number, most = Number.POSITIVE_INFINITY): string {
  const part = Buffer.alloc(Math.min(most, 64 * 1024))
  let text = ''
  for (let read = 0; read < most; ) {
    try {
      const bytes = readSync(reader, part)
      text += part.toString('utf8', 0, bytes)
      read += bytes
    } catch {
      return text
    }
  }
  return text
}

/** Descriptors by the thing that the log is written to. */
export const HOSTILE_LOGS: { readonly [name: string]: OpenLog } = {
  'a full device': (t) => kept(t, openSync('/dev/full', 'w')),
  'a read-only file': (t, directory) => {
    const path = join(directory, 'read-only.log')
    writeFileSync(path, '')
    return kept(t, openSync(path, 'r'))
  },
  'a file whose directory was removed': (t, directory) => {
    const gone = join(directory, 'gone')
    mkdirSync(gone)
    const fd = kept(t, openSync(join(gone, 'log'), 'a'))
    rmSync(gone, { recursive: true })
    return fd
  },
  'a pipe that nobody reads': (t, directory) => fullPipe(t, directory).fd,
  'a pipe that is read slowly': (t, directory) => {
    const { fd, reader } = fullPipe(t, directory)
    const ended = new AbortController()
    t.teardown(() => ended.abort())
    void (async () => {
      while (!ended.signal.aborted) {
        drainPipe(reader, 16)
        await sleep(20, ended.signal)
      }
    })()
    return fd
  },
}
