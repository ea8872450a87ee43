// A settlement account: the address on the chain where a tenant is paid.
import { type Static, Type } from 'typebox'
import { MOMENT } from './moment.ts'
import { OWN_DATA } from './own-data.ts'

export const SETTLEMENT_ACCOUNT_STATUSES = ['waiting', 'usable', 'disabled'] as const
export type SettlementAccountStatus = (typeof SETTLEMENT_ACCOUNT_STATUSES)[number]

/** The times at which batches of an account are closed. */
const SettlementSchedule = Type.Object(
  {
    /** `continuous`: whenever something waits; `daily`: once a day at the hour. */
    interval: Type.Enum(['continuous', 'daily']),
    /** The hour of a daily cut-off, 0 to 23, UTC. */
    hour: Type.Optional(Type.Integer({ minimum: 0, maximum: 23 })),
  },
  { additionalProperties: false },
)

export const SettlementAccount = Type.Object({
  id: Type.String(),
  object: Type.Literal('settlement_account'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  /** `waiting` until `usable_at`; payments name only a `usable` account. */
  status: Type.Enum([...SETTLEMENT_ACCOUNT_STATUSES]),
  /** When payments may name the account, ISO 8601. */
  usable_at: MOMENT,
  /** The address that is paid, with the checksum of EIP-55. */
  address: Type.String(),
  /** The chain (EIP-155). */
  chain_id: Type.Integer(),
  /** The name that the holder reads before approving. */
  name: Type.String(),
  mcc: Type.String(),
  country: Type.String(),
  /** The times at which batches are closed. */
  schedule: SettlementSchedule,
  /** Share of what is captured that stays with the service, in hundredths of a percent. */
  fee_bps: Type.Integer(),
  ...OWN_DATA,
})
export type SettlementAccount = Static<typeof SettlementAccount>
