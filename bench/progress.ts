// The progress of a run: every line gives the elapsed and the expected time, and no silence is
// longer than a quarter of a minute.

const SILENCE_MS = 15_000

export interface Progress {
  /** Begins another bench; `leftSeconds` is the expected time of it and of the following ones. */
  begin(name: string, leftSeconds: number): void
  log(text: string): void
  end(): void
}

/** Reports through `say`, from now on. */
export function openProgress(
  say: (text: string) => void,
  nowMs: () => number = () => performance.now(),
): Progress {
  const startedMs = nowMs()
  let [current, totalS, lastMs] = ['', 0, startedMs]
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
    begin(name, leftSeconds) {
      current = name
      totalS = elapsedS() + leftSeconds
      speak('begins')
    },
    log: speak,
    end: () => clearInterval(timer),
  }
}

function clock(seconds: number): string {
  const whole = Math.round(seconds)
  return Math.floor(whole / 60) + ':' + String(whole % 60).padStart(2, '0')
}
