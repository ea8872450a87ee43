// Online payments need a 3DS authentication where a control says so. Chosen: an attempt is one, because the cardholder's bank
// was not there to do more, and what only the network claims is believed; an exemption is none. A verification, an inquiry and
// an increment are no payments of their own.
import type { MessageRecord } from '../../shared/wire/journal-entry.ts'
import { controlRule } from './control-rule.ts'
import { traceRow } from './rule.ts'

const AUTHENTICATED: ReadonlySet<unknown> = new Set([
  'authenticated',
  'attempted',
  'claimed_authenticated',
  'claimed_attempted',
])
const FAILED: ReadonlySet<unknown> = new Set(['failed', 'claimed_failed'])

export const onlineAuthenticated = controlRule({
  id: 'online_authenticated',
  concerns: (control) => control.authentication !== null,
  rowOf: ({ message, threeDs }, { scope, control }) =>
    !isOnlinePayment(message)
      ? null
      : traceRow('online_authenticated', scope, control.id, message.entryMethod, threeDs),
  decide(row) {
    if (AUTHENTICATED.has(row[6])) return null
    return FAILED.has(row[6]) ? 'authentication_failed' : 'authentication_required'
  },
})

function isOnlinePayment({ kind, entryMethod }: MessageRecord): boolean {
  return entryMethod === 'online' && kind === 'authorization'
}
