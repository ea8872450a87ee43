// A card in a wallet, as the issuer keeps it: the engine declines a token that is not active.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const WALLET_TOKEN_STATUSES = ['active', 'suspended', 'deactivated'] as const

export const WalletToken = Type.Object({
  id: Type.String(),
  object: Type.Literal('wallet_token'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  card_id: Type.String(),
  provider: described(Type.String(), 'The provider of the wallet, for example apple_pay.'),
  status: Type.Enum([...WALLET_TOKEN_STATUSES]),
  ...TENANT_FIELDS,
})
export type WalletToken = Static<typeof WalletToken>
