// Settings of billing: rows of the one table of settings.
import type { Result } from './result.ts'
import { integer, optionalUrl, parseSecrets, setting } from './setting-values.ts'

/** A secret or restricted key of the processor in this mode, or nothing. */
function processorKey(mode: 'test' | 'live'): (text: string) => Result<string | null, string> {
  const form = new RegExp('^[sr]k_' + mode + '_[A-Za-z0-9]{8,200}$')
  return (text) => {
    if (text === '' || form.test(text)) return { ok: true, value: text === '' ? null : text }
    return { ok: false, error: 'must begin with sk_' + mode + '_ or rk_' + mode + '_' }
  }
}

/** A base URL, without a slash at its end. */
function processorUrl(text: string): Result<string, string> {
  const url = optionalUrl(['http:', 'https:'])(text)
  if (!url.ok) return url
  if (url.value === null) return { ok: false, error: 'must not be empty' }
  return { ok: true, value: url.value.replace(/\/+$/, '') }
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
  SVC_STRIPE_WEBHOOK_SECRET_SANDBOX: setting({
    fallback: '',
    about:
      'Secret with which the processor signs its callbacks to `/partners/stripe/callbacks/sandbox`; two, comma-separated, while one replaces the other. Unset: callbacks are not accepted.',
    parse: parseSecrets,
  }),
  SVC_STRIPE_WEBHOOK_SECRET_LIVE: setting({
    fallback: '',
    about: 'The same for `/partners/stripe/callbacks/live`.',
    parse: parseSecrets,
  }),
  SVC_STRIPE_URL: setting({
    fallback: 'https://api.stripe.com',
    about: 'Base URL of the payment processor; http only in a sandbox installation.',
    parse: processorUrl,
  }),
  SVC_STRIPE_RATE: setting({
    fallback: '20',
    about: 'Most calls of the payment processor a second, in each process and environment.',
    parse: integer(1, 1000),
  }),
}
