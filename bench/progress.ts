// How far a run is: every line says how long it runs and how long it will, and no silence is longer than a quarter of a minute.

const SILENCE_MS = 15_000

export interface Progress {
  /** The next of them; one that is skipped is not told of. */
  begin(name: string, skipped?: boolean): void
  log(text: string): void
  end(): void
}

/** `expected`: seconds of each bench, in their order. */
export function openProgress(
  expected: readonly number[],
  say: (text: string) => void,
  nowMs: () => number = () => performance.now(),
): Progress {
  const startedMs = nowMs()
  let [current, at, lastMs] = ['', -1, startedMs]
  /** What it will have taken when the benches before the current one took what they took. */
  let totalS = expected.reduce((sum, seconds) => sum + seconds, 0)
  const elapsedS = (): number => (nowMs() - startedMs) / 1000
  const speak = (text: string): void => {
    lastMs = nowMs()
    const total = Math.max(totalS, elapsedS())
    say('[' + clock(elapsedS()) + ' of about ' + clock(total) + '] ' + current + ': ' + text)
  }
  const timer = setInterval(() => {
    if (nowMs() - lastMs >= SILENCE_MS) speak('still measuring')
  }, 1000)
  timer.unref()
  return {
    begin(name, skipped = false) {
      at++
      current = name
      const left = expected.slice(at).reduce((sum, seconds) => sum + seconds, 0)
      totalS = elapsedS() + left
      if (!skipped) speak('begins, ' + (at + 1) + ' of ' + expected.length)
    },
    log: speak,
    end: () => clearInterval(timer),
  }
}

function clock(seconds: number): string {
  const whole = Math.round(seconds)
  return Math.floor(whole / 60) + ':' + String(whole % 60).padStart(2, '0')
}
