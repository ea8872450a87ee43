// Which benches a run takes, in which order, and how long it may be about each.
import { BENCHES } from './benches.ts'
import type { Measured } from './measured.ts'

/** Of a bench that does not say how long it takes. */
const SECONDS = { full: 300, quick: 60 }
/** For a first look at everything: benches in their order, as long as they fit. */
const FIRST_LOOK_SECONDS_MAX = 110
/** Of what it says it takes; then something hangs. */
const PATIENCE = 4
const PATIENCE_SECONDS_MIN = 180
/** Of the hour of `--long`, beside what the bench says of itself. */
const LONG_SECONDS = 3 * 3600

export interface PlanOptions {
  quick: boolean
  long: boolean
}

export interface Plan {
  /** Only as much as two minutes hold. */
  firstLook: boolean
  benches: readonly Measured[]
  /** What is not measured, a sentence each; more may follow while it runs. */
  left: readonly string[]
  /** Seconds that a bench takes on two processors that nobody else uses. */
  secondsOf(measured: Measured): number
  /** Seconds after which a bench that begins now is ended; null where it is not begun any more. */
  limitFor(measured: Measured, elapsedSeconds: number): number | null
}

/** What is named, or everything, or as much of it as a first look has time for. */
export function planOf(
  names: readonly string[],
  options: PlanOptions,
  all: readonly Measured[] = BENCHES,
): Plan {
  const secondsOf = ({ seconds = SECONDS }: Measured): number =>
    options.quick ? seconds.quick : seconds.full
  const firstLook = options.quick && names.length === 0
  const wanted = all.filter(({ name }) => names.length === 0 || names.includes(name))
  const able = wanted.filter(({ onlyLong = false }) => options.long || !onlyLong)
  const benches = firstLook ? fitting(able, secondsOf) : able
  const why = (measured: Measured): string =>
    able.includes(measured) ? 'takes about ' + secondsOf(measured) + ' s' : 'only with --long'
  const left = wanted.filter((measured) => !benches.includes(measured))
  return {
    firstLook,
    benches,
    left: left.map((measured) => measured.name + ': ' + why(measured)),
    secondsOf,
    limitFor(measured, elapsedSeconds) {
      if (firstLook) {
        const rest = FIRST_LOOK_SECONDS_MAX - elapsedSeconds
        return rest < secondsOf(measured) / 2 ? null : rest
      }
      const patient = Math.max(PATIENCE_SECONDS_MIN, PATIENCE * secondsOf(measured))
      return options.long ? patient + LONG_SECONDS : patient
    },
  }
}

function fitting(
  all: readonly Measured[],
  secondsOf: (measured: Measured) => number,
): readonly Measured[] {
  let left = FIRST_LOOK_SECONDS_MAX
  return all.filter((measured) => {
    const fits = secondsOf(measured) <= left
    if (fits) left -= secondsOf(measured)
    return fits
  })
}

/** What will run and how long each takes, for people who wait. */
export function planLines({ benches, left, secondsOf }: Plan): string[] {
  const total = benches.reduce((sum, measured) => sum + secondsOf(measured), 0)
  return [
    'Planned, about ' + minutes(total) + ' on a machine that nobody else uses:',
    ...benches.map(
      (measured) =>
        '  ' +
        measured.name.padEnd(12) +
        minutes(secondsOf(measured)).padStart(6) +
        '  ' +
        measured.summary,
    ),
    ...(left.length === 0 ? [] : ['Left out; by name each is measured:']),
    ...left.map((sentence) => '  ' + sentence),
    '',
  ]
}

function minutes(seconds: number): string {
  return Math.floor(seconds / 60) + ':' + String(Math.round(seconds % 60)).padStart(2, '0')
}
