// The output of start while it works: one line per step with the time it took, and a sign of life
// during long ones.
import type { Clock } from '../../shared/clock.ts'
import { sleep } from '../../shared/clock.ts'

const REDRAW_MS = 100
/** Without a terminal to redraw, a longer step reports once per this time that it still works. */
const STILL_WORKING_MS = 5000
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export interface Terminal {
  write(text: string): void
  /** A person watches: lines may be redrawn and coloured. */
  isTTY: boolean
  /** Calls the listener once the terminal is gone. */
  onGone?(listener: () => void): void
}

export interface Progress {
  /**
   * Runs one step and prints its title with the elapsed time; a failure is printed and rethrown.
   */
  step<Value>(title: string, work: () => Promise<Value>): Promise<Value>
  /** A line that belongs to no step. Never tears a step that is being redrawn. */
  say(line: string): void
}

export function showProgress(terminal: Terminal, clock: Clock): Progress {
  const startedNs = clock.monotonicNs()
  const secondsSince = (ns: number): string => seconds(clock.monotonicNs() - ns)
  let current: string | null = null

  function draw(frame: number, title: string, stepNs: number): void {
    current = FRAMES[frame % FRAMES.length] + ' ' + title + '  ' + secondsSince(stepNs)
    terminal.write('\r\x1b[2K  ' + current)
  }

  async function signOfLife(title: string, stepNs: number, signal: AbortSignal): Promise<void> {
    for (let frame = 0; !signal.aborted; frame++) {
      if (terminal.isTTY) draw(frame, title, stepNs)
      else if (frame > 0) terminal.write('  … ' + title + ', ' + secondsSince(stepNs) + ' so far\n')
      await sleep(terminal.isTTY ? REDRAW_MS : STILL_WORKING_MS, signal)
    }
  }

  return {
    async step(title, work) {
      const stepNs = clock.monotonicNs()
      const over = new AbortController()
      const alive = signOfLife(title, stepNs, over.signal)
      let mark = '✗'
      try {
        const value = await work()
        mark = '✓'
        return value
      } finally {
        over.abort()
        await alive
        current = null
        const line = mark + ' ' + title.padEnd(46) + secondsSince(stepNs).padStart(8)
        const total = secondsSince(startedNs).padStart(8)
        terminal.write((terminal.isTTY ? '\r\x1b[2K' : '') + '  ' + line + total + '\n')
      }
    },
    say(line) {
      if (current === null) return terminal.write('  ' + line + '\n')
      terminal.write('\r\x1b[2K  ' + line + '\n  ' + current)
    },
  }
}

/** `1.2 s` from nanoseconds, in whole tenths. */
export function seconds(ns: number): string {
  const tenths = Math.round(ns / 1e8)
  return Math.floor(tenths / 10) + '.' + (tenths % 10) + ' s'
}
