// The authorization line's view of the configuration: synchronous, from memory-mapped records,
// without waiting.
import type {
  AuthenticationFact,
  CardFact,
  CardholderFact,
  ControlsFact,
  EndpointFact,
  FxRateFact,
  NetworkKeyFact,
  ProgramFact,
  RootFact,
  WalletTokenFact,
} from '../../shared/wire/facts.ts'

export interface FactsReader {
  /**
   * `pg_snapshot` text that the config cache covers, or null while it is incomplete: then the
   * engine decides nothing.
   */
  readonly cursor: string | null
  readonly databaseId: string | null
  /** Grows when readers begin to see a change: until then every row is as it was. */
  readonly changes: number
  cardByToken(token: string): CardFact | null
  cardByFingerprint(environment: string, fingerprint: string): CardFact | null
  card(id: string): CardFact | null
  cardholder(id: string): CardholderFact | null
  program(id: string): ProgramFact | null
  /** Controls of a program, cardholder or card. */
  controls(subjectId: string): ControlsFact | null
  endpoint(id: string): EndpointFact | null
  /** By `EUR/USD`. */
  fxRate(id: string): FxRateFact | null
  /** By the 3DS transaction's id. */
  authentication(id: string): AuthenticationFact | null
  walletToken(id: string): WalletTokenFact | null
  networkKeys(): readonly NetworkKeyFact[]
  root(): RootFact | null
}
