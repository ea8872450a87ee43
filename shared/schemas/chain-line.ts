// The settlement line of a chain, as operators see it.
import { type Static, Type } from 'typebox'
import { MOMENT } from './moment.ts'

export const ChainLine = Type.Object({
  id: Type.String(),
  object: Type.Literal('chain_line'),
  environment: Type.Enum(['sandbox', 'live']),
  /** The chain (EIP-155). */
  chain_id: Type.Integer(),
  /** The address of the wallet that sends the transactions and pays their gas. */
  sponsor: Type.String(),
  /** The next nonce that is signed. */
  next_nonce: Type.Integer(),
  /** Number of transactions that are signed and not final. */
  in_flight: Type.Integer(),
  /** The last finalized block at which balances were compared; null before the first one. */
  final_block: Type.Union([Type.Integer(), Type.Null()]),
  /** The reason that settling stands still; null while it goes on. */
  stopped: Type.Union([
    Type.Object({
      /** The reason in a word, for example foreign_transaction. */
      reason: Type.String(),
      /** The reason in a sentence. */
      detail: Type.String(),
    }),
    Type.Null(),
  ]),
  /** Open differences between ledger and chain, the oldest first, at most 100. */
  exceptions: Type.Array(
    Type.Object({
      /** The kind: holder_lacks, holder_withdrew_held, payee_differs or settlement_holds. */
      kind: Type.String(),
      /** The payment account, or the address. */
      subject: Type.String(),
      /** The finalized block at which both were compared last. */
      block: Type.Integer(),
      /** Token units by the ledger, a decimal number. */
      ledger_units: Type.String(),
      /** Token units by the chain, a decimal number. */
      chain_units: Type.String(),
      /** When the difference was seen first, ISO 8601. */
      opened_at: MOMENT,
    }),
  ),
})
export type ChainLine = Static<typeof ChainLine>
