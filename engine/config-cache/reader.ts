// The authorization line's view of the configuration: synchronous, from memory-mapped records,
// without waiting.
import type {
  AuthenticationConfig,
  CardConfig,
  CardholderConfig,
  ControlsConfig,
  EndpointConfig,
  FxRateConfig,
  NetworkKeyConfig,
  ProgramConfig,
  RootConfig,
  WalletTokenConfig,
} from '../../shared/wire/config-records.ts'

export interface ConfigReader {
  /**
   * `pg_snapshot` text that the config cache covers, or null while it is incomplete: then the
   * engine decides nothing.
   */
  readonly cursor: string | null
  readonly databaseId: string | null
  /** Grows when readers begin to see a change: until then every row is as it was. */
  readonly changes: number
  cardByToken(token: string): CardConfig | null
  cardByFingerprint(environment: string, fingerprint: string): CardConfig | null
  card(id: string): CardConfig | null
  cardholder(id: string): CardholderConfig | null
  program(id: string): ProgramConfig | null
  /** Controls of a program, cardholder or card. */
  controls(subjectId: string): ControlsConfig | null
  endpoint(id: string): EndpointConfig | null
  /** By `EUR/USD`. */
  fxRate(id: string): FxRateConfig | null
  /** By the 3DS transaction's id. */
  authentication(id: string): AuthenticationConfig | null
  walletToken(id: string): WalletTokenConfig | null
  networkKeys(): readonly NetworkKeyConfig[]
  root(): RootConfig | null
}
