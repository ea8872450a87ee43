// Decides whether the engine may decide now. It checks everything that could make a decision wrong
// or lose it.
import type { ClockGuard } from './clock-guard.ts'
import type { ConfigCache } from './config-cache/config-cache.ts'
import type { EngineLog } from './journal/decision-log.ts'
import type { LineSecrets } from './line/line.ts'

interface ReadinessParts {
  journal: EngineLog
  configCache: ConfigCache
  secrets: LineSecrets
  guard: Pick<ClockGuard, 'reason' | 'confirmed'>
  /** Why a member of a shard decides nothing; null where it owns the shard, or is alone. */
  membership(): string | null
}

/** The engine’s permission to decide, or the reason against it. */
export class Readiness {
  readonly #journal: EngineLog
  readonly #configCache: ConfigCache
  readonly #secrets: LineSecrets
  readonly #clock: Pick<ClockGuard, 'reason' | 'confirmed'>
  readonly #membership: () => string | null
  stopping = false
  refused: string | null = null

  constructor({ journal, configCache, secrets, guard, membership }: ReadinessParts) {
    this.#journal = journal
    this.#configCache = configCache
    this.#secrets = secrets
    this.#clock = guard
    this.#membership = membership
  }

  reason(): string | null {
    const reason = this.#membership() ?? this.unfit()
    if (reason !== null) return reason
    return this.#secrets.derivation() === null
      ? 'The derivation root is missing or does not open.'
      : null
  }

  /** Why a member must not own the shard; a new installation has no derivation root yet. */
  unfit(): string | null {
    if (this.stopping) return 'The engine is stopping.'
    if (this.#clock.reason !== null) return this.#clock.reason
    if (this.refused !== null) return this.refused
    if (!this.#journal.attached) return 'No database has confirmed this journal yet.'
    return this.#configCache.cursor === null ? 'The configuration is not complete yet.' : null
  }
  /** Why no hold may expire now: expiry cannot be undone, so it needs a confirmed clock. */
  expiryReason(): string | null {
    return this.reason() ?? (this.#clock.confirmed ? null : 'No second source confirms the clock.')
  }
}
