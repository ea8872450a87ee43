// Settings of the wallets that passes go to, Apple's and Google's: rows of the one table of
// settings.
import { integer, optionalDigits, optionalPath, requiredUrl, setting } from './setting-values.ts'

const GOOGLE_RATE_MAX = 200

export const WALLET_SETTINGS = {
  SVC_APPLE_PASS_CERT: setting({
    fallback: '',
    about:
      'Certificate (PEM file) of our pass type at Apple; it names the pass type and the team. Unset: no passes for Apple’s wallet. `npm start` makes one of its own in the sandbox.',
    parse: optionalPath,
  }),
  SVC_APPLE_PASS_KEY: setting({
    fallback: '',
    about: 'Private key (PEM file, without password) of that certificate.',
    parse: optionalPath,
  }),
  SVC_APPLE_PASS_AUTHORITY: setting({
    fallback: '',
    about:
      'Certificate (PEM file) of the authority that signed the pass type’s: Apple’s “Worldwide Developer Relations”.',
    parse: optionalPath,
  }),
  SVC_APPLE_PUSH_URL: setting({
    fallback: 'https://api.push.apple.com',
    about: 'Apple’s push service, which tells devices that a pass has changed.',
    parse: requiredUrl(['https:']),
  }),
  SVC_APPLE_PUSH_AUTHORITY: setting({
    fallback: '',
    about:
      'Authority (PEM file) to trust for the push service’s certificate, beside the public ones.',
    parse: optionalPath,
  }),
  SVC_GOOGLE_WALLET_ACCOUNT: setting({
    fallback: '',
    about:
      'Key file (JSON) of the service account that speaks with Google’s wallet. Unset: no passes for Google’s wallet. `npm start` makes one of its own in the sandbox.',
    parse: optionalPath,
  }),
  SVC_GOOGLE_WALLET_ISSUER: setting({
    fallback: '',
    about: 'Our issuer id (digits) at Google’s wallet.',
    parse: optionalDigits,
  }),
  SVC_GOOGLE_WALLET_URL: setting({
    fallback: 'https://walletobjects.googleapis.com',
    about: 'Google’s wallet API, which gets the contents of passes; https in live.',
    parse: requiredUrl(['http:', 'https:']),
  }),
  SVC_GOOGLE_PAY_URL: setting({
    fallback: 'https://pay.google.com',
    about:
      'Base URL of save links (`/gp/v/save/`) and of the keys that sign Google’s callbacks (`/gp/m/issuer/keys`); https in live.',
    parse: requiredUrl(['http:', 'https:']),
  }),
  SVC_GOOGLE_WALLET_RATE: setting({
    fallback: '20',
    about:
      'Changed passes a second that a dispatcher sends to Google’s wallet. Google takes 20 calls a second; several dispatchers share them.',
    parse: integer(1, GOOGLE_RATE_MAX),
  }),
}
