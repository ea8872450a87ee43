// The engine's knowledge at one message, read from the versions its decision names. If the decision
// itself records a result (a token, an authentication, whether the tenant could be asked), the
// config records repeat that result.
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
import type { CardRecord, DecisionEntry } from '../../shared/wire/journal-entry.ts'
import type { ConfigReader } from '../config-cache/reader.ts'
import type { ConfigVersions } from './versions.ts'

/**
 * Valid versions of card, cardholder and program: the recorded ones, or newer ones while the tenant
 * was asked.
 */
export interface StateVersions {
  card: number
  cardholder: number
  program: number
}

export class RecordedConfig implements ConfigReader {
  readonly cursor = '1:1:'
  readonly databaseId = 'recorded'
  changes = 0
  readonly #versions: ConfigVersions
  #entry: DecisionEntry | null = null
  #state: StateVersions = { card: 0, cardholder: 0, program: 0 }

  constructor(versions: ConfigVersions) {
    this.#versions = versions
  }

  /** Switches to the knowledge at the time of this entry's decision. */
  turnTo(entry: DecisionEntry, state: StateVersions | null): void {
    this.#entry = entry
    this.changes += 1
    const { card } = entry
    this.#state = state ?? {
      card: card?.cardVersion ?? 0,
      cardholder: card?.cardholderVersion ?? 0,
      program: card?.programVersion ?? 0,
    }
  }

  cardByToken(): CardConfig | null {
    const id = this.#entry?.card?.cardId
    return id === undefined ? null : this.card(id)
  }

  cardByFingerprint(): null {
    return null
  }

  card(id: string): CardConfig | null {
    return this.#versions.at('card', id, this.#state.card)
  }

  cardholder(id: string): CardholderConfig | null {
    return this.#versions.at('cardholder', id, this.#state.cardholder)
  }

  program(id: string): ProgramConfig | null {
    return this.#versions.at('program', id, this.#state.program)
  }

  controls(subjectId: string): ControlsConfig | null {
    const version = controlsVersion(this.#entry?.card ?? null, subjectId)
    return version === 0 ? null : this.#versions.at('controls', subjectId, version)
  }

  /** Returns an endpoint that could be asked, if the entry used one. */
  endpoint(id: string): EndpointConfig | null {
    const outcome = this.#entry?.decision.tenant?.outcome ?? 'not_configured'
    if (outcome === 'not_configured' || this.#entry === null) return null
    return {
      type: 'endpoint',
      id: this.#entry.decision.tenant?.endpointId ?? id,
      version: 1,
      tenant_id: this.#entry.card?.tenantId ?? '',
      environment: this.#entry.environment,
      url: '',
      status: 'enabled',
      sealed_secrets: [],
    }
  }

  fxRate(id: string): FxRateConfig | null {
    // Also where the network's rate counted: ours was compared with it.
    return this.#versions.at('fx_rate', id, this.#entry?.fx?.version ?? 0)
  }

  authentication(id: string): AuthenticationConfig | null {
    const result = this.#entry?.threeDs
    if (result !== 'authenticated' && result !== 'attempted' && result !== 'failed') return null
    return {
      type: 'authentication',
      id,
      version: 1,
      card_id: this.#entry?.card?.cardId ?? '',
      result,
      expires_at_ms: Number.POSITIVE_INFINITY,
    }
  }

  walletToken(id: string): WalletTokenConfig | null {
    const status = this.#entry?.walletToken ?? null
    if (status === null || status === 'unknown') return null
    return {
      type: 'wallet_token',
      id,
      version: 1,
      card_id: this.#entry?.card?.cardId ?? '',
      provider: '',
      status,
    }
  }

  networkKeys(): [] {
    return []
  }

  root(): null {
    return null
  }
}

function controlsVersion(card: CardRecord | null, subjectId: string): number {
  if (card === null) return 0
  const [program, cardholder, own] = card.controlVersions
  if (subjectId === card.programId) return program
  return subjectId === card.cardholderId ? cardholder : own
}
