// The ISO 8583 listener of one engine, if configured: it gets only the parts of the authorization
// line that it needs.
import type { Logger } from '../shared/log.ts'
import type { Result } from '../shared/result.ts'
import type { AuthorizationLine } from './authorize.ts'
import type { EngineConfig } from './config.ts'
import type { Line } from './line/line.ts'
import { cardCurrency } from './listeners/iso8583/card-currency.ts'
import { type IsoListener, openIsoListener } from './listeners/iso8583.ts'

interface IsoParts {
  config: EngineConfig
  log: Logger
  /** A failure that only a restart mends. */
  onFatal(reason: string): void
}

/** Null without a port; else the open listener, or why it cannot open. */
export async function openIso(
  { config, log, onFatal }: IsoParts,
  line: Line,
  authorization: AuthorizationLine,
): Promise<Result<IsoListener | null, string>> {
  if (config.iso === null) return { ok: true, value: null }
  return openIsoListener({
    ...config.iso,
    host: config.settings.SVC_ENGINE_HOST,
    allowed: config.settings.SVC_ENGINE_ALLOW_CIDRS,
    clock: line.clock,
    log,
    nowMs: () => line.clock.nowMs(),
    authorize: (raw) => authorization.authorize(raw),
    failed: (error) => onFatal(String(error)),
    countRefusal: (code) => line.metrics.countRefusal(code),
    unready: () => line.unready(),
    knowsKey: (keyId) => line.secrets.networkKeys().some(({ id }) => id === keyId),
    cardCurrency: (keyId, card) => cardCurrency(line, keyId, card),
  })
}
