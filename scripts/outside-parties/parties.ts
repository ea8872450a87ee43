// The table of the outside parties that one process plays. A party is loaded when it is played.
import type { Party } from './party.ts'

export const PARTIES = {
  tenant: async () => (await import('../tenant-peer/party.ts')).tenantParty,
  identity: async () => (await import('../identity-peer/party.ts')).identityParty,
  push: async () => (await import('../apns-peer/party.ts')).pushParty,
  mail: async () => (await import('../mail-peer/party.ts')).mailParty,
  holder: async () => (await import('../holder-peer/party.ts')).holderParty,
  'google-wallet': async () => (await import('../google-wallet-peer/party.ts')).googleParty,
  chain: async () => (await import('../chain-peer/party.ts')).chainParty,
  stripe: async () => (await import('../stripe-peer/party.ts')).stripeParty,
} as const satisfies { readonly [name: string]: () => Promise<Party> }

export type PartyName = keyof typeof PARTIES

export const PARTY_NAMES = Object.keys(PARTIES) as readonly PartyName[]
