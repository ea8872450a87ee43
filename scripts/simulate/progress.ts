// Shows that something is going on: one line redrawn in place on a terminal, a plain line now and
// then elsewhere.
import type { WriteStream } from 'node:tty'
import type { Clock, EpochMs } from '../../shared/clock.ts'

const REDRAW_MS = 100
const PLAIN_LINE_MS = 5000
const BAR_CHARACTERS = 28
const CLEAR_LINE = '\r\x1b[2K'

export interface Progress {
  /** `part` from 0 to 1 and a few words; drawn at most ten times a second. */
  show(part: number, words: string): void
  /** A line that stays. */
  say(line: string): void
  /** Removes the bar. */
  end(): void
}

type Output = Pick<WriteStream, 'write'> & { isTTY?: boolean }

export function openProgress(output: Output, clock: Clock): Progress {
  return output.isTTY === true ? barProgress(output, clock) : plainProgress(output, clock)
}

/** Shows nothing: for output that a program reads. */
export const silentProgress: Progress = {
  show: () => undefined,
  say: () => undefined,
  end: () => undefined,
}

function barProgress(output: Output, clock: Clock): Progress {
  let drawnAt: EpochMs = 0
  let drawn = ''
  const draw = (line: string): void => {
    drawn = line
    output.write(CLEAR_LINE + line)
  }
  return {
    show(part, words) {
      const now = clock.nowMs()
      if (now - drawnAt < REDRAW_MS) return
      drawnAt = now
      draw(progressBar(part) + ' ' + words)
    },
    say(line) {
      const bar = drawn
      draw('')
      output.write(line + '\n')
      if (bar !== '') draw(bar)
    },
    end: () => draw(''),
  }
}

function plainProgress(output: Output, clock: Clock): Progress {
  let shownAt = clock.nowMs()
  return {
    show(part, words) {
      const now = clock.nowMs()
      if (now - shownAt < PLAIN_LINE_MS) return
      shownAt = now
      output.write(percent(part) + ' ' + words + '\n')
    },
    say(line) {
      shownAt = clock.nowMs()
      output.write(line + '\n')
    },
    end: () => undefined,
  }
}

/** `████████░░░░  42 %` */
function progressBar(part: number): string {
  const bounded = Math.min(1, Math.max(0, part))
  const full = Math.round(bounded * BAR_CHARACTERS)
  return '█'.repeat(full) + '░'.repeat(BAR_CHARACTERS - full) + ' ' + percent(bounded)
}

function percent(part: number): string {
  return String(Math.floor(Math.min(1, Math.max(0, part)) * 100)).padStart(3) + ' %'
}
