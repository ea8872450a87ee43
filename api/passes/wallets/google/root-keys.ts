// Google's published root keys, kept while they are valid. If none of them made a signature, they
// are fetched again, because Google changes them; but a sender of forgeries cannot set the pace.
import type { Clock, EpochMs } from '../../../../shared/clock.ts'
import type { OutsideCaller } from '../../../http/outside-caller.ts'
import { type RootKey, rootKeysIn } from './callback-signature.ts'

const PATH = '/gp/m/issuer/keys'
const KEPT_MS = 3_600_000
/** Chosen: minimum pause between two fetches. */
const PAUSE_MS = 10_000

export interface RootKeys {
  /** Returns the known keys; null if Google has not sent any yet, or none is valid. */
  current(): Promise<readonly RootKey[] | null>
  /** Returns the keys, fetched again if that may help. */
  renewed(): Promise<readonly RootKey[] | null>
}

export function openRootKeys(payUrl: string, outside: OutsideCaller, clock: Clock): RootKeys {
  let keys: readonly RootKey[] | null = null
  let knownAt: EpochMs = 0
  let askedAt: EpochMs | null = null
  let asking: Promise<void> | null = null
  const ask = async (): Promise<void> => {
    const now = clock.nowMs()
    askedAt = now
    const headers = { accept: 'application/json' }
    const answer = await outside.call({ method: 'GET', url: payUrl + PATH, headers, body: null })
    const found = answer.ok && answer.value.status === 200 ? rootKeysIn(answer.value.body) : null
    if (found === null) return
    keys = found
    knownAt = now
  }
  const look = async (): Promise<void> => {
    const now = clock.nowMs()
    if (asking === null && askedAt !== null && Math.abs(now - askedAt) < PAUSE_MS) return
    asking ??= ask().finally(() => {
      asking = null
    })
    await asking
  }
  const valid = (): readonly RootKey[] | null => {
    const now = clock.nowMs()
    const good = keys?.filter(({ expiresAt }) => now < expiresAt) ?? []
    return good.length === 0 ? null : good
  }
  return {
    async current() {
      if (valid() === null || clock.nowMs() - knownAt > KEPT_MS) await look()
      return valid()
    },
    async renewed() {
      await look()
      return valid()
    },
  }
}
