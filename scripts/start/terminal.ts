// The terminal of `npm start`. Its text may go to a file, a pipe or a screen: a full disk or a
// reader that does not read drops text, and never holds up the processes that are supervised.
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import { LogDestination } from '../../shared/log-destination.ts'
import type { Terminal } from './progress.ts'

const STANDARD_OUTPUT = 1

/** Standard output. `onGone` is called when the terminal is gone. */
export function openTerminal(): Terminal {
  const listeners: (() => void)[] = []
  const output = new LogDestination({
    fd: STANDARD_OUTPUT,
    name: 'start',
    onError(errno) {
      if (errno === -constants.errno.EPIPE) for (const listener of listeners) listener()
    },
  })
  return {
    write: (text) => output.write(text),
    isTTY: isatty(STANDARD_OUTPUT),
    onGone: (listener) => void listeners.push(listener),
  }
}
