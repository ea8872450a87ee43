// Settings of billing: rows of the one table of settings.
import type { Result } from './result.ts'
import { setting } from './setting-values.ts'

/** A secret or restricted key of the processor in this mode, or nothing. */
function processorKey(mode: 'test' | 'live'): (text: string) => Result<string | null, string> {
  const form = new RegExp('^[sr]k_' + mode + '_[A-Za-z0-9]{8,200}$')
  return (text) => {
    if (text === '' || form.test(text)) return { ok: true, value: text === '' ? null : text }
    return { ok: false, error: 'must begin with sk_' + mode + '_ or rk_' + mode + '_' }
  }
}

export const BILLING_SETTINGS = {
  SVC_STRIPE_KEY_SANDBOX: setting({
    fallback: '',
    about:
      'Key of the payment processor for the sandbox: sk_test_… or rk_test_…. Unset: the sandbox is not billed, and nothing is gated by a plan.',
    parse: processorKey('test'),
  }),
  SVC_STRIPE_KEY_LIVE: setting({
    fallback: '',
    about: 'The same for live: sk_live_… or rk_live_…. Unset: live is not billed.',
    parse: processorKey('live'),
  }),
}
