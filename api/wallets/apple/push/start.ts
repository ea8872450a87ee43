// Keeps the pushes going while the dispatcher runs.
import type { Clock } from '../../../../shared/clock.ts'
import type { Logger } from '../../../../shared/log.ts'
import type { Sql } from '../../../database/pool.ts'
import { type Pushing, startRounds } from '../../rounds.ts'
import type { AppleIssuer } from '../issuer.ts'
import { pushRound } from './pump.ts'
import { openPushService } from './push-service.ts'

export interface PushSettings {
  issuer: AppleIssuer
  /** Where Apple's push service is. */
  url: string
  /** PEM of an authority that it is trusted by besides the public ones, or null. */
  authority: string | null
}

export function startPushing(
  settings: PushSettings,
  world: { sql: Sql; clock: Clock; log: Logger; publicUrl: string },
): Pushing {
  const { issuer, url, authority } = settings
  const { certificate, key } = issuer.certificates
  const { clock, log } = world
  const service = openPushService({
    url,
    certificate,
    key,
    authority,
    topic: issuer.passType,
    clock,
  })
  return startRounds('push', log, {
    step: () => pushRound({ ...world, service }),
    close: service.close,
  })
}
