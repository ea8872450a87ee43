// One attempt, start to end: compose → sign → transmit. Runs in a sender thread, or inline without
// threads.
import { urlFormProblem } from '../../../shared/address.ts'
import type { Clock } from '../../../shared/clock.ts'
import { composeRequest } from './compose.ts'
import { type AttemptOutcome, notSent, type Posting } from './delivery.ts'
import { signRequest } from './sign.ts'
import type { Transmitter } from './transmit.ts'

/** Every external failure is an outcome; the promise never rejects. */
export function createSend(
  transmitter: Transmitter,
  clock: Clock,
): (posting: Posting) => Promise<AttemptOutcome> {
  return async (posting) => {
    const { eventId, secrets, environment, sendBy } = posting
    if (clock.nowMs() > sendBy) return notSent('too_late', clock.nowMs())
    // Registration refuses such a URL; a row that has one anyway must not stop the other tenants'
    // deliveries.
    if (urlFormProblem(posting.url, environment === 'live') !== null)
      return notSent('invalid_url', clock.nowMs())
    const composed = composeRequest(posting)
    const signed = signRequest(composed, { eventId, secrets, now: clock.nowMs() })
    return transmitter.transmit(signed)
  }
}
