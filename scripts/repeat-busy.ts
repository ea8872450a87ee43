// Calls of a service that is too busy for them, or that have used up a limit: as the API says, a
// 503 may be repeated, and a 429 after its Retry-After.
import { sleep } from '../shared/clock.ts'

export const BUSY = 503
const LIMITED = 429
/** A longer wait is the caller's own affair: too many wrong passwords, for example. */
const RETRY_AFTER_MS_MAX = 5000

/** Repeats at most, and milliseconds before the first of them, doubled each time. */
interface Patience {
  repeatsMax: number
  firstMs: number
}

/** For pages of people: about six seconds in all. */
export const PAGE_PATIENCE: Patience = { repeatsMax: 5, firstMs: 200 }

interface Answered {
  status: number
  headers: { get(name: string): string | null }
}

/** The first answer that need not be repeated, or the last one. */
export async function repeatBusy<Answer extends Answered>(
  ask: () => Promise<Answer>,
  { repeatsMax, firstMs }: Patience,
): Promise<Answer> {
  for (let repeats = 0; ; repeats++) {
    const answer = await ask()
    const pauseMs = answer.status === BUSY ? firstMs << repeats : retryAfterMs(answer)
    if (pauseMs === null || repeats === repeatsMax) return answer
    await sleep(pauseMs)
  }
}

/** Null where the answer asks for no repeat, or for a late one. */
function retryAfterMs({ status, headers }: Answered): number | null {
  if (status !== LIMITED) return null
  const afterMs = Number(headers.get('retry-after') ?? Number.NaN) * 1000
  return afterMs <= RETRY_AFTER_MS_MAX ? afterMs : null
}
