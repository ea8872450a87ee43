// The payment processor of the sandbox: one of its own, unless the person names an account at
// Stripe. Live never has one of ours.
import type { Environment, StartConfig } from './config.ts'
import type { StartedParty } from './outside-parties.ts'
import type { SandboxSecrets } from './sandbox-secrets.ts'

export interface StripeParts {
  /** The processor among the outside parties. */
  parties: readonly StartedParty[]
  /** How the API calls it and knows its callbacks. */
  api: Environment
  /** How the dispatcher calls it. */
  dispatcher: Environment
}

/** Each process gets only the settings it needs. */
export function stripeParts(
  { environment, ownStripeAccount }: StartConfig,
  { stripe_peer: account }: SandboxSecrets,
): StripeParts {
  if (environment === 'live' || ownStripeAccount || account === undefined)
    return { parties: [], api: {}, dispatcher: {} }
  const called = {
    SVC_STRIPE_KEY_SANDBOX: account.key,
    SVC_STRIPE_URL: 'http://127.0.0.1:' + account.port,
  }
  return {
    parties: [{ name: 'stripe', environment: {} }],
    api: { ...called, SVC_STRIPE_WEBHOOK_SECRET_SANDBOX: account.secret },
    dispatcher: called,
  }
}
