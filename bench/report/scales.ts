// From values to places on a chart.

export interface Tick {
  value: number
  /** From 0 at the beginning of the axis to 1 at its end. */
  at: number
}

export interface Scale {
  at(value: number): number
  ticks: readonly Tick[]
}

const TICKS = 5
const STEPS = [1, 2, 2.5, 5, 10]
/** Percentiles that people name. */
const NAMED = [50, 90, 99, 99.9, 99.99]

/** From nought to a round number above all values. */
export function linear(max: number): Scale {
  const raw = (max > 0 ? max : 1) / TICKS
  const unit = 10 ** Math.floor(Math.log10(raw))
  const step = (STEPS.find((factor) => factor * unit >= raw) ?? 10) * unit
  const count = Math.max(1, Math.ceil((max > 0 ? max : 1) / step - 1e-9))
  const at = (value: number): number => value / (step * count)
  return { at, ticks: Array.from({ length: count + 1 }, (_, n) => tick(n * step, at)) }
}

/** A logarithmic scale; values of 0 and below lie at the beginning. */
export function logarithmic(values: readonly number[]): Scale {
  const above = values.filter((value) => value > 0)
  const low = Math.log10(Math.min(...above, 1e9))
  const high = Math.log10(Math.max(...above, 1e-9))
  const [from, to] =
    above.length === 0 ? [0, 1] : [Math.floor(low * 2) / 2, Math.ceil(high * 2) / 2]
  const width = Math.max(to - from, 0.5)
  const at = (value: number): number =>
    value <= 0 ? 0 : Math.min(1, Math.max(0, (Math.log10(value) - from) / width))
  return { at, ticks: roundNumbers(from, from + width).map((value) => tick(value, at)) }
}

/** 1, 2, 5, 10, … or, over many factors of ten, those alone. */
function roundNumbers(from: number, to: number): number[] {
  const digits = to - from > 2.5 ? [1] : [1, 2, 5]
  const numbers: number[] = []
  for (let power = Math.floor(from); power <= Math.ceil(to); power++) {
    for (const digit of digits) {
      const value = Number((digit * 10 ** power).toPrecision(3))
      const place = Math.log10(value)
      if (place >= from - 1e-9 && place <= to + 1e-9) numbers.push(value)
    }
  }
  return numbers
}

/**
 * By how many are beyond: from 90 to 99 is as far as from 99 to 99.9. One more step to the end,
 * where the maximum is.
 */
export function percentiles(last: number): Scale {
  const far = (percentile: number): number => -Math.log10(1 - percentile / 100)
  const end = far(last) + (last >= 99 ? 0.6 : 0.3)
  const at = (percentile: number): number => (percentile >= 100 ? 1 : far(percentile) / end)
  return { at, ticks: NAMED.filter((percentile) => percentile <= last).map((p) => tick(p, at)) }
}

function tick(value: number, at: (value: number) => number): Tick {
  return { value, at: at(value) }
}
