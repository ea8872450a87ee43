// Waits until a service reports ready. If it never does, the sentence contains the last reason it
// gave.
import { sleep } from '../../shared/clock.ts'
import { CLOCK_REFUSED } from '../../shared/clock-verdict.ts'
import { StartProblem } from './start-problem.ts'

const POLL_MS = 50
const ANSWER_MS_MAX = 2000
const REASON_CHARACTERS_MAX = 200

export interface Readiness {
  name: string
  url: string
  waitMsMax: number
  logPath: string
}

/**
 * Resolves once `{url}/health/ready` answers 200; refuses with a sentence after `waitMsMax`. A
 * service that refuses the system clock is waited for: the clock comes right, or an operator gives
 * his word.
 */
export async function untilReady(service: Readiness, signal: AbortSignal): Promise<void> {
  let deadline = AbortSignal.timeout(service.waitMsMax)
  let reason = 'it does not answer'
  while (!deadline.aborted) {
    if (signal.aborted) throw new StartProblem('stopped')
    const state = await askReady(service.url)
    if (state === null) return
    reason = state
    if (state.includes(CLOCK_REFUSED)) deadline = AbortSignal.timeout(service.waitMsMax)
    await sleep(POLL_MS, signal)
  }
  throw new StartProblem(
    service.name +
      ' is not ready after ' +
      service.waitMsMax / 1000 +
      ' s: ' +
      reason +
      '. Log: ' +
      service.logPath,
  )
}

/** Null when ready, else why not. */
async function askReady(url: string): Promise<string | null> {
  try {
    const response = await fetch(url + '/health/ready', {
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    const body = await response.text()
    if (response.status === 200) return null
    return (
      'it answers ' +
      response.status +
      ' ' +
      body.replace(/\p{Cc}+/gu, ' ').slice(0, REASON_CHARACTERS_MAX)
    )
  } catch {
    return 'it does not answer at ' + url
  }
}
