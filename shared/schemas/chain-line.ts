// The settlement line of a chain, as operators see it.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'
import { MOMENT } from './moment.ts'

export const ChainLine = Type.Object({
  id: Type.String(),
  object: Type.Literal('chain_line'),
  environment: Type.Enum(['sandbox', 'live']),
  chain_id: described(Type.Integer(), 'The chain (EIP-155).'),
  sponsor: described(
    Type.String(),
    'The address of the wallet that sends the transactions and pays their gas.',
  ),
  next_nonce: described(Type.Integer(), 'The next nonce that is signed.'),
  in_flight: described(Type.Integer(), 'Number of transactions that are signed and not final.'),
  final_block: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'The last finalized block at which balances were compared; null before the first one.',
  ),
  stopped: described(
    Type.Union([
      Type.Object({
        reason: described(Type.String(), 'The reason in a word, for example foreign_transaction.'),
        detail: described(Type.String(), 'The reason in a sentence.'),
      }),
      Type.Null(),
    ]),
    'The reason that settling stands still; null while it goes on.',
  ),
  exceptions: described(
    Type.Array(
      Type.Object({
        kind: described(
          Type.String(),
          'The kind: holder_lacks, holder_withdrew_held, payee_differs or settlement_holds.',
        ),
        subject: described(Type.String(), 'The payment account, or the address.'),
        block: described(Type.Integer(), 'The finalized block at which both were compared last.'),
        ledger_units: described(Type.String(), 'Token units by the ledger, a decimal number.'),
        chain_units: described(Type.String(), 'Token units by the chain, a decimal number.'),
        opened_at: described(MOMENT, 'When the difference was seen first, ISO 8601.'),
      }),
    ),
    'Open differences between ledger and chain, the oldest first, at most 100.',
  ),
})
export type ChainLine = Static<typeof ChainLine>
