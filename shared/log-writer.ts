// The thread that writes the log of a process. Only this thread touches the descriptor: a disk that
// hangs blocks this thread, and leaves the event loop and libuv's pool, which writes the journal,
// alone. Nothing imports this file: it begins as a thread.
import { fstatSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { isoInstant, systemClock } from './clock.ts'
import { LOG_COUNTS, type LogWriterOptions } from './log-counts.ts'

/** Chosen: a descriptor that failed is tried again so often while dropped lines are untold. */
const RETRY_MS = 1000
/** Between two attempts while a terminal takes no more. */
const AGAIN_MS = 20
const NEWLINE = 0x0a
const WARN_LEVEL = 40

/** Writes bytes and returns the number of lines that were lost. */
type Write = (text: string) => number | Promise<number>

function serve({ fd, name, counts: shared }: LogWriterOptions): void {
  const counts = new Int32Array(shared)
  Atomics.store(counts, LOG_COUNTS.ready, 1)
  Atomics.notify(counts, LOG_COUNTS.ready)
  const write = writerOf(fd, counts)
  let told = 0
  let retrying = false
  let tail: Promise<void> = Promise.resolve()

  async function tell(): Promise<void> {
    const dropped =
      Atomics.load(counts, LOG_COUNTS.refused) + Atomics.load(counts, LOG_COUNTS.failed)
    if (dropped === told) return
    if ((await write(noticeOf(name, dropped - told))) === 0) told = dropped
    else retryLater()
  }

  function retryLater(): void {
    if (retrying) return
    retrying = true
    systemClock.after(RETRY_MS, () => {
      retrying = false
      tail = tail.then(tell)
    })
  }

  async function writeChunk(text: string): Promise<void> {
    const lost = await write(text)
    Atomics.add(counts, LOG_COUNTS.failed, lost)
    if (lost === 0) await tell()
    else retryLater()
    Atomics.add(counts, LOG_COUNTS.done, 1)
    Atomics.notify(counts, LOG_COUNTS.done)
    parentPort?.postMessage(null)
  }

  parentPort?.on('message', (text: string) => {
    tail = tail.then(() => writeChunk(text))
  })
}

function noticeOf(name: string, dropped: number): string {
  const time = isoInstant(systemClock.nowMs())
  const msg = 'log lines were dropped: the log could not be written'
  return JSON.stringify({ level: WARN_LEVEL, time, name, dropped_lines: dropped, msg }) + '\n'
}

function writerOf(fd: number, counts: Int32Array): Write {
  try {
    const stats = fstatSync(fd)
    if (stats.isFIFO() || stats.isSocket()) return pipeWriter(fd, counts)
  } catch {
    // A descriptor without a status cannot be written either: each chunk reports the error.
  }
  return fileWriter(fd, counts)
}

/**
 * Writes to a pipe or a socket without blocking; a reader that does not read keeps one chunk
 * waiting.
 */
function pipeWriter(fd: number, counts: Int32Array): Write {
  let socket: Socket | null = null
  const opened = (): Socket => {
    const made = new Socket({ fd, readable: false, writable: true })
    made.on('error', () => undefined)
    return made
  }
  return (text) =>
    new Promise((resolve) => {
      const fail = (error: unknown): void => {
        noteError(counts, error)
        socket?.destroy()
        // The descriptor stays open: a named pipe may get another reader.
        socket = null
        resolve(linesIn(Buffer.from(text)))
      }
      try {
        socket ??= opened()
        socket.write(text, (error) => (error ? fail(error) : resolve(0)))
      } catch (error) {
        fail(error)
      }
    })
}

/** Writes to a file or a device; the thread blocks for as long as the system does. */
function fileWriter(fd: number, counts: Int32Array): Write {
  let withinLine = false
  return (text) => {
    // The rest of a line that was cut off is gone: the next line begins a line of its own.
    const bytes = Buffer.from(withinLine ? '\n' + text : text)
    const written = writeAll(fd, bytes, counts)
    // Text that was written whole may end within a line, as a terminal's does.
    if (written === bytes.length) withinLine = false
    else if (written > 0) withinLine = bytes[written - 1] !== NEWLINE
    return linesIn(bytes.subarray(written))
  }
}

/** Bytes that were written before the first error. */
function writeAll(fd: number, bytes: Buffer, counts: Int32Array): number {
  let at = 0
  while (at < bytes.length) {
    Atomics.store(counts, LOG_COUNTS.writing, 1)
    try {
      const written = writeSync(fd, bytes, at)
      if (written === 0) break
      at += written
    } catch (error) {
      if (!isAgain(error)) {
        noteError(counts, error)
        break
      }
    } finally {
      Atomics.store(counts, LOG_COUNTS.writing, 0)
    }
    // A terminal that takes no more. Ending the process interrupts this wait.
    if (at < bytes.length) Atomics.wait(counts, LOG_COUNTS.writing, 0, AGAIN_MS)
  }
  return at
}

function isAgain(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}

function noteError(counts: Int32Array, error: unknown): void {
  const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : -1
  Atomics.store(counts, LOG_COUNTS.errno, errno)
}

function linesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}

serve(workerData as LogWriterOptions)
