// Look-ups of config records by id, token or number. Part of the config cache.
import type {
  AuthenticationConfig,
  CardConfig,
  CardholderConfig,
  ControlsConfig,
  EndpointConfig,
  FxRateConfig,
  ProgramConfig,
  WalletTokenConfig,
} from '../../shared/wire/config-records.ts'
import { fingerprintId, type RowKind } from './keys.ts'
import { ofType, type Stored, type Subject } from './stored.ts'

export abstract class Lookups {
  /** The subject of the latest look-up: its controls are the usual next look-up. */
  #latest: Subject | null = null

  cardByToken(token: string): CardConfig | null {
    const found = this.row('token', token)
    if (found?.type !== 'subject') return null
    this.#latest = found
    return ofType('card', found.own)
  }

  cardByFingerprint(environment: string, fingerprint: string): CardConfig | null {
    const pointer = this.row('fp', fingerprintId(environment, fingerprint))
    return pointer?.type === 'pointer' && pointer.cardId !== null ? this.card(pointer.cardId) : null
  }

  card(id: string): CardConfig | null {
    return ofType('card', this.#subject(id)?.own)
  }

  cardholder(id: string): CardholderConfig | null {
    return ofType('cardholder', this.#subject(id)?.own)
  }

  program(id: string): ProgramConfig | null {
    return ofType('program', this.#subject(id)?.own)
  }

  controls(subjectId: string): ControlsConfig | null {
    return ofType('controls', this.#subject(subjectId)?.controls)
  }

  endpoint(id: string): EndpointConfig | null {
    return ofType('endpoint', this.row('endpoint', id))
  }

  fxRate(id: string): FxRateConfig | null {
    return ofType('fx_rate', this.row('fx_rate', id))
  }

  authentication(id: string): AuthenticationConfig | null {
    return ofType('authentication', this.row('authentication', id))
  }

  walletToken(id: string): WalletTokenConfig | null {
    return ofType('wallet_token', this.row('wallet_token', id))
  }

  /** The row, undefined without one. */
  protected abstract row(kind: RowKind, id: string): Stored | undefined

  /** Call it when rows may have changed. */
  protected purgeLatest(): void {
    this.#latest = null
  }

  #subject(id: string): Subject | null {
    const own = this.#latest?.own
    if (own != null && own.type !== 'removed' && own.id === id) return this.#latest
    const found = this.row('subject', id)
    if (found?.type !== 'subject') return null
    this.#latest = found
    return found
  }
}
