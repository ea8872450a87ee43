// Settings of payments and their settlement: rows of the one table of settings.
import { optionalPath, optionalUrl, setting } from './setting-values.ts'

export const PAYMENT_SETTINGS = {
  SVC_CHAIN_SANDBOX: setting({
    fallback: '',
    about:
      'JSON file that describes the chain on which the sandbox settles payments; unset: payments are closed. `npm start` runs a chain of its own.',
    parse: optionalPath,
  }),
  SVC_CHAIN_LIVE: setting({
    fallback: '',
    about:
      'The same for live: two RPC hosts over https and a remote signer at least. Unset: payments are closed in live.',
    parse: optionalPath,
  }),
  SVC_HOLDER_URL: setting({
    fallback: '',
    about:
      'Base URL of the sandbox’s simulated holder, for the simulate calls of payments; unset: they answer 503. `npm start` runs one beside its own chain.',
    parse: optionalUrl(['http:', 'https:']),
  }),
}
