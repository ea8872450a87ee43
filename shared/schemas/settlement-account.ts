// A settlement account: the address on the chain where a tenant is paid.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { MOMENT } from './moment.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const SETTLEMENT_ACCOUNT_STATUSES = ['waiting', 'usable', 'disabled'] as const
export type SettlementAccountStatus = (typeof SETTLEMENT_ACCOUNT_STATUSES)[number]

/** The times at which batches of an account are closed. */
const SettlementSchedule = Type.Object(
  {
    interval: described(
      Type.Enum(['continuous', 'daily']),
      'continuous: whenever something waits; daily: once a day at the hour.',
    ),
    hour: described(
      Type.Optional(Type.Integer({ minimum: 0, maximum: 23 })),
      'The hour of a daily cut-off, 0 to 23, UTC.',
    ),
  },
  { additionalProperties: false },
)

export const SettlementAccount = Type.Object({
  id: Type.String(),
  object: Type.Literal('settlement_account'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  status: described(
    Type.Enum([...SETTLEMENT_ACCOUNT_STATUSES]),
    'Waiting until usable_at; payments name only a usable account.',
  ),
  usable_at: described(MOMENT, 'When payments may name the account, ISO 8601.'),
  address: described(Type.String(), 'The address that is paid, with the checksum of EIP-55.'),
  chain_id: described(Type.Integer(), 'The chain (EIP-155).'),
  name: described(Type.String(), 'The name that the holder reads before approving.'),
  mcc: Type.String(),
  country: Type.String(),
  schedule: described(SettlementSchedule, 'The times at which batches are closed.'),
  fee_bps: described(
    Type.Integer(),
    'Share of what is captured that stays with the service, in hundredths of a percent.',
  ),
  ...TENANT_FIELDS,
})
export type SettlementAccount = Static<typeof SettlementAccount>
