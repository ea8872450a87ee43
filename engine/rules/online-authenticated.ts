// Online payments need a 3DS authentication if a control says so. Chosen: an attempt counts,
// because the cardholder's bank was not available for more, and a claim by the network alone
// counts; an exemption does not. A verification, an inquiry and an increment are no payments of
// their own.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import type { ControlConfig } from '../../shared/wire/config-records.ts'
import type { MessageRecord } from '../../shared/wire/journal-entry.ts'
import type { ControlRule } from './control-rule.ts'

const AUTHENTICATED: ReadonlySet<unknown> = new Set([
  'authenticated',
  'attempted',
  'claimed_authenticated',
  'claimed_attempted',
])
const FAILED: ReadonlySet<unknown> = new Set(['failed', 'claimed_failed'])

const { number: NUMBER, version: VERSION } = RULE_CATALOG.online_authenticated

export const onlineAuthenticated: ControlRule<ControlConfig['authentication']> = {
  id: 'online_authenticated',
  asks: (control) => control.authentication,
  rowOf: ({ message, threeDs }, { scope }, asker) =>
    isOnlinePayment(message)
      ? [NUMBER, VERSION, 0, scope, asker, message.entryMethod, threeDs]
      : null,
  decide(row) {
    if (AUTHENTICATED.has(row[6])) return null
    return FAILED.has(row[6]) ? 'authentication_failed' : 'authentication_required'
  },
}

function isOnlinePayment({ kind, entryMethod }: MessageRecord): boolean {
  return entryMethod === 'online' && kind === 'authorization'
}
