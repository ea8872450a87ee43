// Calls of a service that is too busy for them, as the API says: a 503 may be repeated.
import { sleep } from '../shared/clock.ts'

export const BUSY = 503

/** Repeats at most, and milliseconds before the first of them, doubled each time. */
interface Patience {
  repeatsMax: number
  firstMs: number
}

/** For pages of people: about six seconds in all. */
export const PAGE_PATIENCE: Patience = { repeatsMax: 5, firstMs: 200 }

/** The first answer that is no 503, or the last one. */
export async function repeatBusy<Answer extends { status: number }>(
  ask: () => Promise<Answer>,
  { repeatsMax, firstMs }: Patience,
): Promise<Answer> {
  for (let repeats = 0; ; repeats++) {
    const answer = await ask()
    if (answer.status !== BUSY || repeats === repeatsMax) return answer
    await sleep(firstMs << repeats)
  }
}
