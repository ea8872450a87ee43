// Calls that a key alone may not make: the owner of the sandbox approves each on the page.
import { type CallOptions, SvcError } from '../../../client/index.ts'
import type { Clock } from '../../../shared/clock.ts'
import { approveChallenge, codesAround } from '../../approve-call.ts'
import type { SandboxOwner } from '../sandbox-secrets.ts'
import type { Callers } from './callers.ts'

export interface Approving {
  callers: Callers
  /** Address of the pages of people. */
  authUrl: string
  owner: SandboxOwner
  /** Codes that may count; each is taken once. */
  codes: Iterator<string, undefined>
}

/**
 * Codes of the owner: recovery codes first, so that the present code of the generator stays unused.
 * `spent` is called with each that is taken.
 */
export function* ownCodes(
  { owner, clock }: { owner: SandboxOwner; clock: Clock },
  spent: (code: string) => void,
): Generator<string, undefined> {
  const generated = codesAround(owner.totp_secret, clock.nowMs())
  for (const code of [...owner.recovery_codes.toReversed(), ...generated]) {
    spent(code)
    yield code
  }
}

/** Makes a call; where a person has to approve it, the owner does. */
export async function approved(
  { callers, authUrl, owner, codes }: Approving,
  call: (factor: Pick<CallOptions, 'factor'>) => Promise<unknown>,
): Promise<void> {
  try {
    await call({})
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'factor_required') throw error
    const { challenge_url: url, challenge } = error.detail as {
      challenge_url: string
      challenge: { id: string }
    }
    for (let next = codes.next(); next.done !== true; next = codes.next())
      if (await approveChallenge(authUrl, url, { ...owner, code: next.value })) break
    const { signal, tenant } = callers
    const { token } = await tenant.getFactorChallenge({ id: challenge.id }, { signal })
    await call({ factor: token ?? '' })
  }
}
