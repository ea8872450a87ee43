// The environment of a decision as its journal entry records it: the hour, the config records, the
// CVC and PIN results, the tenant's answer. The authorization line itself runs on top of it, the
// same code as live.
import { assert } from '../../shared/assert.ts'
import type { Clock } from '../../shared/clock.ts'
import { decodeId } from '../../shared/id.ts'
import type { Derivation } from '../../shared/keyring.ts'
import { TENANT_CALLS_MAX } from '../../shared/limits.ts'
import type { Logger } from '../../shared/log.ts'
import type { DecisionEntry, TenantRecord } from '../../shared/wire/journal-entry.ts'
import type { DecisionLog } from '../journal/decision-log.ts'
import { unkeptLog } from '../journal/unkept-log.ts'
import type { Arrival, Line, Message } from '../line/line.ts'
import { Metrics } from '../metrics.ts'
import type { DecisionState } from '../state/decision-state.ts'
import { type Admission, Breakers } from '../tenant/breaker.ts'
import type { TenantReply } from '../tenant/caller.ts'
import { RecordedConfig, type StateVersions } from './recorded-config.ts'
import type { ConfigVersions } from './versions.ts'

/** Placeholder for a sent secret, which is not stored: only its match result is. */
const MATCHING = '0000'

/**
 * An authorization request sent to the tenant; its answer comes when the replay reaches its entry.
 */
interface Asked {
  deadline: (() => void) | null
  answer(reply: TenantReply): void
}

export class RecordedLine {
  readonly line: Line
  /** Entries written by the authorization line since the last take. */
  readonly #written: Buffer[] = []
  readonly #configCache: RecordedConfig
  readonly #asked = new Map<string, Asked>()
  #entry: DecisionEntry | null = null
  #nowMs = 0
  #latest: Asked | null = null

  constructor(versions: ConfigVersions, state: DecisionState, log: Logger) {
    this.#configCache = new RecordedConfig(versions)
    this.line = this.#lineOf(state, log)
  }

  /** Switches to the moment of this entry, with newer versions of the card's state if given. */
  turnTo(entry: DecisionEntry, nowMs: number, state: StateVersions | null = null): void {
    this.#entry = entry
    this.#nowMs = nowMs
    this.#configCache.turnTo(entry, state)
  }

  /** Returns the entries written by the authorization line, in order. */
  takeWritten(): Buffer[] {
    return this.#written.splice(0)
  }

  /** Returns the arrival and the message of the entry, as decode left them. */
  messageOf(entry: DecisionEntry): { arrival: Arrival; message: Message } {
    const { network, id } = entry.message
    return {
      arrival: {
        receivedAtMs: entry.receivedAtMs - entry.clockOffsetMs,
        receivedNs: 0,
        networkKey: { id: '', network, environment: entry.environment, secret: '' },
        reply: { send: () => undefined },
      },
      message: {
        record: entry.message,
        environment: entry.environment,
        cardToken: id,
        fingerprint: null,
        ...this.#expiryShown(entry),
        cvc: entry.cvc === 'not_provided' ? null : MATCHING,
        pin: entry.pin === 'not_provided' ? null : MATCHING,
        messageKey: entry.messageKey,
        contentHash: entry.contentHash,
        stale: false,
      },
    }
  }

  /**
   * Delivers the tenant's recorded answer or its silence until the deadline. False if the tenant
   * was not asked.
   */
  async hear(entry: DecisionEntry): Promise<boolean> {
    const key = entry.messageKey.toString('latin1')
    const asked = this.#asked.get(key)
    const { tenant } = entry.decision
    if (asked === undefined || tenant === null) return false
    this.#asked.delete(key)
    const { outcome, errorHint, httpStatus, attempts } = tenant
    const silent = outcome === 'timeout_response' && errorHint === null && httpStatus === null
    if (silent && attempts === 1) asked.deadline?.()
    else asked.answer(replyOf(tenant))
    // The authorization line continues in the microtask after the reply.
    await Promise.resolve()
    await Promise.resolve()
    return true
  }

  #expiryShown(entry: DecisionEntry): { expMonth: number; expYear: number } {
    const card = entry.card === null ? null : this.#configCache.card(entry.card.cardId)
    if (card === null || entry.expiry === 'not_provided') return { expMonth: 0, expYear: 0 }
    const expYear = entry.expiry === 'match' ? card.exp_year : card.exp_year + 1
    return { expMonth: card.exp_month, expYear }
  }

  #current(): DecisionEntry {
    assert(this.#entry !== null, 'a line that was turned to an entry')
    return this.#entry
  }

  #lineOf(state: DecisionState, log: Logger): Line {
    const current = () => this.#current()
    const clock: Clock = {
      nowMs: () => this.#nowMs,
      monotonicNs: () => 0,
      after: (_delayMs, task) => {
        // The authorization line sets a deadline right after it sent the request.
        if (this.#latest !== null) this.#latest.deadline = task
        return { cancel: () => undefined }
      },
    }
    return {
      clock,
      shard: null,
      get budgetMs() {
        return current().budgetMs
      },
      get build() {
        return current().build
      },
      configCache: this.#configCache,
      secrets: {
        derivation: () => this.#derivation(),
        networkKeys: () => [],
        endpointSecrets: () =>
          current().decision.tenant?.errorHint === 'no_secret' ? [] : [MATCHING],
      },
      state,
      journal: this.#journalOf(state),
      tenants: {
        inFlight: () =>
          current().decision.tenant?.outcome === 'bulkhead_full' ? TENANT_CALLS_MAX : 0,
        call: () => this.#call(),
        close: () => Promise.resolve(),
      },
      breakers: new RecordedBreakers(current),
      metrics: new Metrics(),
      log,
      logsDecisions: false,
      newTransactionId: () => idOf(current()),
      unready: () => null,
      stop(reason) {
        throw new Error(reason)
      },
    }
  }

  #call() {
    const { promise, resolve } = Promise.withResolvers<TenantReply>()
    const asked: Asked = { deadline: null, answer: resolve }
    this.#asked.set(this.#current().messageKey.toString('latin1'), asked)
    this.#latest = asked
    return { reply: promise, spent: () => ({ signUs: 0, connectUs: 0 }) }
  }

  #journalOf(state: DecisionState): DecisionLog {
    return unkeptLog((bytes) => {
      // The writer reuses its own bytes for the next entry.
      this.#written.push(Buffer.from(bytes))
      return state.seq + 1
    })
  }

  /** Verifiers that match exactly if the entry records a match. */
  #derivation(): Derivation {
    const entry = this.#current()
    const card = entry.card === null ? null : this.#configCache.card(entry.card.cardId)
    const nothing = (): never => {
      throw new Error('nothing is derived when a journal is decided again')
    }
    return {
      fingerprint: nothing,
      cvc: nothing,
      cvcVerifier: () => (entry.cvc === 'match' ? (card?.cvc_verifier ?? '') : ''),
      pinVerifier: () => (entry.pin === 'match' ? (card?.pin_verifier ?? '') : ''),
      messageKey: nothing,
      contentHash: nothing,
      requestId: () => entry.requestId,
    }
  }
}

class RecordedBreakers extends Breakers {
  readonly #current: () => DecisionEntry

  constructor(current: () => DecisionEntry) {
    super()
    this.#current = current
  }

  override admit(): Admission {
    return { state: this.#current().decision.breaker ?? 'closed', openings: 0, breaker: null }
  }

  override peek(): Admission {
    return this.admit()
  }

  override report(): void {
    // The result of the next entry counts.
  }
}

function idOf(entry: DecisionEntry): { text: string; bytes: Buffer } {
  const text = entry.transactionId ?? ''
  return { text, bytes: decodeId(text.slice(text.indexOf('_') + 1)) ?? Buffer.alloc(16) }
}

function replyOf(tenant: TenantRecord): TenantReply {
  const answered = tenant.outcome === 'answered_approve' || tenant.outcome === 'answered_decline'
  return {
    outcome: tenant.outcome,
    httpStatus: tenant.httpStatus,
    latencyMs: tenant.latencyMs ?? 0,
    attempts: tenant.attempts,
    errorHint: tenant.errorHint,
    answer: answered
      ? {
          approve: tenant.outcome === 'answered_approve',
          reason: tenant.reason,
          approvedAmountCents: tenant.approvedAmountCents,
          metadata: tenant.metadata,
          dropped: tenant.dropped,
        }
      : null,
    signUs: 0,
    connectUs: 0,
  }
}
