// The settlement line of a chain, as operators see it.
import { type Static, Type } from 'typebox'

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
})
export type ChainLine = Static<typeof ChainLine>
