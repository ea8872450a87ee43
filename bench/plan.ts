// Which benches a run takes, in which order, and how long it may be about each.
import { BENCHES } from './benches.ts'
import type { Measured } from './measured.ts'
import { SUMMARIES } from './summaries.ts'

/** Seconds of a bench that gives no estimate of its own. */
const SECONDS = { full: 300, quick: 60 }
/** For a first look at everything: benches in their order, as long as they fit. */
const FIRST_LOOK_SECONDS_MAX = 110
/** Factor of its estimate after which a bench counts as hanging. */
const PATIENCE = 6
const PATIENCE_SECONDS_MIN = 900
/** Limit for a bench that runs with `--long` only, beside its own estimate. */
const LONG_SECONDS = 3 * 3600

export interface PlanOptions {
  quick: boolean
  long: boolean
}

export interface Plan {
  /** Only as much as two minutes hold. */
  firstLook: boolean
  /** In their order; a first look begins only benches for which time is left. */
  benches: readonly Measured[]
  /** Benches that are left out in any case, a sentence each. */
  left: readonly string[]
  /** Seconds that a bench takes on two processors without other load. */
  secondsOf(measured: Measured): number
  /** Those of these benches that still fit after so many seconds. */
  expected(benches: readonly Measured[], elapsedSeconds: number): readonly Measured[]
  /**
   * Seconds after which a bench that begins now is ended; null where there is no time for it any
   * more.
   */
  limitFor(measured: Measured, elapsedSeconds: number): number | null
}

/** Plans the named benches, or all of them, or as many as a first look has time for. */
export function planOf(
  names: readonly string[],
  options: PlanOptions,
  all: readonly Measured[] = BENCHES,
): Plan {
  const secondsOf = ({ seconds = SECONDS }: Measured): number =>
    options.quick ? seconds.quick : seconds.full
  const firstLook = options.quick && names.length === 0
  const wanted = all.filter(({ name }) => names.length === 0 || names.includes(name))
  const benches = wanted.filter(({ onlyLong = false }) => options.long || !onlyLong)
  const left = wanted.filter((measured) => !benches.includes(measured))
  return {
    firstLook,
    benches,
    left: left.map(({ name }) => name + ': only with --long'),
    secondsOf,
    expected: (some, elapsedSeconds) =>
      firstLook ? fitting(some, secondsOf, FIRST_LOOK_SECONDS_MAX - elapsedSeconds) : some,
    limitFor(measured, elapsedSeconds) {
      if (firstLook) {
        const rest = FIRST_LOOK_SECONDS_MAX - elapsedSeconds
        return rest < secondsOf(measured) ? null : rest
      }
      const patient = Math.max(PATIENCE_SECONDS_MIN, PATIENCE * secondsOf(measured))
      return options.long ? patient + LONG_SECONDS : patient
    },
  }
}

function fitting(
  benches: readonly Measured[],
  secondsOf: (measured: Measured) => number,
  seconds: number,
): readonly Measured[] {
  let rest = seconds
  return benches.filter((measured) => {
    const fits = secondsOf(measured) <= rest
    if (fits) rest -= secondsOf(measured)
    return fits
  })
}

/** Seconds of all of them. */
export function secondsOfAll(
  { secondsOf }: Pick<Plan, 'secondsOf'>,
  benches: readonly Measured[],
): number {
  return benches.reduce((sum, measured) => sum + secondsOf(measured), 0)
}

/** Lines for people: the benches that will run and the duration of each. */
export function planLines(plan: Plan): string[] {
  const expected = plan.expected(plan.benches, 0)
  const others = plan.benches.filter((measured) => !expected.includes(measured))
  const line = (measured: Measured): string => {
    const { name } = measured
    return (
      '  ' +
      name.padEnd(12) +
      minutes(plan.secondsOf(measured)).padStart(6) +
      '  ' +
      (SUMMARIES[name] ?? '')
    )
  }
  return [
    'Planned, about ' +
      minutes(secondsOfAll(plan, expected)) +
      ' on a machine that nobody else uses:',
    ...expected.map(line),
    ...(others.length === 0 ? [] : ['Left out, where two minutes have no room for it:']),
    ...others.map(line),
    ...plan.left.map((sentence) => 'Left out: ' + sentence),
    '',
  ]
}

function minutes(seconds: number): string {
  return Math.floor(seconds / 60) + ':' + String(Math.round(seconds % 60)).padStart(2, '0')
}
