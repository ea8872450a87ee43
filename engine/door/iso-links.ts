// The ISO 8583 links of a front door: framing, sign-on and echo end here. A message becomes the
// object that JSON would give and goes to the owner in a frame; the answer comes back as fields.
// A link outlives the owners of its messages.
import type { Clock } from '../../shared/clock.ts'
import { ERRORS, errorBody } from '../../shared/error-catalog.ts'
import { NETWORK_BODY_BYTES_MAX } from '../../shared/limits.ts'
import type { Logger } from '../../shared/log.ts'
import type { Result } from '../../shared/result.ts'
import type { LinkedMessage } from '../line/receive.ts'
import { type IsoListener, openIsoListener } from '../listeners/iso8583.ts'
import { fitsFrame } from '../member/message-frames.ts'
import type { DoorConfig } from './config.ts'
import type { DoorMessage, HeldMessages } from './held-messages.ts'
import type { Locating } from './locating.ts'

export interface IsoLinksParts {
  config: DoorConfig
  clock: Clock
  log: Logger
  held: HeldMessages
  /** Null with one shard and no port for links. */
  locating: Locating | null
  /** Why no message would be decided now; null where one may be. */
  unready(): string | null
  onFatal(reason: string): void
}

/** Null without a port; else the open listener, or why it cannot open. */
export async function openIsoLinks(
  parts: IsoLinksParts,
): Promise<Result<IsoListener | null, string>> {
  const { config, clock, log, held, locating, unready, onFatal } = parts
  if (config.iso === null || locating === null) return { ok: true, value: null }
  return openIsoListener({
    ...config.iso,
    host: config.settings.SVC_ENGINE_HOST,
    allowed: config.settings.SVC_ENGINE_ALLOW_CIDRS,
    clock,
    log,
    nowMs: () => clock.nowMs(),
    authorize(raw) {
      const message = doorMessageOf(raw)
      if (message !== null) return held.take(message)
      held.refused += 1
      const { status } = ERRORS.payload_too_large
      raw.reply.send(status, JSON.stringify(errorBody('payload_too_large', null)))
    },
    failed: (error) => onFatal(String(error)),
    countRefusal: () => {
      held.refused += 1
    },
    unready: () => unready() ?? locating.unready(),
    knowsKey: (keyId) => locating.knowsKey(keyId),
    cardCurrency: (keyId, card) => locating.currency(keyId, card),
  })
}

/** The message as a frame carries it; null where it is larger than any message may be. */
function doorMessageOf({ linkKeyId, wire, ...received }: LinkedMessage): DoorMessage | null {
  const body = Buffer.from(JSON.stringify(wire))
  if (body.length > NETWORK_BODY_BYTES_MAX || !fitsFrame('', linkKeyId)) return null
  return { ...received, signature: '', keyId: linkKeyId, body, linked: true }
}
