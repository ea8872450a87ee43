// Property tests try the same values in every run, so that a run judges the change and not its
// luck. SVC_TEST_SEED=any tries others, and a failure prints its seed; a number repeats one.
import fc from 'fast-check'
import { systemClock } from '../../shared/clock.ts'

const WANTED = process.env['SVC_TEST_SEED'] ?? '1'

/** Seed of everything random in this process. */
export const SEED = WANTED === 'any' ? systemClock.nowMs() % 1e9 : Number(WANTED)

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED })

export { fc }
