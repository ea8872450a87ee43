// Look-ups of config records by id, token or number. Part of the config cache.
import type {
  AuthenticationFact,
  CardFact,
  CardholderFact,
  ControlsFact,
  EndpointFact,
  FxRateFact,
  ProgramFact,
  WalletTokenFact,
} from '../../shared/wire/facts.ts'
import { fingerprintId, type RowKind } from './keys.ts'
import { ofType, type Stored, type Subject } from './stored.ts'

export abstract class Lookups {
  /** The subject of the latest look-up: its controls are the usual next look-up. */
  #latest: Subject | null = null

  cardByToken(token: string): CardFact | null {
    const found = this.row('token', token)
    if (found?.type !== 'subject') return null
    this.#latest = found
    return ofType('card', found.own)
  }

  cardByFingerprint(environment: string, fingerprint: string): CardFact | null {
    const pointer = this.row('fp', fingerprintId(environment, fingerprint))
    return pointer?.type === 'pointer' && pointer.cardId !== null ? this.card(pointer.cardId) : null
  }

  card(id: string): CardFact | null {
    return ofType('card', this.#subject(id)?.own)
  }

  cardholder(id: string): CardholderFact | null {
    return ofType('cardholder', this.#subject(id)?.own)
  }

  program(id: string): ProgramFact | null {
    return ofType('program', this.#subject(id)?.own)
  }

  controls(subjectId: string): ControlsFact | null {
    return ofType('controls', this.#subject(subjectId)?.controls)
  }

  endpoint(id: string): EndpointFact | null {
    return ofType('endpoint', this.row('endpoint', id))
  }

  fxRate(id: string): FxRateFact | null {
    return ofType('fx_rate', this.row('fx_rate', id))
  }

  authentication(id: string): AuthenticationFact | null {
    return ofType('authentication', this.row('authentication', id))
  }

  walletToken(id: string): WalletTokenFact | null {
    return ofType('wallet_token', this.row('wallet_token', id))
  }

  /** The row, undefined without one. */
  protected abstract row(kind: RowKind, id: string): Stored | undefined

  /** Call it when rows may have changed. */
  protected forgetLatest(): void {
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
