// The long form of tests: `npm run test:long` repeats more, and plays what is long by nature.

/** Set to 1 by `npm run test:long`. */
export const LONG_VARIABLE = 'SVC_TEST_LONG'

/** True in a run of the long form. */
export const isLong: boolean = process.env[LONG_VARIABLE] === '1'

/** How often a test repeats: `short` times in `npm test`. */
export function repeats(short: number, long: number): number {
  return isLong ? long : short
}
