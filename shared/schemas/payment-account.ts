// A payment account: the cardholder's account on the chain, commanded by one passkey.
import { type Static, Type } from 'typebox'
import { MOMENT } from './moment.ts'
import { OWN_DATA } from './own-data.ts'

export const PAYMENT_ACCOUNT_STATUSES = ['pending', 'active', 'suspended', 'closed'] as const
export type PaymentAccountStatus = (typeof PAYMENT_ACCOUNT_STATUSES)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])

const PaymentCredential = Type.Object({
  /** The passkey’s credential id, base64url. */
  id: Type.String(),
  /** When the passkey was enrolled, ISO 8601. */
  created: MOMENT,
  /** True where the authenticator keeps a copy of the passkey elsewhere. */
  backed_up: Type.Boolean(),
})

export const PaymentAccount = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_account'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  cardholder_id: Type.String(),
  program_id: Type.String(),
  /** `pending` until a passkey is enrolled; only an `active` account pays; `closed` is for ever. */
  status: Type.Enum([...PAYMENT_ACCOUNT_STATUSES]),
  /** The reason of the suspension; null for an account that is not suspended. */
  suspend_reason: TextOrNull,
  /** The account’s address on the chain; null until a passkey is enrolled. */
  address: TextOrNull,
  /** The chain (EIP-155). */
  chain_id: Type.Integer(),
  /** The address that may withdraw everything to itself for a lost passkey; null: none. */
  recovery_address: TextOrNull,
  /** The passkey that commands the account; null until one is enrolled. */
  credential: Type.Union([PaymentCredential, Type.Null()]),
  /** Tokens at the latest finalized block, in US cents. */
  balance_cents: Type.Integer(),
  /** Held for payments that are authorized and not captured, in US cents. */
  held_cents: Type.Integer(),
  /** Asked for by a withdrawal, in US cents. */
  leaving_cents: Type.Integer(),
  /** Free for payments, in US cents. */
  available_cents: Type.Integer(),
  /** The block that the balance is of; null before the first. */
  as_of_block: Type.Union([Type.Integer(), Type.Null()]),
  /**
   * The page on which the holder enrols a passkey. Only the call that made the link shows it; null
   * everywhere else.
   */
  enrolment_url: TextOrNull,
  ...OWN_DATA,
})
export type PaymentAccount = Static<typeof PaymentAccount>
