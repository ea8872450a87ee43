// A person's approval of a call that a key alone may not make, over HTTP as the person gives it: on
// the page that the refusal names, with password and code.
import { Secret, TOTP } from 'otpauth'
import { PAGE_PATIENCE, repeatBusy } from './repeat-busy.ts'

const OWN_SITE = { 'sec-fetch-site': 'same-origin' }
const STEP_MS = 30_000
const APPROVED = 303

export interface Approving {
  email: string
  password: string
  /** Six digits of the generator, or a recovery code; each counts once. */
  code: string
}

/**
 * Approves the call behind a challenge. `base` is the address of the pages: a link that names
 * another host is asked there. Returns false where the page does not accept the person.
 */
export async function approveChallenge(
  base: string,
  challengeUrl: string,
  { email, password, code }: Approving,
): Promise<boolean> {
  const send = () =>
    fetch(new URL(new URL(challengeUrl).pathname, base), {
      method: 'POST',
      redirect: 'manual',
      headers: OWN_SITE,
      body: new URLSearchParams({ decision: 'approve', email, password, code }),
    })
  const answer = await repeatBusy(send, PAGE_PATIENCE)
  await answer.arrayBuffer()
  return answer.status === APPROVED
}

/**
 * Codes of a generator that may count at a moment, the oldest first: a code that was used gives way
 * to the next. Milliseconds.
 */
export function codesAround(totpSecret: string, now: number): string[] {
  const totp = new TOTP({ secret: Secret.fromBase32(totpSecret) })
  return [-STEP_MS, 0, STEP_MS].map((ahead) => totp.generate({ timestamp: now + ahead }))
}
