// One attempt, start to end: compose → sign → transmit. The seam to a worker thread: deliveries go in whole, outcomes
// come back.
import type { Clock } from '../../shared/clock.ts'
import { composeRequest } from './compose.ts'
import type { AttemptOutcome, Send } from './delivery.ts'
import { signRequest } from './sign.ts'
import type { Transmitter } from './transmit.ts'

export function createSend(transmitter: Transmitter, clock: Clock): Send {
  return async (delivery) => {
    const { eventId, secrets } = delivery
    if (!URL.canParse(delivery.url)) return unreachable(clock)
    const composed = composeRequest(delivery)
    const signed = signRequest(composed, { eventId, secrets, now: clock.nowMs() })
    return transmitter.transmit(signed)
  }
}

// Registration refuses such a URL; a row that has one all the same must not stop the other tenants' deliveries.
function unreachable(clock: Clock): AttemptOutcome {
  return {
    startedAt: clock.nowMs(),
    durationMs: 0,
    connectedMs: null,
    answeredMs: null,
    status: null,
    errorClass: 'invalid_url',
    retryAfterMs: null,
    body: '',
  }
}
