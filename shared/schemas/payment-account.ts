// A payment account: the cardholder's account on the chain, commanded by one passkey.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { PAYMENT_ACCOUNT_SUSPEND_REASON } from './explained.ts'
import { MOMENT } from './moment.ts'
import { TENANT_FIELDS } from './tenant-fields.ts'

export const PAYMENT_ACCOUNT_STATUSES = ['pending', 'active', 'suspended', 'closed'] as const
export type PaymentAccountStatus = (typeof PAYMENT_ACCOUNT_STATUSES)[number]

const TextOrNull = Type.Union([Type.String(), Type.Null()])

const PaymentCredential = Type.Object({
  id: described(Type.String(), 'The passkey’s credential id, base64url.'),
  created: described(MOMENT, 'When the passkey was enrolled, ISO 8601.'),
  backed_up: described(
    Type.Boolean(),
    'True where the authenticator keeps a copy of the passkey elsewhere.',
  ),
})

export const PaymentAccount = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_account'),
  created: Type.Integer(),
  livemode: Type.Boolean(),
  cardholder_id: Type.String(),
  program_id: Type.String(),
  status: described(
    Type.Enum([...PAYMENT_ACCOUNT_STATUSES]),
    'Pending until a passkey is enrolled; only an active account pays; closed is for ever.',
  ),
  suspend_reason: described(
    Type.Union([PAYMENT_ACCOUNT_SUSPEND_REASON, Type.Null()]),
    'The reason of the suspension; null for an account that is not suspended.',
  ),
  address: described(
    TextOrNull,
    'The account’s address on the chain; null until a passkey is enrolled.',
  ),
  chain_id: described(Type.Integer(), 'The chain (EIP-155).'),
  recovery_address: described(
    TextOrNull,
    'The address that may withdraw everything to itself for a lost passkey; null: none.',
  ),
  credential: described(
    Type.Union([PaymentCredential, Type.Null()]),
    'The passkey that commands the account; null until one is enrolled.',
  ),
  balance_cents: described(Type.Integer(), 'Tokens at the latest finalized block, in US cents.'),
  held_cents: described(
    Type.Integer(),
    'Held for payments that are authorized and not captured, in US cents.',
  ),
  leaving_cents: described(Type.Integer(), 'Asked for by a withdrawal, in US cents.'),
  available_cents: described(Type.Integer(), 'Free for payments, in US cents.'),
  as_of_block: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'The block that the balance is of; null before the first.',
  ),
  enrolment_url: described(
    TextOrNull,
    'The page on which the holder enrols a passkey. Only the call that made the link shows it; null everywhere else.',
  ),
  ...TENANT_FIELDS,
})
export type PaymentAccount = Static<typeof PaymentAccount>
